import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, immutable } from '../fields/change.ts';
import { type Check, fields, formed, itemsOf, notNegative } from '../fields/check.ts';
import { dnsLabel } from '../fields/formats.ts';
import { isPositiveIntOrPercent, isZero, moreThanAll } from '../fields/int-or-percent.ts';
import { internalJson } from '../fields/internal-json.ts';
import {
  annotations,
  labelSelector,
  labels,
  selects,
  selectsEverything,
} from '../fields/label-selector.ts';
import {
  forbidden,
  invalidShown,
  invalidValue,
  notSupported,
  notSupportedShown,
  type Problem,
  required,
  shownMap,
} from '../fields/problem.ts';
import { podTemplate } from '../pods/pod-spec.ts';

type SpecCheck = (spec: Json) => readonly Problem[];

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

/** Runs checks of a spec, and returns the problems of all of them. */
function ofSpec(...checks: readonly SpecCheck[]): (object: StoredObject) => readonly Problem[] {
  return (object) => checks.flatMap((check) => check(specOf(object)));
}

function field(name: string, check: Check): SpecCheck {
  return (spec) => check(spec[name], `spec.${name}`);
}

/** Requires a selector that is not empty. */
function selectorOf(kind: string): SpecCheck {
  return ({ selector }) => {
    if (!isObject(selector)) return [required('spec.selector')];
    const problems = labelSelector(selector, 'spec.selector');
    if (!selectsEverything(selector)) return problems;
    const why = `empty selector is invalid for ${kind}`;
    return [...problems, invalidValue('spec.selector', selector, why)];
  };
}

/** Requires that the selector matches the labels of the template. */
export function selectsTemplate({ selector, template }: Json): readonly Problem[] {
  const found = valueAt(template, ['metadata', 'labels']);
  const matches = isObject(selector) && selects(selector, found);
  if (matches || (isObject(selector) && selectsEverything(selector))) return [];
  const why = '`selector` does not match template `labels`';
  return [invalidShown('spec.template.metadata.labels', shownMap(found), why)];
}

/** Requires that the Pods of long-running workloads always restart and have no deadline. */
function lastingTemplate(kind: string): SpecCheck {
  return ({ template }) => {
    const at = 'spec.template.spec';
    const policy = valueAt(template, ['spec', 'restartPolicy']);
    const deadline = valueAt(template, ['spec', 'activeDeadlineSeconds']);
    const problems: Problem[] = [];
    if (policy !== 'Always') {
      problems.push(notSupported(`${at}.restartPolicy`, policy ?? '', ['Always']));
    }
    if (deadline !== undefined) {
      const why = `activeDeadlineSeconds in ${kind} is not Supported`;
      problems.push(forbidden(`${at}.activeDeadlineSeconds`, why));
    }
    return problems;
  };
}

const template = field('template', podTemplate);
const counts: SpecCheck = (spec) =>
  fields({ minReadySeconds: notNegative, revisionHistoryLimit: notNegative })(spec, 'spec');

function strategyOf({ strategy }: Json): readonly Problem[] {
  const at = 'spec.strategy';
  const { type, rollingUpdate } = isObject(strategy) ? strategy : {};
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(`${at}.rollingUpdate`, why)];
  }
  if (type === 'RollingUpdate') return rollingDeployment(rollingUpdate, `${at}.rollingUpdate`);
  const shown = internalJson('io.k8s.api.apps.v1.DeploymentStrategy', strategy);
  return [notSupportedShown(at, shown, ['Recreate', 'RollingUpdate'])];
}

function rollingDeployment(value: unknown, at: string): readonly Problem[] {
  const { maxUnavailable, maxSurge } = isObject(value) ? value : {};
  const problems = [
    ...isPositiveIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...isPositiveIntOrPercent(maxSurge, `${at}.maxSurge`),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    const why = 'may not be 0 when `maxSurge` is 0';
    problems.push(invalidValue(`${at}.maxUnavailable`, maxUnavailable ?? 0, why));
  }
  return [...problems, ...moreThanAll(maxUnavailable, `${at}.maxUnavailable`)];
}

function deadline({ progressDeadlineSeconds, minReadySeconds = 0 }: Json): readonly Problem[] {
  const at = 'spec.progressDeadlineSeconds';
  if (progressDeadlineSeconds === undefined) return [];
  const problems = notNegative(progressDeadlineSeconds, at);
  if (Number(progressDeadlineSeconds) > Number(minReadySeconds)) return problems;
  const why = 'must be greater than minReadySeconds';
  return [...problems, invalidValue(at, progressDeadlineSeconds, why)];
}

export const deployment: (object: StoredObject) => readonly Problem[] = ofSpec(
  field('replicas', notNegative),
  selectorOf('deployment'),
  selectsTemplate,
  template,
  lastingTemplate('ReplicaSet'),
  strategyOf,
  counts,
  deadline,
);

export const replicaSet: (object: StoredObject) => readonly Problem[] = ofSpec(
  field('replicas', notNegative),
  field('minReadySeconds', notNegative),
  selectorOf('deployment'),
  selectsTemplate,
  template,
  lastingTemplate('ReplicaSet'),
);

