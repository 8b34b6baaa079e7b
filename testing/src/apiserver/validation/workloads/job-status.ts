import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { itemsOf, notNegative } from '../fields/check.ts';
import { duplicate, IMMUTABLE, invalidValue, type Problem, required } from '../fields/problem.ts';

/** A Job before and after a change of its status. */
interface Change {
  readonly spec: Json;
  readonly now: Json;
  readonly before: Json;
  /** True if one of these fields changed, or one of these conditions changed to or from true. */
  has(...names: readonly string[]): boolean;
}

/**
 * A rule for the status. It applies only if one of the fields or conditions in `about` has changed.
 */
interface Rule {
  readonly about: readonly string[];
  check(change: Change): readonly Problem[];
}

const FINISHED = ['Complete', 'Failed'];

/**
 * The problems of a changed Job status (pkg/apis/batch/validation and pkg/registry/batch/job of Kubernetes
 * 1.36). The rules also apply if an external controller manages the Job (`managedBy`).
 */
export function jobStatus(object: StoredObject, previous: StoredObject): readonly Problem[] {
  const change = changeOf(object, previous);
  const { spec, now, before } = change;
  const counts = ['active', 'succeeded', 'failed', 'ready', 'terminating'];
  return [
    ...counts.flatMap((name) => notNegative(now[name], `status.${name}`)),
    ...uncounted(now.uncountedTerminatedPods),
    ...RULES.flatMap(({ about, check }) => (change.has(...about) ? check(change) : [])),
    ...successProblems(spec, now),
    ...terminalProblems(now, before),
    ...counterProblems(spec, now, before),
    ...timeProblems(change),
    ...(isTrue(before, 'SuccessCriteriaMet') && !isTrue(now, 'SuccessCriteriaMet')
      ? [ofConditions('cannot disable the SuccessCriteriaMet=True condition')]
      : []),
    ...(isTrue(before, 'Complete') &&
    !isTrue(before, 'SuccessCriteriaMet') &&
    isTrue(now, 'SuccessCriteriaMet')
      ? [
          ofConditions(
            'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
          ),
        ]
      : []),
  ];
}

function changeOf(object: StoredObject, previous: StoredObject): Change {
  const part = (whole: StoredObject, name: string): Json =>
    isObject(whole[name]) ? (whole[name] as Json) : {};
  const now = part(object, 'status');
  const before = part(previous, 'status');
  return {
    spec: part(object, 'spec'),
    now,
    before,
    has: (...names) =>
      names.some((name) =>
        /^[A-Z]/.test(name)
          ? isTrue(now, name) !== isTrue(before, name)
          : !isDeepStrictEqual(now[name], before[name]),
      ),
  };
}

function isTrue({ conditions }: Json, ...types: readonly string[]): boolean {
  return itemsOf(conditions).some(
    ({ type, status }) => types.includes(String(type)) && status === 'True',
  );
}

