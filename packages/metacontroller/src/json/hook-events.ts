import type { ReconcileContext } from 'chancery';
import type { AnswerPart } from './answer-part.ts';
import type { KnownFields } from './answer-reader.ts';

/** An Event about the parent, as a hook requests it. */
export interface HookEvent {
  readonly type: 'Normal' | 'Warning';
  /** The reason of the Event, in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** Maximum length of the reason of an Event. The API server refuses a longer reason or note. */
const MAX_REASON_CHARS = 128;
const MAX_MESSAGE_CHARS = 1_024;

/** Maximum number of Events in one answer. A hook that has more to report should write a log. */
const MAX_EVENTS = 10;

const FIELDS: ReadonlySet<string> = new Set(['type', 'reason', 'message']);

/**
 * The Events of an answer.
 *
 * @throws HookError `InvalidAnswer`
 */
export function hookEvents(list: AnswerPart, known: KnownFields): readonly HookEvent[] {
  if (list.isAbsent) return [];
  const items = list.items();
  if (items.length > MAX_EVENTS) list.fail(`has more than ${MAX_EVENTS} items`);
  return items.map((item) => {
    known(item, FIELDS);
    const type = item.member('type').optionalString() ?? 'Normal';
    if (type !== 'Normal' && type !== 'Warning') {
      return item.member('type').fail('must be Normal or Warning');
    }
    const reason = item.member('reason').filledString();
    if (!/^[A-Z][A-Za-z0-9]*$/.test(reason) || reason.length > MAX_REASON_CHARS) {
      item.member('reason').fail('must be CamelCase, with at most 128 characters');
    }
    const message = item.member('message').filledString();
    return { type, reason, message: message.slice(0, MAX_MESSAGE_CHARS).toWellFormed() };
  });
}

export function recordEvents(
  events: readonly HookEvent[],
  context: Pick<ReconcileContext, 'event'>,
): void {
  for (const { type, reason, message } of events) context.event(type, reason, message);
}