function daemonStrategy({ updateStrategy }: Json): readonly Problem[] {
  const at = 'spec.updateStrategy';
  const { type, rollingUpdate } = isObject(updateStrategy) ? updateStrategy : {};
  if (type === 'OnDelete') return [];
  if (type === 'RollingUpdate') return rollingDaemonSet(rollingUpdate, `${at}.rollingUpdate`);
  const shown = internalJson('io.k8s.api.apps.v1.DaemonSetUpdateStrategy', updateStrategy);
  return [notSupportedShown(at, shown, ['RollingUpdate', 'OnDelete'])];
}

function rollingDaemonSet(value: unknown, at: string): readonly Problem[] {
  const { maxUnavailable, maxSurge } = isObject(value) ? value : {};
  const [unavailable, surge] = [!isZero(maxUnavailable), !isZero(maxSurge)];
  const problems = [
    ...isPositiveIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...isPositiveIntOrPercent(maxSurge, `${at}.maxSurge`),
    ...moreThanAll(maxUnavailable, `${at}.maxUnavailable`),
    ...moreThanAll(maxSurge, `${at}.maxSurge`),
  ];
  if (unavailable && surge) {
    const why = 'may not be set when maxUnavailable is non-zero';
    problems.push(invalidValue(`${at}.maxSurge`, maxSurge, why));
  }
  if (!unavailable && !surge) {
    problems.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return problems;
}

export const daemonSet: (object: StoredObject) => readonly Problem[] = ofSpec(
  field('selector', labelSelector),
  selectsTemplate,
  ({ selector }) =>
    isObject(selector) && selectsEverything(selector)
      ? [invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset')]
      : [],
  template,
  lastingTemplate('DaemonSet'),
  field('minReadySeconds', notNegative),
  daemonStrategy,
  field('revisionHistoryLimit', notNegative),
);

function podManagement({ podManagementPolicy }: Json): readonly Problem[] {
  if (['OrderedReady', 'Parallel'].includes(String(podManagementPolicy))) return [];
  const why = "must be 'OrderedReady' or 'Parallel'";
  return [invalidValue('spec.podManagementPolicy', podManagementPolicy, why)];
}

function statefulStrategy({ updateStrategy }: Json): readonly Problem[] {
  const at = 'spec.updateStrategy';
  const { type, rollingUpdate } = isObject(updateStrategy) ? updateStrategy : {};
  const type_ = 'io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy';
  if (type === 'OnDelete') {
    const why = "only allowed for updateStrategy 'RollingUpdate'";
    if (rollingUpdate === undefined) return [];
    return [invalidShown(`${at}.rollingUpdate`, internalJson(type_, rollingUpdate), why)];
  }
  if (type === 'RollingUpdate') {
    return fields({ partition: notNegative })(rollingUpdate, `${at}.rollingUpdate`);
  }
  const shown = internalJson('io.k8s.api.apps.v1.StatefulSetUpdateStrategy', updateStrategy);
  return [invalidShown(at, shown, "must be 'RollingUpdate' or 'OnDelete'")];
}

/**
 * Checks the template of a StatefulSet, with a volume added for each claim. The host name and the subdomain
 * are ignored, because the controller replaces them.
 */
function statefulTemplate({ template: value, volumeClaimTemplates }: Json): readonly Problem[] {
  const { spec: sent, ...rest } = isObject(value) ? value : {};
  const { hostname: _, subdomain: __, ...spec } = isObject(sent) ? sent : {};
  const claims = itemsOf(volumeClaimTemplates).map((claim) => {
    const name = valueAt(claim, ['metadata', 'name']);
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const own = itemsOf(spec.volumes).filter(({ name }) => !claims.some((one) => one.name === name));
  const volumes = claims.length === 0 ? spec.volumes : [...claims, ...own];
  return [
    ...podTemplate({ ...rest, spec: { ...spec, volumes } }, 'spec.template'),
    // The server checks the labels and annotations a second time.
    ...fields({ labels, annotations })(rest.metadata, 'spec.template'),
  ];
}

export const statefulSet: (object: StoredObject) => readonly Problem[] = ofSpec(
  podManagement,
  statefulStrategy,
  field('replicas', notNegative),
  field('minReadySeconds', notNegative),
  field('ordinals', fields({ start: notNegative })),
  field('serviceName', formed(dnsLabel)),
  selectorOf('statefulset'),
  selectsTemplate,
  statefulTemplate,
  lastingTemplate('StatefulSet'),
);

/** Refuses a change of the selector, because the selector decides which Pods belong to the workload. */
export const sameSelector: ChangeCheck = immutable(['spec.selector']);

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export const changedStatefulSet: ChangeCheck = (object, previous) => {
  const fixed = (spec: Json): Json =>
    Object.fromEntries(Object.entries(spec).filter(([name]) => !CHANGEABLE.includes(name)));
  if (isDeepStrictEqual(fixed(specOf(object)), fixed(specOf(previous)))) return [];
  const quoted = CHANGEABLE.map((name) => `'${name}'`);
  const list = `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
  const why = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [forbidden('spec', why)];
};
