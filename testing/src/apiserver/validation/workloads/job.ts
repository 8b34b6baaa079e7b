import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, changed, immutable } from '../fields/change.ts';

import { type Check, fields, isEmpty, maybeOneOf, notNegative, oneOf } from '../fields/check.ts';
import { domainPath } from '../fields/domain-path.ts';
import { dnsLabel } from '../fields/formats.ts';
import { internalJson } from '../fields/internal-json.ts';
import { labelSelector, selects } from '../fields/label-selector.ts';
import {
  IMMUTABLE,
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
  shownMap,
  tooLong,
} from '../fields/problem.ts';
import { podTemplate } from '../pods/pod-spec.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { policyProblems } from './job-policies.ts';
import { selectsTemplate } from './workload.ts';

function restartPolicy(spec: Json, field: string): readonly Problem[] {
  const at = `${field}.template.spec.restartPolicy`;
  const policy = valueAt(spec, ['template', 'spec', 'restartPolicy']);
  // `Always` is the server's default, so it means that the client sent no policy.
  if (isEmpty(policy) || policy === 'Always') {
    return [required(at, 'valid values: "OnFailure", "Never"')];
  }
  const supported = ['OnFailure', 'Never'];
  if (!supported.includes(String(policy))) return [notSupported(at, policy, supported)];
  if (spec.podFailurePolicy === undefined || policy === 'Never') return [];
  const why = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalidValue(at, policy, why)];
}

const MAX_INDEXED = 100_000;

function indexed(spec: Json, field: string): readonly Problem[] {
  const { completionMode, completions, parallelism, maxFailedIndexes } = spec;
  const limit = (name: string, most: unknown, why: string): readonly Problem[] =>
    typeof spec[name] === 'number' && typeof most === 'number' && spec[name] > most
      ? [invalidValue(`${field}.${name}`, spec[name], why)]
      : [];
  if (completionMode !== 'Indexed') {
    return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((name) =>
      spec[name] === undefined
        ? []
        : [invalidValue(`${field}.${name}`, spec[name], 'requires indexed completion mode')],
    );
  }
  const atMost = `must be less than or equal to ${MAX_INDEXED}`;
  return [
    ...(completions === undefined
      ? [required(`${field}.completions`, 'when completion mode is Indexed')]
      : []),
    ...limit('parallelism', MAX_INDEXED, `${atMost} when completion mode is Indexed`),
    ...limit('maxFailedIndexes', completions, 'must be less than or equal to completions'),
    ...limit('maxFailedIndexes', MAX_INDEXED, atMost),
    ...highCompletions({ completions, parallelism, maxFailedIndexes, ...spec }, field),
  ];
}

/**
 * Limits the numbers of parallel and failed indexes in a Job with many indexes and a failure limit per index,
 * because such a Job is expensive.
 */
function highCompletions(spec: Json, field: string): readonly Problem[] {
  const { completions, backoffLimitPerIndex, maxFailedIndexes, parallelism } = spec;
  const soft = MAX_INDEXED;
  const limit = 10_000;
  if (Number(completions ?? 0) <= soft || backoffLimitPerIndex === undefined) return [];
  const why = `must be less than or equal to ${limit} when completions are above ${soft} and used with backoff limit per index`;
  const most = (name: string, value: unknown): readonly Problem[] =>
    Number(value ?? 0) > limit ? [invalidValue(`${field}.${name}`, value, why)] : [];
  const needed = `must be specified when completions is above ${soft}`;
  return [
    ...(maxFailedIndexes === undefined ? [required(`${field}.maxFailedIndexes`, needed)] : []),
    ...most('parallelism', parallelism),
    ...most('maxFailedIndexes', maxFailedIndexes),
  ];
}

