import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transport, TransportRequest, TransportResponse } from '../../transport/transport.ts';
import { bodyDifferences } from './body-differences.ts';
import type { Departures } from './departures.ts';
import { type Difference, shownRequest } from './difference.ts';
import type { FirstLists } from './recorded/first-lists.ts';
import type { RecordedExchange, RecordedRun, ReplyLine } from './recorded/recorded-run.ts';
import { ReplayedExchange } from './recorded/replayed-exchange.ts';
import type { ReplayedWatches } from './recorded/replayed-watches.ts';
import { objectIdOf, type RequestTarget, requestTarget } from './recorded/request-target.ts';
import { isOfEvents, isWrite, type ReplayedAttempt } from './replayed-attempt.ts';
import type { Unrecorded } from './unrecorded.ts';

interface ReplayTransportOptions {
  readonly run: RecordedRun;
  readonly watches: ReplayedWatches;
  readonly lists: FirstLists;
  readonly departures: Departures;
  readonly unrecorded: Unrecorded;
  readonly now: () => number;
  /** Called for each recorded write that the replay makes as well. */
  readonly repeated: () => void;
  /** Called for each write of an attempt. */
  readonly wrote: (key: string, request: TransportRequest) => void;
  /**
   * Called for an attempt that had begun before the record and that differs from it. Its requests are no
   * longer answered.
   */
  readonly abandoned: (attempt: ReplayedAttempt) => void;
}

/** Answers the requests of a replayed operator with the recorded answers, at the recorded times. */
export class ReplayTransport implements Transport {
  /** The attempt to which the running code belongs. */
  readonly attempts: AsyncLocalStorage<ReplayedAttempt> = new AsyncLocalStorage();
  readonly #options: ReplayTransportOptions;
  /** Recorded requests that do not belong to an attempt, in order, keyed by method and path. */
  readonly #others = new Map<string, RecordedExchange[]>();
  /** The lines of the recorded replies until now. */
  readonly #passed = new Map<RecordedExchange, ReplyLine[]>();
  readonly #open = new Map<RecordedExchange, ReplayedExchange>();

  constructor(options: ReplayTransportOptions) {
    this.#options = options;
    for (const exchange of options.run.exchanges.values()) {
      const { by, purpose, method, path } = exchange.request;
      if (by !== undefined || purpose !== 'call') continue;
      const id = looseId(method, path);
      const known = this.#others.get(id);
      if (known === undefined) this.#others.set(id, [exchange]);
      else known.push(exchange);
    }
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.beforeSend?.();
    const target = requestTarget(request.path);
    const { watches, unrecorded } = this.#options;
    if (request.purpose === 'watch' && target !== undefined) {
      return watches.open(request, target).response;
    }
    const exchange = new ReplayedExchange(request);
    const attempt = this.attempts.getStore();
    const isTaken =
      (attempt !== undefined && this.#takeOfAttempt(exchange, target, attempt)) ||
      this.#takeList(exchange, target) ||
      this.#takeOther(exchange);
    if (!isTaken) unrecorded.answer(exchange, target);
    return exchange.response;
  }

  async close(): Promise<void> {}

  /** True for a recorded request that the replay has made as well. */
  hasMade(recorded: RecordedExchange): boolean {
    return this.#open.has(recorded);
  }

  /** Handles a line of the record: passes the reply to the corresponding request of the replay. */
  replay(recorded: RecordedExchange, line: ReplyLine): void {
    if (this.#options.watches.replay(recorded, line)) return;
    const passed = this.#passed.get(recorded);
    if (passed === undefined) this.#passed.set(recorded, [line]);
    else passed.push(line);
    this.#open.get(recorded)?.replay(line);
  }

  #attach(recorded: RecordedExchange, exchange: ReplayedExchange): void {
    this.#open.set(recorded, exchange);
    for (const line of this.#passed.get(recorded) ?? []) exchange.replay(line);
  }

  #takeList(exchange: ReplayedExchange, target: RequestTarget | undefined): boolean {
    const { request } = exchange;
    if (request.method !== 'GET' || target === undefined || target.name !== undefined) return false;
    const list = this.#options.lists.take(request, target);
    if (list !== undefined) exchange.answer(200, list);
    return list !== undefined;
  }

  /**
   * Handles a request that does not belong to an attempt. It gets the reply of the next recorded request with
   * the same method and path.
   */
  #takeOther(exchange: ReplayedExchange): boolean {
    const { method, path } = exchange.request;
    const next = this.#others.get(looseId(method, path))?.shift();
    if (next !== undefined) this.#attach(next, exchange);
    return next !== undefined;
  }