function ofConditions(why: string): Problem {
  return {
    field: 'status.conditions',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${why}`,
  };
}

function uncounted(pods: unknown): readonly Problem[] {
  if (!isObject(pods)) return [];
  const seen = new Set<unknown>();
  return ['succeeded', 'failed'].flatMap((part) => {
    const uids = pods[part];
    return (Array.isArray(uids) ? uids : []).flatMap((uid: unknown, at) => {
      const field = `status.uncountedTerminatedPods.${part}[${at}]`;
      if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    });
  });
}

/** Rules for conditions, finished Jobs and indexes, in the order in which the server applies them. */
const RULES: readonly Rule[] = [
  both(['Complete', 'Failed'], 'Failed=true'),
  both(['Complete', 'FailureTarget'], 'FailureTarget=true'),
  {
    about: ['Complete', 'completionTime'],
    check: ({ now }) => completionTime(now),
  },
  {
    about: ['startTime', 'completionTime'],
    check: ({ now: { startTime, completionTime: end } }) =>
      startTime && end && String(end) < String(startTime)
        ? [invalidValue('status.completionTime', end, 'must be equal to or after `startTime`')]
        : [],
  },
  without('Failed', 'FailureTarget', ['Failed', 'failedIndexes']),
  without('Complete', 'SuccessCriteriaMet', ['Complete', 'SuccessCriteriaMet']),
  finished('active', ({ active }) =>
    Number(active ?? 0) > 0 ? [[active, 'active>0 is invalid for finished job']] : [],
  ),
  {
    about: [...FINISHED, 'startTime'],
    check: ({ spec, now }) =>
      isTrue(now, ...FINISHED) &&
      !now.startTime &&
      !(spec.suspend === true && spec.completions === 0)
        ? [required('status.startTime', 'startTime is required for finished job')]
        : [],
  },
  finished('uncountedTerminatedPods', ({ uncountedTerminatedPods: pods }) =>
    isObject(pods) && Object.values(pods).some((uids) => Array.isArray(uids) && uids.length > 0)
      ? [[pods, 'must be empty for finished job']]
      : [],
  ),
  {
    about: ['completedIndexes'],
    check: ({ spec, now }) =>
      spec.completions === undefined ? [] : formOf('completedIndexes', now, spec),
  },
  {
    about: ['failedIndexes'],
    check: ({ spec, now }) =>
      spec.completions === undefined || spec.backoffLimitPerIndex === undefined
        ? []
        : formOf('failedIndexes', now, spec),
  },
  {
    about: ['completedIndexes'],
    check: ({ spec, now: { completedIndexes: indexes } }) =>
      indexes && spec.completionMode !== 'Indexed'
        ? [
            invalidValue(
              'status.completedIndexes',
              indexes,
              'cannot set non-empty completedIndexes when non-indexed completion mode',
            ),
          ]
        : [],
  },
  {
    about: ['failedIndexes'],
    check: ({ spec, now: { failedIndexes: indexes } }) =>
      indexes !== undefined && spec.backoffLimitPerIndex === undefined
        ? [
            invalidValue(
              'status.failedIndexes',
              indexes,
              'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
            ),
          ]
        : [],
  },
  { about: ['failedIndexes', 'completedIndexes'], check: ({ spec, now }) => overlap(spec, now) },
  finished('terminating', ({ terminating }) =>
    Number(terminating ?? 0) > 0
      ? [[terminating, 'terminating>0 is invalid for finished job']]
      : [],
  ),
  {
    about: ['ready', 'active'],
    check: ({ now: { ready, active } }) =>
      typeof ready === 'number' && ready > Number(active ?? 0)
        ? [invalidValue('status.ready', ready, 'cannot set more ready pods than active')]
        : [],
  },
];

function both(types: readonly [string, string], shown: string): Rule {
  return {
    about: types,
    check: ({ now }) =>
      types.every((type) => isTrue(now, type))
        ? [ofConditions(`cannot set Complete=True and ${shown} conditions`)]
        : [],
  };
}

function without(type: string, needed: string, about: readonly string[]): Rule {
  return {
    about,
    check: ({ now }) =>
      isTrue(now, type) && !isTrue(now, needed)
        ? [ofConditions(`cannot set ${type}=True condition without the ${needed}=true condition`)]
        : [],
  };
}

/** Makes a rule about the values that a status field of a finished Job must not have. */
function finished(
  name: string,
  wrong: (status: Json) => readonly (readonly [unknown, string])[],
): Rule {
  return {
    about: [...FINISHED, name],
    check: ({ now }) =>
      isTrue(now, ...FINISHED)
        ? wrong(now).map(([value, why]) => invalidValue(`status.${name}`, value, why))
        : [],
  };
}

function completionTime(now: Json): readonly Problem[] {
  const field = 'status.completionTime';
  const { completionTime: time } = now;
  const isComplete = isTrue(now, 'Complete');
  if (time && !isComplete) {
    const why = 'cannot set completionTime when there is no Complete=True condition';
    return [invalidValue(field, time, why)];
  }
  const why = 'completionTime is required for Complete jobs';
  return isComplete && !time ? [required(field, why)] : [];
}

type Interval = readonly [number, number];

/** Parses `0,2-4` into intervals. If this fails, returns a string that describes the problem. */
function intervalsOf(text: string, completions: number): readonly Interval[] | string {
  const intervals: Interval[] = [];
  for (const fragment of text === '' ? [] : text.split(',')) {
    const limits = fragment.split('-');
    if (limits.length > 2) {
      return `the fragment ${JSON.stringify(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const limit of limits) {
      const shown = JSON.stringify(limit);
      if (!/^[+-]?[0-9]+$/.test(limit))
        return `cannot convert string to integer for index: ${shown}`;
      if (Number(limit) >= completions) return `too large index: ${shown}`;
    }
    const [first = 0, last = first] = limits.map(Number);
    if (limits.length === 2 && first >= last) return outOfOrder(first, last);
    const end = intervals.at(-1)?.[1];
    if (end !== undefined && end >= first) return outOfOrder(end, first);
    intervals.push([first, last]);
  }
  return intervals;
}

function outOfOrder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

function formOf(name: string, now: Json, { completions }: Json): readonly Problem[] {
  const text = now[name] ?? '';
  const read = intervalsOf(String(text), Number(completions));
  if (typeof read !== 'string') return [];
  return [invalidValue(`status.${name}`, text, `error parsing ${name}: ${read}`)];
}

function overlap({ completions }: Json, now: Json): readonly Problem[] {
  const { failedIndexes: failed, completedIndexes: completed } = now;
  if (completions === undefined || failed === undefined || !completed) return [];
  const [failures, successes] = [failed, completed].map((text) =>
    intervalsOf(String(text), Number(completions)),
  );
  if (!Array.isArray(failures) || !Array.isArray(successes)) return [];
  for (const [first, last] of successes as readonly Interval[]) {
    const other = (failures as readonly Interval[]).find(([a, b]) => a <= last && first <= b);
    if (other === undefined) continue;
    const why = `failedIndexes and completedIndexes overlap at index: ${Math.max(first, other[0])}`;
    return [invalidValue('status.failedIndexes', failed, why)];
  }
  return [];
}

function successProblems(spec: Json, now: Json): readonly Problem[] {
  const isMet = isTrue(now, 'SuccessCriteriaMet');
  return [
    ...(isMet && isTrue(now, 'Failed')
      ? [ofConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions')]
      : []),
    ...(isMet && isTrue(now, 'FailureTarget')
      ? [ofConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')]
      : []),
    ...(isObject(spec.successPolicy) && !isMet && isTrue(now, 'Complete')
      ? [
          ofConditions(
            'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
          ),
        ]
      : []),
  ];
}

function terminalProblems(now: Json, before: Json): readonly Problem[] {
  return ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => isTrue(before, type) && !isTrue(now, type))
    .map((type) => ofConditions(`cannot disable the terminal ${type}=True condition`));
}

function counterProblems(spec: Json, now: Json, before: Json): readonly Problem[] {
  // The completions and parallelism of an elastic indexed Job can be scaled down together. Succeeded indexes
  // above the new number are then no longer counted.
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  return ['failed', ...(isElastic ? [] : ['succeeded'])]
    .filter((name) => Number(now[name] ?? 0) < Number(before[name] ?? 0))
    .map((name) =>
      invalidValue(`status.${name}`, now[name] ?? 0, `cannot decrease the ${name} counter`),
    );
}

function timeProblems({ spec, now, before }: Change): readonly Problem[] {
  const problems: Problem[] = [];
  if (now.completionTime && before.completionTime && now.completionTime !== before.completionTime) {
    problems.push(invalidValue('status.completionTime', now.completionTime, IMMUTABLE));
  }
  const isResumed = isTrue(before, 'Suspended') && isFalse(now, 'Suspended');
  const isMoved = before.startTime && before.startTime !== now.startTime;
  if (isMoved && spec.suspend !== true && !isResumed) {
    const why = 'field is immutable for unsuspended job once set';
    problems.push(invalidValue('status.startTime', now.startTime ?? null, why));
  }
  return problems;
}

function isFalse({ conditions }: Json, type: string): boolean {
  return itemsOf(conditions).some((one) => one.type === type && one.status === 'False');
}
