/** What the operator would do about one workload, and why: facts → text. Reads nothing and writes nothing. */
import { rfc3339 } from 'chancery';
import type { Problem } from '../contract/annotations.ts';
import { type Decision, RULES } from '../contract/decide.ts';
import { type ResourceRef, refKey } from '../contract/resource-type.ts';
import type { WorkloadKindName } from '../workloads/kind.ts';

/** How the content of a resource compares with the records of the workload. */
export type RecordState =
  /** It differs from every record: a restart is due. */
  | 'changed'
  /** A record shows it. */
  | 'recorded'
  /** There is no record: it is recorded, and nothing restarts. */
  | 'unrecorded'
  /** There is no such resource. */
  | 'absent';

const STATES: Readonly<Record<RecordState, string>> = {
  changed: 'the content differs from what is recorded, so a restart is due',
  recorded: 'the content is what is recorded',
  unrecorded: 'nothing is recorded yet, so the content is recorded without a restart',
  absent: 'there is no such resource now',
};

/** One resource that may concern the workload. */
export interface ExplainedResource {
  readonly ref: ResourceRef;
  readonly decision: Decision;
  readonly state: RecordState;
}

/** What is known of a workload. No part of the content of a resource is in it. */
export interface WorkloadFacts {
  readonly kind: WorkloadKindName;
  readonly namespace: string;
  readonly name: string;
  /** Why the operator leaves the workload alone, as a sentence; undefined: it does not. */
  readonly leftAlone: string | undefined;
  readonly resources: readonly ExplainedResource[];
  readonly problems: readonly Problem[];
  /** What a restart would wait for, as sentences. */
  readonly waits: readonly string[];
  /** Wall time in milliseconds since when the operator has paused the workload; undefined: it has not. */
  readonly pausedAtMs: number | undefined;
  /** How long a pause lasts; undefined: there is none. */
  readonly pausePeriodMs: number | undefined;
}

/** Lines for people, without line ends. */
export function explanation(facts: WorkloadFacts): readonly string[] {
  const { kind, namespace, name, resources, problems } = facts;
  return [
    `${kind} ${name} in namespace ${namespace}`,
    ...(facts.leftAlone === undefined ? [] : [`  left alone: ${facts.leftAlone}`]),
    ...(resources.length === 0 ? ['  no resource concerns it, and none is named or recorded'] : []),
    ...resources.flatMap(aboutResource),
    ...problems.map(({ annotation, message }) => `  cannot be used: ${annotation}: ${message}`),
    ...aboutPause(facts),
    ...facts.waits.map((wait) => `  waits: ${wait}`),
    verdict(facts),
  ];
}

function aboutResource({ ref, decision, state }: ExplainedResource): readonly string[] {
  const { reload, rule, container } = decision;
  const answer = reload ? 'a change restarts the workload' : 'a change restarts nothing';
  const lines = [`  ${nameOf(ref)}: ${answer}`, `    rule ${rule}: ${RULES[rule]}`];
  if (!reload) return lines;
  return [
    ...lines,
    `    container: ${container ?? 'none, the Pod template has no container'}`,
    `    state: ${STATES[state]}`,
  ];
}

function nameOf({ type, name, keys }: ResourceRef): string {
  const whole = refKey({ type, name });
  return keys === undefined ? whole : `${whole} (only the keys ${keys.join(', ')})`;
}

function aboutPause({ pausedAtMs, pausePeriodMs }: WorkloadFacts): readonly string[] {
  if (pausedAtMs === undefined) {
    return pausePeriodMs === undefined
      ? []
      : [`  a restart pauses it for ${pausePeriodMs / 1_000} s`];
  }
  const end = pausePeriodMs === undefined ? 'now' : `at ${rfc3339(pausedAtMs + pausePeriodMs)}`;
  return [`  paused by a restart since ${rfc3339(pausedAtMs)}: the pause ends ${end}`];
}

function verdict({ leftAlone, resources, waits }: WorkloadFacts): string {
  const due = resources
    .filter(({ decision, state }) => decision.reload && state === 'changed')
    .map(({ ref }) => nameOf(ref));
  if (due.length === 0 || leftAlone !== undefined) return 'No restart is due.';
  const when = waits.length === 0 ? 'now' : 'and waits';
  return `A restart is due ${when}, because of ${due.join(', ')}.`;
}
