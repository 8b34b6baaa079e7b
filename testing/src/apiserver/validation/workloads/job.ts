import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, immutable } from '../fields/change.ts';
import { type Check, fields, isEmpty, maybeOneOf, notNegative, oneOf } from '../fields/check.ts';
import { internalJson } from '../fields/internal-json.ts';
import { labelSelector } from '../fields/label-selector.ts';
import {
  IMMUTABLE,
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../fields/problem.ts';
import { podTemplate } from '../pods/pod-spec.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { selectsTemplate } from './workload.ts';

function restartPolicy(spec: Json, field: string): readonly Problem[] {
  const at = `${field}.template.spec.restartPolicy`;
  const policy = valueAt(spec, ['template', 'spec', 'restartPolicy']);
  // Always is what the server itself puts there, where nothing was said.
  if (isEmpty(policy) || policy === 'Always') {
    return [required(at, 'valid values: "OnFailure", "Never"')];
  }
  const supported = ['OnFailure', 'Never'];
  return supported.includes(String(policy)) ? [] : [notSupported(at, policy, supported)];
}

function indexed({ completionMode, completions }: Json, field: string): readonly Problem[] {
  if (completionMode !== 'Indexed' || completions !== undefined) return [];
  return [required(`${field}.completions`, 'when completion mode is Indexed')];
}

/** What holds for a Job and for the template of one. */
const jobSpec: Check = fields(
  {
    parallelism: notNegative,
    completions: notNegative,
    activeDeadlineSeconds: notNegative,
    backoffLimit: notNegative,
    ttlSecondsAfterFinished: notNegative,
    backoffLimitPerIndex: notNegative,
    maxFailedIndexes: notNegative,
    completionMode: maybeOneOf('NonIndexed', 'Indexed'),
  },
  indexed,
  (spec, field) =>
    maybeOneOf('Failed', 'TerminatingOrFailed')(
      spec.podReplacementPolicy,
      `${field}.podReplacementPolicy`,
    ),
  (spec, field) => podTemplate(spec.template, `${field}.template`),
  restartPolicy,
);

export function job({ spec }: StoredObject): readonly Problem[] {
  const value = isObject(spec) ? spec : {};
  return [
    ...jobSpec(value, 'spec'),
    ...(value.selector === undefined
      ? [required('spec.selector')]
      : labelSelector(value.selector, 'spec.selector')),
    ...selectsTemplate(value),
  ];
}

/** Fields in the spec of a template that decide where Pods run, beside `affinity.nodeAffinity`. */
const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates'];

/** The spec of a template without what a suspended Job may change. */
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

/** Containers without the resources that they ask for. */
function sized(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((each) => (isObject(each) ? { ...each, resources: undefined } : each));
}

/** A Job that is suspended and has no Pods: it was never started, or all of its Pods are gone again. */
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

/** As in pkg/apis/batch/validation, `validatePodTemplateUpdate`, of v1.36. */
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
  // An indexed Job may be resized, both counts together.
  const resized =
    isObject(spec) && spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  return resized ? [] : immutable(['spec.completions'])(object, previous);
};

const sameRest = immutable([
  'spec.completionMode',
  'spec.podFailurePolicy',
  'spec.backoffLimitPerIndex',
  'spec.managedBy',
]);

export const changedJob: ChangeCheck = (object, previous) => [
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
