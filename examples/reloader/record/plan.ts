import type { Rule } from '../contract/decide.ts';
import { DELETED_HASH } from '../contract/hash.ts';
import type { Options } from '../contract/options.ts';
import {
  type ResourceRef,
  type ResourceType,
  refKey,
  refOfKey,
} from '../contract/resource-type.ts';
import type { PodTemplate } from '../workloads/kind.ts';
import { BASELINE, type Baseline, formatBaseline, IGNORED } from './baseline.ts';
import type { Change, RestartPlan, VariableChange } from './plan-types.ts';
import { Records } from './records.ts';
import { formatLastReloaded, LAST_RELOADED_FROM, templateRecords } from './template.ts';

/** A resource that concerns a workload, with its state of now. */
export interface Wanted extends ResourceRef {
  /** Undefined: there is no such resource. */
  readonly hash: string | undefined;
  /** The container to mark; undefined: the template has none. */
  readonly container: string | undefined;
  readonly rule: Rule;
  readonly auto: boolean;
  /** The resource is missing, and its creation would belong to the first deployment. Default false. */
  readonly awaited?: boolean;
  /** It was created after the workload was looked at, if only `--reload-on-create` counts that. Default false. */
  readonly isNew?: boolean;
  /** What another hash than the recorded one means: see `FoundResource`. Default `restart`. */
  readonly difference?: 'restart' | 'record' | 'keep';
}

export type PlanOptions = Pick<
  Options,
  'strategy' | 'reloadOnCreate' | 'reloadOnDelete' | 'syncAfterRestart' | 'resourceTypes'
>;

/** Everything that a plan depends on. */
export interface PlanInput {
  readonly namespace: string;
  readonly template: PodTemplate;
  /** What the workload's metadata records. */
  readonly baseline: Baseline;
  /**
   * What this process has recorded for the workload before, also if somebody has removed it since. Then it counts,
   * so that a manager that reverts the workload causes no restarts.
   */
  readonly remembered: Baseline;
  /** Each resource once. */
  readonly wanted: readonly Wanted[];
  /** Resources with the ignore annotation. Default: none. */
  readonly ignored?: readonly ResourceRef[];
  /** Entries of the baseline for lists of patterns; see `EVERY_NAME`. Default: none. */
  readonly lists?: Baseline;
  /** Baseline entries of types that are not watched stay as they are. */
  readonly options: PlanOptions;
  /**
   * A restart of the workload leaves its Pod template as it is. What the template has is then older than an entry of
   * the baseline. Default false.
   */
  readonly keepsTemplate?: boolean;
  /** Wall time in milliseconds, for `observedAt`. */
  readonly nowMs: number;
}

/** What a workload needs. Nothing that the workload shows already is in it. */
export interface Plan {
  /** The baseline to write while nothing restarts; undefined: the one that is there is right. */
  readonly annotations: RestartPlan['annotations'] | undefined;
  /** Undefined: nothing has changed. */
  readonly restart: RestartPlan | undefined;
  /** Deletions that the template cannot show, because nothing in it is of the resource. */
  readonly unshown: number;
}

/**
 * Compares what a workload wants with its records: the variables and the annotation of its Pod template, and the
 * baseline on its metadata. One record that equals the content is enough; without any record of a resource, its
 * content is recorded and nothing restarts.
 */
export function planFor(input: PlanInput): Plan {
  const wanted = [...input.wanted].sort(byTypeAndName);
  const records = new Records(templateRecords(input.template), wanted, input);
  const verdicts = wanted.map((each) => ({ each, verdict: judge(each, records, input.options) }));
  const waiting = { ...unwatched(input), ...input.lists };
  for (const each of input.options.reloadOnDelete ? (input.ignored ?? []) : []) {
    if (records.knows(each)) waiting[refKey(each)] = IGNORED;
  }
  const restarting = { ...waiting };
  const changes: Change[] = [];
  for (const { each, verdict } of verdicts) {
    const key = refKey(each);
    if (verdict.entry !== undefined) waiting[key] = verdict.entry;
    const change = verdict.changed ? changeOf(each) : undefined;
    if (change !== undefined) changes.push(change);
    const after = verdict.changed ? (each.hash ?? '') : safeEntry(each, verdict.entry, records);
    if (after !== undefined) restarting[key] = after;
  }
  const unshown = verdicts.filter(({ verdict }) => verdict.unshown).length;
  const annotations = differing(waiting, input.baseline);
  if (changes.length === 0) return { annotations, restart: undefined, unshown };
  const restart: RestartPlan = {
    changes,
    variables: variablesFor(changes, records, input.options),
    templateAnnotations: templateAnnotationsFor(changes, records, input),
    annotations: differing(restarting, input.baseline) ?? {},
  };
  return { annotations, restart, unshown };
}

interface Verdict {
  readonly changed: boolean;
  /** The entry of the baseline while nothing restarts; undefined: none. */
  readonly entry: string | undefined;
  readonly unshown: boolean;
}

