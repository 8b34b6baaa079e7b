import { counted } from '../../../core/text/counted.ts';
import { durationWords } from '../../../core/text/duration-words.ts';
import type { BeginLine, HeldLine, OutcomeLine, QueuedLine, WakeLine } from '../../record-line.ts';
import type { Moment, ObjectHistories } from '../objects/object-histories.ts';
import type { RecordedSources } from '../objects/recorded-sources.ts';
import type { TimelineItem } from '../timeline-data.ts';
import type { GrowingItem, TimelineItems } from './timeline-items.ts';

interface Collected {
  readonly items: TimelineItems;
  readonly histories: ObjectHistories;
  readonly sources: RecordedSources;
}

interface KeyLine {
  readonly controller: string;
  readonly key: string;
  readonly at: number;
}

const FAILURES: ReadonlySet<OutcomeLine['result']> = new Set([
  'error',
  'conflict',
  'terminal',
  'panic',
]);

const RESULT_WORDS: Readonly<Record<OutcomeLine['result'], string>> = {
  success: 'succeeded',
  requeue_after: 'succeeded',
  requeue: 'asked to be tried again',
  error: 'failed',
  conflict: 'failed by a conflict',
  terminal: 'failed for good',
  panic: 'failed because of a bug',
  aborted: 'was aborted',
};

/**
 * The items in the rows of keys. They tell why a key was enqueued, how long and for what it waited, and how
 * each attempt ended.
 */
export class ReconcileItems {
  readonly #collected: Collected;
  /** Attempts that have no outcome yet, by their id. */
  readonly #running = new Map<number, GrowingItem>();
  /** For each row, the wait that has not ended yet. */
  readonly #waits = new Map<number, GrowingItem>();
  /** For each row, the state of the object that the last attempt read. */
  readonly #seen = new Map<number, number | undefined>();

  constructor(collected: Collected) {
    this.#collected = collected;
  }

  queued(line: QueuedLine): void {
    const { state, dueInMs, failures, priority } = line;
    if (state === 'working') return; // its carried `begin` has more facts
    const due = dueInMs === undefined ? '' : `, due in ${durationWords(dueInMs)}`;
    this.#add(line, {
      kind: 'wake',
      summary: `in the queue when the record began: ${state}${due}`,
      facts: [
        ['Failures in a row', `${failures}`],
        ['Priority', `${priority}`],
      ],
      ...this.#moment(line),
    });
  }

  wake(line: WakeLine): void {
    const { cause, via, priority } = line;
    const { histories } = this.#collected;
    const object = histories.find(cause);
    this.#add(line, {
      kind: 'wake',
      summary: `woken by ${cause}${via === undefined ? '' : ` (${via})`}`,
      ...(priority !== undefined && { facts: [['Priority', `${priority}`]] }),
      ...(object === undefined ? this.#moment(line) : histories.now(object)),
    });
  }

  begin(line: BeginLine): void {
    const { at, id, attempt, waitedMs } = line;
    const moment = this.#moment(line);
    const { before: _, ...now } = moment;
    const row = this.#rowOf(line);
    this.#endWait(row, at);
    const before = this.#seen.get(row);
    this.#seen.set(row, moment.version);
    const item = this.#add(line, {
      kind: 'reconcile',
      summary: 'reconcile',
      attempt: id,
      waitedMs,
      ...(attempt > 0 && { facts: [['Attempt', `after ${counted(attempt, 'failure')} in a row`]] }),
      ...now,
      ...(before !== undefined && { before }),
    });
    this.#running.set(id, item);
  }

  outcome(line: OutcomeLine, from: number): void {
    const { at, id, result, requeueAfterMs, error } = line;
    const item =
      this.#running.get(id) ??
      this.#add({ ...line, at: from }, { kind: 'reconcile', summary: '', attempt: id });
    this.#running.delete(id);
    const took = durationWords(at - item.at);
    const again = requeueAfterMs === undefined ? '' : `, again in ${durationWords(requeueAfterMs)}`;
    const why = error === undefined ? '' : `: ${error.message}`;
    item.to = at;
    item.summary = `reconcile ${RESULT_WORDS[result] ?? result} after ${took}${again}${why}`;
    item.tone = toneOf(result);
    if (FAILURES.has(result)) item.failed = true;
    if (error !== undefined) {
      item.facts = [['Error', `${error.code}: ${error.message}`], ...(item.facts ?? [])];
    }
  }

  held(line: HeldLine): void {
    const { at, policy, forMs } = line;
    const row = this.#rowOf(line);
    this.#endWait(row, at);
    const time = forMs === undefined ? 'until it lets the key go' : `for ${durationWords(forMs)}`;
    const item = this.#add(line, {
      kind: 'held',
      summary: `held back by ${policy} ${time}`,
      ...(forMs !== undefined && { to: at + forMs }),
      ...this.#moment(line),
    });
    this.#waits.set(row, item);
  }

  /** Handles the end of the record. Everything that has not ended becomes an open item. */
  finish(to: number): void {
    for (const item of this.#running.values()) {
      const words = durationWords(Math.max(0, to - item.at));
      item.to = Math.max(to, item.at);
      item.open = true;
      item.summary = `reconcile had not ended after ${words}`;
    }
    for (const item of this.#waits.values()) {
      if (item.to !== undefined && item.to <= to) continue;
      item.to = Math.max(to, item.at);
      item.open = true;
    }
  }

  #endWait(row: number, at: number): void {
    const wait = this.#waits.get(row);
    if (wait === undefined) return;
    this.#waits.delete(row);
    if (wait.to === undefined || wait.to > at) wait.to = at;
  }

  #rowOf({ controller, key }: KeyLine): number {
    return this.#collected.items.key(controller, key);
  }

  #add(line: KeyLine, item: Omit<TimelineItem, 'row' | 'at'>): GrowingItem {
    return this.#collected.items.add({ ...item, row: this.#rowOf(line), at: line.at });
  }

  /** The object of a key, in the state that the operator knows now. */
  #moment({ controller, key }: KeyLine): Moment {
    const { histories, sources } = this.#collected;
    return histories.now(histories.refer(sources.nameOf(controller, key)));
  }
}

function toneOf(result: OutcomeLine['result']): NonNullable<TimelineItem['tone']> {
  if (FAILURES.has(result)) return 'bad';
  if (result === 'requeue') return 'waiting';
  return result === 'aborted' ? 'off' : 'good';
}