  /**
   * Handles a request from the code of an attempt. Returns false for a read after the end of the attempt that
   * the record does not contain. For example, a source that the attempt has opened continues to read after
   * its end.
   */
  #takeOfAttempt(
    exchange: ReplayedExchange,
    target: RequestTarget | undefined,
    attempt: ReplayedAttempt,
  ): boolean {
    const { departures, unrecorded } = this.#options;
    const { request } = exchange;
    if (attempt.isAbandoned) return true;
    const isOff = target !== undefined && departures.hasIdLeft(objectIdOf(target));
    const found = attempt.hasLeft || isOff ? undefined : attempt.find(request);
    if (attempt.hasEnded && found?.kind !== 'recorded' && !isWrite(request)) return false;
    if (isWrite(request)) this.#options.wrote(attempt.key, request);
    if (found?.kind === 'recorded') {
      for (const path of found.body.fromSecrets) departures.fromSecrets.add(path);
      this.#attach(found.exchange, exchange);
      if (isWrite(request)) this.#options.repeated();
      return true;
    }
    const { recorded } = attempt;
    const isCompared = found !== undefined && recorded !== undefined;
    const changes = isWrite(request) && !unrecorded.isWithoutEffect(request, target);
    if (changes && isCompared && attempt.isCarried) {
      this.#options.abandoned(attempt);
      return true;
    }
    if (changes && isCompared) {
      const difference = writeDifference(this.#options.now(), attempt, request, found.instead);
      departures.add(difference, attempt);
    }
    if (!departures.isOver) unrecorded.answer(exchange, target);
    return true;
  }
}

/**
 * The key by which requests that do not belong to an attempt are matched. It does not contain the query,
 * which may depend on random numbers or on the time.
 */
function looseId(method: string, path: string): string {
  const target = requestTarget(path);
  const [pathname] = path.split('?');
  return `${method} ${target !== undefined && isOfEvents(target) ? target.collection : pathname}`;
}

function writeDifference(
  at: number,
  attempt: ReplayedAttempt,
  request: Pick<TransportRequest, 'method' | 'path' | 'body'>,
  instead: RecordedExchange | undefined,
): Difference {
  const { controller, key, recorded } = attempt;
  return {
    ...{ at, controller, key, attempt: recorded?.number, kind: 'write' },
    recorded:
      instead === undefined ? 'no more writes in this attempt' : shownRequest(instead.request),
    now: shownRequest(request),
    details: instead === undefined ? [] : howBodiesDiffer(instead, request),
  };
}

/**
 * Describes how the queries and bodies of two requests differ. Empty if the requests are about different
 * objects.
 */
function howBodiesDiffer(
  { request }: RecordedExchange,
  now: Pick<TransportRequest, 'method' | 'path' | 'body'>,
): readonly string[] {
  const isSameObject = looseId(request.method, request.path) === looseId(now.method, now.path);
  if (!isSameObject) return [];
  const [before = '', after = ''] = [request.path, now.path].map((path) => path.split('?')[1]);
  const { texts } = bodyDifferences(request.body, now.body, false);
  return before === after ? texts : [`the query was ${before}, and is ${after}`, ...texts];
}