function limitedIndexes(spec: Json, field: string): readonly Problem[] {
  if (spec.maxFailedIndexes === undefined || spec.backoffLimitPerIndex !== undefined) return [];
  return [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')];
}

const MAX_MANAGER_BYTES = 63;

/** Checks the name of the external controller that manages a Job. */
function manager({ managedBy }: Json, field: string): readonly Problem[] {
  if (managedBy === undefined) return [];
  const at = `${field}.managedBy`;
  const isLong = Buffer.byteLength(String(managedBy)) > MAX_MANAGER_BYTES;
  return [...domainPath(managedBy, at), ...(isLong ? [tooLong(at, MAX_MANAGER_BYTES)] : [])];
}

function replacementPolicy(spec: Json, field: string): readonly Problem[] {
  const all = ['Failed', 'TerminatingOrFailed'];
  const words = spec.podFailurePolicy === undefined ? all : ['Failed'];
  return maybeOneOf(...words)(spec.podReplacementPolicy, `${field}.podReplacementPolicy`);
}

/** The rules for a Job and for a template of Jobs. */
const jobSpec: Check = fields(
  {
    parallelism: notNegative,
    completions: notNegative,
    activeDeadlineSeconds: notNegative,
    backoffLimit: notNegative,
    ttlSecondsAfterFinished: notNegative,
    backoffLimitPerIndex: notNegative,
    maxFailedIndexes: notNegative,
  },
  limitedIndexes,
  manager,
  ({ completionMode }, field) =>
    maybeOneOf('NonIndexed', 'Indexed')(completionMode, `${field}.completionMode`),
  indexed,
  policyProblems,
  replacementPolicy,
  (spec, field) => podTemplate(spec.template, `${field}.template`),
  restartPolicy,
);

function specProblems(spec: Json): readonly Problem[] {
  return [
    ...jobSpec(spec, 'spec'),
    ...(spec.selector === undefined
      ? [required('spec.selector')]
      : labelSelector(spec.selector, 'spec.selector')),
    ...selectsTemplate(spec),
  ];
}

export function job(object: StoredObject): readonly Problem[] {
  const spec = isObject(object.spec) ? object.spec : {};
  return [...generatedSelector(object, spec), ...specProblems(spec), ...longHostname(object, spec)];
}

/**
 * Refuses labels and selectors of the client that contradict the labels and selectors that the server adds to
 * a Job.
 */
function generatedSelector({ metadata }: StoredObject, spec: Json): readonly Problem[] {
  const selector = spec.selector;
  if (spec.manualSelector === true || !isObject(selector)) return [];
  const [uid, name] = [metadata.uid ?? '', metadata.name ?? ''];
  const expected: Readonly<Record<string, string>> = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  };
  const found = valueAt(spec, ['template', 'metadata', 'labels']);
  const labels = isObject(found) ? found : {};
  const wrong = Object.entries(expected).flatMap(([label, value]) => {
    const at = `spec.template.metadata.labels[${label}]`;
    if (labels[label] === undefined) return [required(at, `must be '${value}'`)];
    if (labels[label] === value) return [];
    return [invalidShown(at, shownMap(labels), `must be '${value}'`)];
  });
  if (selects(selector, expected)) return wrong;
  const why = '`selector` not auto-generated';
  return [...wrong, invalidValue('spec.selector', selector, why)];
}

/** Requires that the longest Pod name of an indexed Job is a valid host name. */
function longHostname({ metadata }: StoredObject, spec: Json): readonly Problem[] {
  const completions = Number(spec.completions ?? 0);
  if (spec.completionMode !== 'Indexed' || completions <= 0) return [];
  const hostname = `${metadata.name}-${completions - 1}`;
  if (dnsLabel(hostname).length === 0) return [];
  const why = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalidValue('metadata.name', metadata.name, why)];
}

/**
 * Fields in the spec of a template that decide where Pods run. Another such field is `affinity.nodeAffinity`.
 */
const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates'];

/** The spec of a template, without the fields that may change while the Job is suspended. */
function fixedSpec(spec: Json): Json {
  const rest = Object.entries(spec).filter(([name]) => !SCHEDULING.includes(name));
  const { affinity, containers, initContainers, ...fixed } = Object.fromEntries(rest);
  const { nodeAffinity: _, ...affinities } = isObject(affinity) ? affinity : {};
  return {
    ...fixed,
    affinities,
    containers: sized(containers),
    initContainers: sized(initContainers),
  };
}

/** Containers without their resource requests and limits. */
function sized(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((each) => (isObject(each) ? { ...each, resources: undefined } : each));
}

/**
 * Whether a Job is suspended and has no Pods, because it was never started or all of its Pods are
 * gone.
 */