/** Decides for one resource; the first rule that applies wins. */
function judge(wanted: Wanted, records: Records, options: PlanOptions): Verdict {
  const entry = records.entryOf(wanted);
  const verdict = (changed: boolean, next = entry): Verdict => ({
    changed: changed && wanted.container !== undefined,
    entry: changed && wanted.container === undefined ? (wanted.hash ?? '') : next,
    unshown: false,
  });
  const { hash } = wanted;
  if (wanted.difference === 'keep' || (wanted.difference === 'record' && hash === undefined)) {
    return verdict(false, entry ?? (records.knows(wanted) ? undefined : hash));
  }
  if (hash === undefined) return judgeAbsent(wanted, records, options, verdict);
  if (records.shows(wanted, hash)) {
    // A stale entry is renewed: the original has acted in between. A shared variable shows too little.
    const isEnough = entry === undefined && !records.isShared(wanted);
    return verdict(false, isEnough ? undefined : hash);
  }
  if (wanted.difference === 'record' || records.isRecorded(wanted, hash)) {
    return verdict(false, hash);
  }
  if (entry === '' || (entry === undefined && records.showsDeletion(wanted))) {
    return options.reloadOnCreate ? verdict(true) : verdict(false, hash);
  }
  // What the template shows may be the hash of other keys: only an entry of these keys can differ.
  const isKnown = entry !== undefined || (wanted.keys === undefined && records.knows(wanted));
  if (isKnown) return verdict(true);
  const isCreation = options.reloadOnCreate && (options.syncAfterRestart || wanted.isNew === true);
  return isCreation ? verdict(true) : verdict(false, hash);
}

function judgeAbsent(
  wanted: Wanted,
  records: Records,
  { strategy, reloadOnCreate, reloadOnDelete }: PlanOptions,
  verdict: (changed: boolean, next?: string) => Verdict,
): Verdict {
  const entry = records.entryOf(wanted);
  const isRecorded = entry !== '' && (entry !== undefined || records.knows(wanted));
  if (!isRecorded) return verdict(false, reloadOnCreate && wanted.awaited !== true ? '' : entry);
  if (!reloadOnDelete) return verdict(false);
  if (records.showsDeletion(wanted)) return verdict(false, '');
  // As in the original: a variable that is not there cannot be removed, and no Pod starts anew.
  const isShown = strategy === 'annotations' || records.ownVariables(wanted).length > 0;
  return isShown ? verdict(true) : { ...verdict(false, ''), unshown: true };
}

function changeOf({ type, name, hash, container, rule, auto }: Wanted): Change | undefined {
  if (container === undefined) return undefined;
  const deleted = hash === undefined;
  return { type, name, hash: hash ?? DELETED_HASH, deleted, container, rule, auto };
}

/** A restart overwrites what other resources had as their only record: that goes to the baseline with it. */
function safeEntry(
  wanted: Wanted,
  entry: string | undefined,
  records: Records,
): string | undefined {
  const { hash } = wanted;
  if (hash === undefined || entry !== undefined) return entry;
  const stays = !records.isShared(wanted) && records.showsByVariable(wanted, hash);
  return stays ? undefined : hash;
}

/** Every variable of a changed resource gets its new hash: an old one would be taken for a record later. */
function variablesFor(
  changes: readonly Change[],
  records: Records,
  { strategy }: PlanOptions,
): readonly VariableChange[] {
  return changes.flatMap((change) => {
    const own = records.ownVariables(change);
    const value = change.deleted ? undefined : change.hash;
    const set = own.map(({ container, name }) => ({ container, name, value }));
    if (strategy === 'annotations' || change.deleted) return set;
    const { container } = change;
    const name = records.variableFor(change);
    const isSet = set.some((each) => each.container === container && each.name === name);
    return isSet ? set : [...set, { container, name, value }];
  });
}

function templateAnnotationsFor(
  changes: readonly Change[],
  records: Records,
  { options, namespace, nowMs }: PlanInput,
): RestartPlan['templateAnnotations'] {
  const last = changes.at(-1);
  if (options.strategy === 'annotations' && last !== undefined) {
    return { [LAST_RELOADED_FROM]: formatLastReloaded(last, namespace, last.container, nowMs) };
  }
  const isOverwritten = changes.some((change) => records.isLast(change));
  return isOverwritten ? { [LAST_RELOADED_FROM]: null } : {};
}

/** Entries that this process cannot judge, because it does not watch their type. */
function unwatched({ baseline, options }: PlanInput): Record<string, string> {
  const isWatched = (type: ResourceType | undefined): boolean =>
    type !== undefined && options.resourceTypes.has(type);
  const kept = Object.entries(baseline).filter(([key]) => !isWatched(refOfKey(key)?.type));
  return Object.fromEntries(kept);
}

function differing(next: Baseline, now: Baseline): RestartPlan['annotations'] | undefined {
  const text = formatBaseline(next);
  return text === formatBaseline(now) ? undefined : { [BASELINE]: text };
}

function byTypeAndName(a: Wanted, b: Wanted): number {
  if (a.type !== b.type) return a.type < b.type ? -1 : 1;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
