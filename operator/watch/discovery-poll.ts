import { abortable, linkedAbort } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { Discovery } from './list-watch.ts';

/**
 * How long and how often a group and version are polled after one of their definitions was established, in
 * milliseconds. If several API servers are behind a load balancer, some of them may learn of the definition a
 * few seconds later. For this reason, apiextensions-apiserver waits five seconds before it reports a
 * definition as established.
 */
const EXPECTED = { forMs: 5_000, everyMs: 250 } as const;

/**
 * The result of one poll. `gone`: the resource is not served, and its CustomResourceDefinition no longer
 * exists. `unknown`: discovery did not answer or is forbidden, so the resource must be listed to find out.
 */
type PollResult = 'served' | 'absent' | 'gone' | 'unknown';

interface UntilServedOptions {
  /**
   * Returns the milliseconds to wait before the next request. Called before each request. A source that joins
   * a request of other sources waits as long as they do.
   */
  readonly delayMs: () => number;
  /**
   * Returns true if the poll must also check whether the CustomResourceDefinition exists. Called before each
   * request.
   */
  readonly clears: () => boolean;
  /** Called when the definition is gone. */
  readonly gone: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Finds out by discovery which resources are served, for all sources that share this poll. Sources that wait
 * at the same time for resources of the same client, group and version share one request.
 *
 * The owner of the sources creates one poll for all of them. While no source waits, the poll has no timer and
 * sends no request.
 */
export class DiscoveryPoll {
  readonly #clock: Clock;
  /** Requests that a source can join: at most one for each client, group and version. */
  readonly #requests = new Set<SharedRequest>();
  /**
   * For each group and version that is expected to be served soon, the time on `clock.monotonic()` until
   * which it is polled often.
   */
  readonly #expectedUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when it is time to list a resource that was not served: either discovery contains it, or
   * discovery does not answer.
   *
   * @throws `signal.reason` when `signal` aborts before that. If no other source waits for the request, it is
   *   then aborted, or not sent at all.
   */
  async untilServed(
    discovery: Discovery,
    { delayMs, clears, gone, signal }: UntilServedOptions,
  ): Promise<void> {
    for (;;) {
      const confirmsGone = clears();
      const result = await this.#poll(discovery, delayMs(), confirmsGone, signal);
      if (result === 'served' || result === 'unknown') return;
      if (result === 'gone') await gone();
    }
  }

  /**
   * Call this when a definition in `groupVersion` was established. Sources that wait for one of its resources
   * poll at once, and every 250 ms for the next 5 s. Sources that begin to wait in that time do the same.
   */
  expectServed(groupVersion: string): void {
    const now = this.#clock.monotonic();
    for (const [each, untilAt] of this.#expectedUntil) {
      if (untilAt <= now) this.#expectedUntil.delete(each);
    }
    this.#expectedUntil.set(groupVersion, now + EXPECTED.forMs);
    for (const request of this.#requests) {
      if (request.groupVersion === groupVersion) request.hurry();
    }
  }

  async #poll(
    discovery: Discovery,
    delayMs: number,
    confirmsGone: boolean,
    signal: AbortSignal,
  ): Promise<PollResult> {
    signal.throwIfAborted();
    const request = this.#known(discovery) ?? this.#begin(discovery, delayMs);
    request.join();
    try {
      const served = await abortable(request.served, signal);
      if (served === undefined) return 'unknown';
      discovery.onAnswer?.();
      if (served.includes(discovery.plural)) return 'served';
      if (!confirmsGone) return 'absent';
      return (await abortable(request.isGone(discovery), signal)) ? 'gone' : 'absent';
    } finally {
      await request.leave();
    }
  }

  #known({ client, groupVersion }: Discovery): SharedRequest | undefined {
    for (const request of this.#requests) {
      if (request.client === client && request.groupVersion === groupVersion) return request;
    }
    return undefined;
  }

  #begin(discovery: Discovery, delayMs: number): SharedRequest {
    const request = new SharedRequest(discovery, () => this.#requests.delete(request));
    this.#requests.add(request);
    const expectedUntil = this.#expectedUntil.get(discovery.groupVersion);
    const isExpected = expectedUntil !== undefined && this.#clock.monotonic() < expectedUntil;
    request.begin(this.#clock, isExpected ? Math.min(delayMs, EXPECTED.everyMs) : delayMs);
    return request;
  }
}

/** One request to discovery. It begins with a wait, and ends when every source has the answer. */
class SharedRequest {
  /** The plural names that the server lists; undefined if it did not answer. Never rejects. */
  served: Promise<readonly string[] | undefined> = Promise.resolve(undefined);
  readonly client: object;
  readonly groupVersion: string;
  readonly #discovery: Discovery;
  /** Called as soon as no further source can join this request. */
  readonly #closed: () => void;
  readonly #stop = new AbortController();
  /** The wait before the request. */
  readonly #wait = linkedAbort(this.#stop.signal);
  /** For each plural, the promise that tells whether the definition is gone. */
  readonly #gone = new Map<string, Promise<boolean>>();
  #sources = 0;

  constructor(discovery: Discovery, closed: () => void) {
    this.client = discovery.client;
    this.groupVersion = discovery.groupVersion;
    this.#discovery = discovery;
    this.#closed = closed;
  }

  /** Sends the request after `delayMs`, or at once when `hurry` is called. */
  begin(clock: Clock, delayMs: number): void {
    this.served = this.#send(clock, delayMs);
  }

  /** Ends the wait before the request. */
  hurry(): void {
    this.#wait.abort();
  }

  join(): void {
    this.#sources++;
  }

  /** When the last source leaves, aborts the remaining work and waits for its end. */
  async leave(): Promise<void> {
    this.#sources--;
    if (this.#sources > 0) return;
    this.#closed();
    this.#stop.abort(new Error('no source waits for the resource any more'));
    await Promise.allSettled([this.served, ...this.#gone.values()]);
  }

  /**
   * Resolves to true if the definition is gone. Sends only one request per resource, however many sources
   * wait for it.
   */
  isGone(discovery: Discovery): Promise<boolean> {
    const { plural } = discovery;
    const asked = this.#gone.get(plural) ?? discovery.isDefinitionGone(this.#stop.signal);
    this.#gone.set(plural, asked);
    return asked;
  }

  async #send(clock: Clock, delayMs: number): Promise<readonly string[] | undefined> {
    const { signal } = this.#stop;
    try {
      await sleep(clock, delayMs, this.#wait.signal).catch(() => signal.throwIfAborted());
      return await this.#discovery.served(signal);
    } catch {
      return undefined; // the source gets the same failure when it lists, and reports it
    } finally {
      this.#closed();
    }
  }
}
