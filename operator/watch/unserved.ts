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
  /** Empties the sink. `resourceVersion` is that of the resume point, which stays. */
  readonly clear: (resourceVersion: string) => Promise<void>;
}

/**
 * A resource that the server does not serve: waits until it is served. With `onUnserved: 'clear'` it
 * empties a sink that had a list, once, when the definition of the resource is gone.
 */
export class Unserved {
  readonly #options: UnservedOptions;
  /** The sink was emptied, and has had no list since. */
  #cleared = false;

  constructor(options: UnservedOptions) {
    this.#options = options;
  }

  /** A list is in the sink. */
  listed(): void {
    this.#cleared = false;
  }

  /**
   * Resolves when it is time to list the resource again: when discovery lists it, or cannot tell. A
   * source without discovery waits `firstMs`.
   *
   * @param firstMs - milliseconds to the first request of discovery.
   * @param nextMs - milliseconds from one request to the next.
   * @throws `signal.reason` when aborted first.
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

  /** How far a sink is that may be emptied; undefined when there is nothing to empty. */
  #clearableVersion(): string | undefined {
    const { onUnserved, resumePoint } = this.#options;
    return onUnserved === 'clear' && !this.#cleared ? resumePoint.resourceVersion : undefined;
  }
}

/**
 * An entry of the sink that turned out to be no JSON. That is found when somebody asks for its object,
 * which may be at any time. The open watch ends for it, and the list that follows brings the object
 * anew. If no watch is open, the next one ends as soon as it begins.
 */
export class Unreadable {
  /** Ends the open watch; undefined while none is open. */
  #end: ((error: ProtocolError) => void) | undefined;
  /** Found while no watch was open. */
  #found: ProtocolError | undefined;

  /** An entry cannot be parsed. */
  found(error: ProtocolError): void {
    if (this.#end === undefined) this.#found = error;
    else this.#end(error);
  }

  /** A list begins that will show the object anew: what was found before it leaves nothing to do. */
  listing(): void {
    this.#found = undefined;
  }

  /** A watch that feeds the sink is open. `end` is called at once for what was found before. */
  watching(end: (error: ProtocolError) => void): void {
    this.#end = end;
    if (this.#found !== undefined) end(this.#found);
    this.#found = undefined;
  }

  notWatching(): void {
    this.#end = undefined;
  }
}
