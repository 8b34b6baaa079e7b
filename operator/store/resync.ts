import type { Cancel, Clock } from '../core/clock.ts';
import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { type Change, Updated } from './change.ts';

/** Into how many parts a round is cut at most: 10 h of 100,000 objects are 100 every 36 s. */
const MAX_PARTS = 1_000;

/** A period is drawn anew for each round, so that processes that began together drift apart. */
const JITTER = 0.1;

interface ResyncOptions<T extends KubernetesObject> {
  readonly periodMs: number;
  readonly clock: Clock;
  /** Uniform numbers in [0, 1). */
  readonly random: () => number;
  /** What is cached at the moment of the call; undefined when nothing can be told. */
  readonly entries: () => Iterable<Entry<T>> | undefined;
  readonly get: (key: ObjectKey) => Entry<T> | undefined;
  readonly push: (changes: readonly Change<T>[]) => void;
}

/**
 * Tells one handler again of everything in the cache, once in each period ± 10 % and spread over it,
 * as updates with `resync: true`. Nothing is asked of the server: it is no relist, and finds nothing
 * that the watch has missed.
 */
export class Resync<T extends KubernetesObject> {
  readonly #options: ResyncOptions<T>;
  #cancel: Cancel = () => {};

  constructor(options: ResyncOptions<T>) {
    this.#options = options;
  }

  start(): void {
    this.stop();
    this.#round();
  }

  stop(): void {
    this.#cancel();
  }

  #round(): void {
    const { clock, entries, periodMs, random } = this.#options;
    const keys = Array.from(entries() ?? [], ({ key }) => key);
    const parts = Math.max(1, Math.min(keys.length, MAX_PARTS));
    const partMs = (periodMs * (1 - JITTER + 2 * JITTER * random())) / parts;
    const wait = (part: number): void => {
      this.#cancel = clock.schedule(partMs, () => {
        this.#tell(keys.slice(share(part), share(part + 1)));
        if (part + 1 < parts) wait(part + 1);
        else this.#round();
      });
    };
    const share = (part: number): number => Math.floor((keys.length * part) / parts);
    wait(0);
  }

  #tell(keys: readonly ObjectKey[]): void {
    const { get, entries, push } = this.#options;
    if (entries() === undefined) return;
    const changes: Change<T>[] = [];
    for (const key of keys) {
      const entry = get(key);
      if (entry !== undefined) changes.push(new Updated(entry, entry, { resync: true }));
    }
    push(changes);
  }
}
