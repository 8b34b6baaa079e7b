import { ConfigurationError } from '../../../core/errors.ts';
import type { FlightRecord } from '../../read-record.ts';
import type {
  AnswerLine,
  BeginLine,
  CachedLine,
  ChunkLine,
  EndedLine,
  HeaderLine,
  OutcomeLine,
  QueuedLine,
  RecordLine,
  RequestLine,
  StateLine,
} from '../../record-line.ts';

/** One line of the reply to a request. */
export type ReplyLine = AnswerLine | ChunkLine | EndedLine;

/** A recorded request, with its complete reply. */
export interface RecordedExchange {
  readonly request: RequestLine;
  /** The lines of the reply, in the order of the record. */
  readonly reply: ReplyLine[];
}

/** The part of the answer's body that has arrived. */
export function answeredText({ reply }: RecordedExchange): string {
  return reply.map((line) => (line.kind === 'chunk' ? line.text : '')).join('');
}

/** A recorded reconcile attempt. */
export interface RecordedAttempt {
  readonly begin: BeginLine;
  /** The number of this attempt among all attempts for its key in the record, counted from 1. */
  readonly number: number;
  /** The requests of the attempt, in the order in which they were made. */
  readonly exchanges: RecordedExchange[];
  /**
   * Requests that this attempt's code sent after the attempt had ended, because the code did not await them.
   */
  readonly late: RecordedExchange[];
  /** Undefined when the record ends before the attempt does. */
  outcome?: OutcomeLine;
}

/**
 * A record in the order in which a replay needs it: first the state at its beginning, then the events after
 * that.
 */
export interface RecordedRun {
  readonly header: HeaderLine;
  readonly state: StateLine;
  readonly cached: readonly CachedLine[];
  readonly queued: readonly QueuedLine[];
  /** Wall time at the beginning of the record, in milliseconds since 1970. */
  readonly wall: number;
  /**
   * The events after the state, in order. The states of later segments are omitted, because they contain
   * nothing new.
   */
  readonly lines: readonly RecordLine[];
  readonly exchanges: ReadonlyMap<number, RecordedExchange>;
  readonly attempts: ReadonlyMap<number, RecordedAttempt>;
}

/**
 * Orders the lines of a record.
 *
 * @throws ConfigurationError `CONFIG` when the record does not begin with a state, or comes from a process
 *   that shared its work with other replicas.
 */
export function recordedRun({ header, lines }: FlightRecord): RecordedRun {
  const [first] = lines;
  if (first?.kind !== 'state') {
    throw new ConfigurationError(
      'the record cannot be replayed: it does not begin with the state of the caches and the queue',
    );
  }
  if (header.settings.CHANCERY_SHARDS !== undefined) {
    throw new ConfigurationError(
      'the record cannot be replayed: the process shared its work with other replicas (CHANCERY_SHARDS)',
    );
  }
  const orderer = new Orderer(header, first);
  for (const line of lines.slice(1)) orderer.add(line);
  return orderer.run();
}

/**
 * Milliseconds that the replayed process may take to reach the state that the recorded process had when the
 * record began.
 */
const START_MS = 60_000;

/**
 * The time at which the replay begins if the process was already working when the record began. This time is
 * before all recorded attempts.
 */
export function startOf({ state, attempts }: RecordedRun): number {
  const carried = [...attempts.values()].filter(({ begin }) => begin.carried === true);
  return Math.min(state.at, ...carried.map(({ begin }) => begin.at)) - START_MS;
}

/** The number of lines at the beginning that are about work which had begun before the record. */
export function carriedCount({ lines }: Pick<RecordedRun, 'lines'>): number {
  const begun = lines.findIndex((line) => !('carried' in line && line.carried === true));
  return begun < 0 ? lines.length : begun;
}

/** The requests by which unfinished attempts had created objects before the record began. */
export function carriedCreations({ attempts, state }: RecordedRun): readonly RecordedExchange[] {
  return [...attempts.values()]
    .filter(({ begin }) => begin.carried === true && begin.incomplete !== true)
    .flatMap(({ exchanges }) => exchanges)
    .filter(({ request: { method, at } }) => method === 'POST' && at < state.at);
}

class Orderer {
  readonly #header: HeaderLine;
  readonly #state: StateLine;
  readonly #cached: CachedLine[] = [];
  readonly #queued: QueuedLine[] = [];
  readonly #lines: RecordLine[] = [];
  readonly #exchanges = new Map<number, RecordedExchange>();
  readonly #attempts = new Map<number, RecordedAttempt>();
  readonly #counts = new Map<string, number>();
  #isFirstSegment = true;
  #wall: number | undefined;

  constructor(header: HeaderLine, state: StateLine) {
    this.#header = header;
    this.#state = state;
  }

  add(line: RecordLine): void {
    if (line.kind === 'state') this.#isFirstSegment = false;
    else if (line.kind === 'cached') {
      if (this.#isFirstSegment) this.#cached.push(line);
    } else if (line.kind === 'queued') {
      if (this.#isFirstSegment) this.#queued.push(line);
    } else if (line.kind === 'clock' && this.#wall === undefined) {
      this.#wall = line.wall - (line.at - this.#state.at);
    } else this.#happened(line);
  }

  run(): RecordedRun {
    const began = Date.parse(this.#header.began);
    return {
      header: this.#header,
      state: this.#state,
      cached: this.#cached,
      queued: this.#queued,
      wall: this.#wall ?? began + this.#state.at,
      lines: this.#lines,
      exchanges: this.#exchanges,
      attempts: this.#attempts,
    };
  }

  #happened(line: RecordLine): void {
    this.#lines.push(line);
    if (line.kind === 'request') this.#requested(line);
    else if (line.kind === 'answer' || line.kind === 'chunk' || line.kind === 'ended') {
      this.#exchanges.get(line.id)?.reply.push(line);
    } else if (line.kind === 'begin') {
      const id = `${line.controller} ${line.key}`;
      const number = (this.#counts.get(id) ?? 0) + 1;
      this.#counts.set(id, number);
      this.#attempts.set(line.id, { begin: line, number, exchanges: [], late: [] });
    } else if (line.kind === 'outcome') {
      const attempt = this.#attempts.get(line.id);
      if (attempt !== undefined) attempt.outcome = line;
    }
  }

  #requested(request: RequestLine): void {
    const exchange: RecordedExchange = { request, reply: [] };
    this.#exchanges.set(request.id, exchange);
    if (request.by === undefined) return;
    const attempt = this.#attempts.get(request.by.id);
    if (attempt?.outcome === undefined) attempt?.exchanges.push(exchange);
    else attempt.late.push(exchange);
  }
}
