import type { DesiredChild, Log, Resource } from 'chancery';
import type { AnswerPart } from './answer-part.ts';
import type { AnswerReader, KnownFields } from './answer-reader.ts';
import type { AnswerValue } from './answer-value.ts';
import { desiredObjects } from './desired-objects.ts';
import { type HookEvent, hookEvents } from './hook-events.ts';

/** The fields of a sync or finalize answer that both kinds of controllers use. */
export interface CommonAnswer {
  readonly children: readonly DesiredChild[];
  /** The new status. Null when the hook sets no status. */
  readonly status: Readonly<Record<string, unknown>> | null;
  readonly resyncAfterMs: number | undefined;
  /**
   * True when finalizing is complete. Never true in the answer of a sync hook, because only
   * finalize hooks decide on finalizers.
   */
  readonly finalized: boolean;
  readonly events: readonly HookEvent[];
}

export type CompositeAnswer = CommonAnswer;

export interface DecorationAnswer extends CommonAnswer {
  /** The labels to set. Null deletes a label. */
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

export interface SyncAnswerOptions {
  /** The declared types of children or attachments. */
  readonly types: readonly Resource[];
  /** If `delete`, an answer without the list of children deletes all children. */
  readonly emptyChildren: 'refuse' | 'delete';
  /** True when the field `events` of the answer is read. */
  readonly extensions: boolean;
  readonly finalizing: boolean;
}

const COMMON = ['status', 'resyncAfterSeconds', 'finalized'];
const EXTENSIONS = ['events'];

/**
 * The checked answer of a CompositeController's hook. Yields before a turn of the event loop
 * becomes long.
 *
 * @throws HookError `InvalidAnswer`
 */
export function* compositeAnswer(
  reader: AnswerReader,
  answer: AnswerValue,
  options: SyncAnswerOptions,
  log: Log,
): Generator<void, CompositeAnswer, undefined> {
  return yield* reader.read(answer, log, function* (whole, known) {
    known(whole, fieldNames(['children'], options));
    return yield* commonAnswer(whole, whole.member('children'), options, known);
  });
}

/**
 * The checked answer of a DecoratorController's hook. Yields before a turn of the event loop
 * becomes long.
 *
 * @throws HookError `InvalidAnswer`
 */
export function* decorationAnswer(
  reader: AnswerReader,
  answer: AnswerValue,
  options: SyncAnswerOptions,
  log: Log,
): Generator<void, DecorationAnswer, undefined> {
  return yield* reader.read(answer, log, function* (whole, known) {
    known(whole, fieldNames(['labels', 'annotations', 'attachments'], options));
    return {
      ...(yield* commonAnswer(whole, whole.member('attachments'), options, known)),
      labels: changes(whole.member('labels')),
      annotations: changes(whole.member('annotations')),
    };
  });
}

function fieldNames(
  own: readonly string[],
  { extensions }: SyncAnswerOptions,
): ReadonlySet<string> {
  return new Set([...own, ...COMMON, ...(extensions ? EXTENSIONS : [])]);
}

function* commonAnswer(
  whole: AnswerPart,
  list: AnswerPart,
  { types, emptyChildren, extensions, finalizing }: SyncAnswerOptions,
  known: KnownFields,
): Generator<void, CommonAnswer, undefined> {
  const status = whole.member('status');
  const finalized = whole.member('finalized').boolean() && finalizing;
  // The list may be missing when the parent is finalized, or when there are no types of children.
  const mayBeAbsent = emptyChildren === 'delete' || types.length === 0 || finalized;
  return {
    children: yield* desiredObjects(list, { types, mayBeAbsent }),
    status: status.isAbsent ? null : status.map(),
    resyncAfterMs: resyncAfterMs(whole.member('resyncAfterSeconds')),
    finalized,
    events: extensions ? hookEvents(whole.member('events'), known) : [],
  };
}

/**
 * The longest accepted time. A longer time is a mistake of the hook's author, such as milliseconds
 * or a date instead of seconds.
 */
const MAX_RESYNC_SECONDS = 366 * 86_400;

/**
 * Milliseconds until the next call. Zero means no resync, as in Metacontroller. A time of less than
 * one millisecond becomes one millisecond.
 */
function resyncAfterMs(part: AnswerPart): number | undefined {
  const seconds = part.number() ?? 0;
  if (seconds < 0) part.fail('is negative');
  if (seconds > MAX_RESYNC_SECONDS) part.fail('is more than a year');
  return seconds === 0 ? undefined : Math.max(1, Math.round(seconds * 1_000));
}

function changes(part: AnswerPart): Readonly<Record<string, string | null>> {
  if (part.isAbsent) return {};
  const entries = Object.keys(part.map()).map((name) => {
    const member = part.member(name);
    return [name, member.isAbsent ? null : member.string()] as const;
  });
  return Object.fromEntries(entries);
}
