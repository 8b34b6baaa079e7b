import { type Clock, sleep } from '../core/clock.ts';
import type { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { DiscoveryPoll } from './discovery-poll.ts';
import type { ListWatch } from './list-watch.ts';
import type { OnUnserved } from './reflector-options.ts';
import type { ResumePoint } from './resume-point.ts';

interface UnservedOptions {
  readonly source: Pick<ListWatch<KubernetesObject>, 'discovery'>;
  readonly discoveryPoll: DiscoveryPoll;
  readonly onUnserved: OnUnserved;
  readonly resumePoint: ResumePoint;
  readonly clock: Clock;
  /** Empties the sink. `resourceVersion` is the version of the resume point, which does not change. */
  readonly clear: (resourceVersion: string) => Promise<void>;
}

/**
 * Waits until the server serves a resource that it does not serve now. With `onUnserved: 'clear'` it empties
 * the sink once the definition of the resource is gone, provided that the sink had a list.
 */
export class Unserved {
  readonly #options: UnservedOptions;
  /** True if the sink was emptied and has received no list since. */
  #cleared = false;

  constructor(options: UnservedOptions) {
    this.#options = options;
  }

  /** Call this when a list is in the sink. */
  listed(): void {
    this.#cleared = false;
  }

  /**
   * Resolves when it is time to list the resource again, because discovery contains it or does not answer. A
   * source without discovery waits `firstMs`.
   *
   * @param firstMs - milliseconds to the first discovery request.
   * @param nextMs - milliseconds between two requests.
   * @throws `signal.reason` when `signal` aborts before that.
   */
  async wait(firstMs: number, nextMs: () => number, signal: AbortSignal): Promise<void> {
    const { source, discoveryPoll, clock } = this.#options;
    const { discovery } = source;
    if (discovery === undefined) {
      if (firstMs > 0) await sleep(clock, firstMs, signal);
      return;
    }
    let isFirst = true;
    const delayMs = (): number => {
      if (!isFirst) return nextMs();
      isFirst = false;
      return firstMs;
    };
    const clears = (): boolean => this.#clearableVersion() !== undefined;
    const gone = (): Promise<void> => this.#clear();
    await discoveryPoll.untilServed(discovery, { delayMs, clears, gone, signal });
  }

  async #clear(): Promise<void> {
    const resourceVersion = this.#clearableVersion();
    if (resourceVersion === undefined) return;
    this.#cleared = true;
    await this.#options.clear(resourceVersion);
  }

  /** The resourceVersion of a sink that may be emptied; undefined when the sink must not be emptied. */
  #clearableVersion(): string | undefined {
    const { onUnserved, resumePoint } = this.#options;
    return onUnserved === 'clear' && !this.#cleared ? resumePoint.resourceVersion : undefined;
  }
}

/**
 * Handles an entry of the sink that is not valid JSON. This is noticed only when the object is read, which
 * may happen at any time. The open watch then ends, and the next list reads the object again. If no watch is
 * open, the next watch ends as soon as it begins.
 */
export class Unreadable {
  /** Ends the open watch; undefined while none is open. */
  #end: ((error: ProtocolError) => void) | undefined;
  /** An error that was reported while no watch was open. */
  #found: ProtocolError | undefined;

  /** Call this when an entry cannot be parsed. */
  found(error: ProtocolError): void {
    if (this.#end === undefined) this.#found = error;
    else this.#end(error);
  }

  /**
   * Call this when a list begins. The list reads the object again, so an earlier error needs no further
   * action.
   */
  listing(): void {
    this.#found = undefined;
  }

  /**
   * Call this when a watch that feeds the sink is open. `end` is called at once if there was an earlier
   * error.
   */
  watching(end: (error: ProtocolError) => void): void {
    this.#end = end;
    if (this.#found !== undefined) end(this.#found);
    this.#found = undefined;
  }

  notWatching(): void {
    this.#end = undefined;
  }
}
