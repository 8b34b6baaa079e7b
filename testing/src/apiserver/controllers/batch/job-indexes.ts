import type { StoredObject } from '../../objects/stored-object.ts';
import type { Pod, PodSpec } from '../pods/pod.ts';
import type { PodTemplate } from '../pods/pod-template.ts';
import type { Job } from './job-object.ts';
import { isTracked } from './job-pod-count.ts';

/**
 * The annotation and the label that contain the index of a Pod. Each index stands for one part of the Job's
 * work.
 */
const INDEX = 'batch.kubernetes.io/job-completion-index';
const VARIABLE = 'JOB_COMPLETION_INDEX';

/** The maximum length of the prefix of a generated name. The prefix is followed by five random letters. */
const MOST_OF_PREFIX = 58;

type Range = readonly [first: number, last: number];

/** Sorted ranges of indexes. Each range includes its first and last index. */
export type Indexes = readonly Range[];

/** True for a Job whose Pods each have an index. */
export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

/** @returns undefined for a Pod without an index of the Job. */
export function indexOf({ spec }: Job, { metadata }: StoredObject): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? '';
  const index = Number(text);
  return /^\d+$/.test(text) && index < (spec.completions ?? 0) ? index : undefined;
}

/**
 * The succeeded indexes: the indexes in the status, and the indexes of Pods that have succeeded since the
 * status was written.
 */
export function succeededIndexes(job: Job, pods: readonly Pod[]): Indexes {
  const fresh = pods
    .filter((pod) => isTracked(pod) && pod.status?.phase === 'Succeeded')
    .flatMap((pod) => indexOf(job, pod) ?? []);
  return mergedIndexes(job, job.status?.completedIndexes, fresh);
}

/** The indexes in a string of the status, such as `0,2-4`, merged with other indexes. */
export function mergedIndexes(
  { spec }: Job,
  text: string | undefined,
  others: readonly number[],
): Indexes {
  return merged([...parsedIndexes(text ?? '', spec.completions ?? 0), ...others.map(single)]);
}

export function hasIndex(indexes: Indexes, index: number): boolean {
  return indexes.some(([first, last]) => first <= index && index <= last);
}

export function countOf(indexes: Indexes): number {
  return indexes.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** The indexes as the status writes them, such as `0,2-4`. A range of two indexes is written as `2,3`. */
export function textOfIndexes(indexes: Indexes): string {
  return indexes
    .map(([first, last]) => {
      if (first === last) return String(first);
      return `${first}${last === first + 1 ? ',' : '-'}${last}`;
    })
    .join(',');
}

/**
 * The lowest indexes that are not finished and have no running Pod.
 *
 * @param over - the indexes that have succeeded or finally failed.
 * @param most - the largest number of indexes to return.
 */
export function pendingIndexes(
  job: Job,
  over: Indexes,
  working: readonly Pod[],
  most: number,
): readonly number[] {
  const taken = merged([...over, ...working.flatMap((pod) => indexOf(job, pod) ?? []).map(single)]);
  const pending: number[] = [];
  let next = 0;
  for (const [first, last] of [...taken, single(job.spec.completions ?? 0)]) {
    for (; next < first && pending.length < most; next++) pending.push(next);
    next = Math.max(next, last + 1);
  }
  return pending;
}

/**
 * Pods that the Job does not need: Pods without a valid index, and Pods with the same index as an earlier Pod
 * of the list.
 */
export function uselessPods(job: Job, active: readonly Pod[]): readonly Pod[] {
  const seen = new Set<number>();
  return active.filter((pod) => {
    const index = indexOf(job, pod);
    const isUseless = index === undefined || seen.has(index);
    if (index !== undefined) seen.add(index);
    return isUseless;
  });
}

/** The name of the Pod of an index, without the random letters at the end. */
export function indexedName(job: string, index: number): string {
  const end = `-${index}-`;
  return `${job.slice(0, MOST_OF_PREFIX - end.length)}${end}`;
}

/** The template of a Pod, with its index in labels, host name and environment. */
export function indexedTemplate(template: PodTemplate, job: string, index: number): PodTemplate {
  const known = { [INDEX]: String(index) };
  const { metadata, spec } = template;
  const containers = spec.containers.map(withVariable);
  const { initContainers } = spec;
  return {
    ...template,
    metadata: {
      ...metadata,
      annotations: { ...metadata?.annotations, ...known },
      labels: { ...metadata?.labels, ...known },
    },
    spec: {
      ...spec,
      containers,
      ...(Array.isArray(initContainers)
        ? { initContainers: initContainers.map(withVariable) }
        : {}),
      hostname: `${job}-${index}`,
    } as PodSpec,
  };
}

function withVariable<C extends object>(container: C): C {
  const { env = [] } = container as { readonly env?: readonly { readonly name: string }[] };
  if (env.some(({ name }) => name === VARIABLE)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${INDEX}']` };
  return { ...container, env: [...env, { name: VARIABLE, valueFrom: { fieldRef } }] };
}

function single(index: number): Range {
  return [index, index];
}

/** Parses a string such as `0,2-4`. Invalid ranges, and indexes that the Job does not have, are ignored. */
export function parsedIndexes(text: string, completions: number): Indexes {
  return text
    .split(',')
    .map((range) => /^(\d+)(?:-(\d+))?$/.exec(range))
    .filter((match) => match !== null)
    .map(
      ([, first, last]) =>
        [Number(first), Math.min(Number(last ?? first), completions - 1)] as const,
    )
    .filter(([first, last]) => first <= last);
}

/** The number of indexes that both lists contain. */
export function commonCount(left: Indexes, right: Indexes): number {
  let count = 0;
  for (let [i, j] = [0, 0]; i < left.length && j < right.length; ) {
    const [[first, last], [from, to]] = [left[i] as Range, right[j] as Range];
    count += Math.max(Math.min(last, to) - Math.max(first, from) + 1, 0);
    if (last <= to) i++;
    if (to <= last) j++;
  }
  return count;
}

/** Sorted ranges, with overlapping and adjacent ranges merged. */
function merged(ranges: Indexes): Indexes {
  const result: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = result.at(-1);
    if (before === undefined || first > before[1] + 1) result.push([first, last]);
    else before[1] = Math.max(before[1], last);
  }
  return result;
}