function isAtRest(job: StoredObject): boolean {
  const conditions = valueAt(job, ['status', 'conditions']);
  const isSuspended =
    Array.isArray(conditions) &&
    conditions.some((each) => each?.type === 'Suspended' && each.status === 'True');
  return (
    valueAt(job, ['spec', 'suspend']) === true &&
    (valueAt(job, ['status', 'startTime']) === undefined || isSuspended) &&
    (valueAt(job, ['status', 'active']) ?? 0) === 0
  );
}

/**
 * Refuses forbidden changes of the template (`validatePodTemplateUpdate` in pkg/apis/batch/validation of
 * v1.36).
 */
const sameTemplate: ChangeCheck = (object, previous) => {
  const [now, then] = [object, previous].map((one) => valueAt(one, ['spec', 'template']));
  if (isDeepStrictEqual(now, then)) return [];
  if (!isAtRest(previous)) {
    const shown = internalJson('io.k8s.api.core.v1.PodTemplateSpec', now);
    return [invalidShown('spec.template', shown, IMMUTABLE)];
  }
  const [spec, former] = [now, then].map((one) => {
    const value = valueAt(one, ['spec']);
    return isObject(value) ? value : {};
  });
  if (isDeepStrictEqual(fixedSpec(spec ?? {}), fixedSpec(former ?? {}))) return [];
  const shown = internalJson('io.k8s.api.core.v1.PodSpec', spec);
  return [invalidShown('spec.template.spec', shown, IMMUTABLE)];
};

const sameCompletions: ChangeCheck = (object, previous) => {
  const spec = valueAt(object, ['spec']);
  const isIndexed = isObject(spec) && spec.completionMode === 'Indexed';
  if (!isIndexed) return immutable(['spec.completions'])(object, previous);
  if (!changed(object, previous, ['spec', 'completions'])) return [];
  // An indexed Job may be resized if `completions` and `parallelism` change together.
  if (spec.completions === undefined || spec.completions === spec.parallelism) return [];
  const why = 'can only be modified in tandem with spec.parallelism';
  return [invalidValue('spec.completions', spec.completions, why)];
};

const sameRest = immutable([
  'spec.completionMode',
  'spec.podFailurePolicy',
  'spec.backoffLimitPerIndex',
  'spec.managedBy',
  'spec.successPolicy',
]);

/**
 * The problems that refuse a change of a Job. As in kube-apiserver, the changed spec must also pass all the
 * checks that a new Job has to pass.
 */
export const changedJob: ChangeCheck = (object, previous) => [
  ...specProblems(isObject(object.spec) ? object.spec : {}),
  ...sameCompletions(object, previous),
  ...immutable(['spec.selector'])(object, previous),
  ...sameTemplate(object, previous),
  ...sameRest(object, previous),
];

function schedule(value: unknown, field: string): readonly Problem[] {
  if (isEmpty(value)) return [required(field)];
  const text = String(value);
  if (text.includes('TZ')) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [invalidValue(field, text, why)];
  }
  const problem = scheduleProblem(text);
  return problem === undefined ? [] : [invalidValue(field, text, problem)];
}

function timeZone(value: unknown, field: string): readonly Problem[] {
  if (value === undefined) return [];
  const name = String(value);
  if (name === '') return [invalidValue(field, name, 'timeZone must be nil or non-empty string')];
  if (name.toLowerCase() === 'local') {
    const why =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalidValue(field, name, why)];
  }
  return isTimeZone(name) ? [] : [invalidValue(field, name, `unknown time zone ${name}`)];
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const jobTemplate: Check = fields({
  spec: (value, field) => {
    const spec = isObject(value) ? value : {};
    const problems = [...jobSpec(spec, field)];
    if (spec.selector !== undefined) {
      const why = '`selector` will be auto-generated';
      problems.push(invalidValue(`${field}.selector`, spec.selector, why));
    }
    if (spec.manualSelector === true) {
      problems.push(notSupported(`${field}.manualSelector`, true, ['nil', 'false']));
    }
    return problems;
  },
});

const cronJobSpec: Check = fields({
  schedule,
  startingDeadlineSeconds: notNegative,
  timeZone,
  concurrencyPolicy: oneOf('Allow', 'Forbid', 'Replace'),
  jobTemplate,
  successfulJobsHistoryLimit: notNegative,
  failedJobsHistoryLimit: notNegative,
});

export function cronJob({ spec }: StoredObject): readonly Problem[] {
  return cronJobSpec(isObject(spec) ? spec : {}, 'spec');
}
