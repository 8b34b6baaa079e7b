import type { KubernetesObject } from '../../model/object.ts';
import type { Difference } from './difference.ts';
import { idOf } from './recorded/replayed-watches.ts';
import type { ReplayedAttempt } from './replayed-attempt.ts';

/**
 * Maximum number of differences that are kept. Later differences usually result from the first differences.
 */
const MOST_KEPT = 20;

/**
 * The differences between the replay and the record, and the keys and objects that the record no longer
 * describes correctly.
 */
export class Departures {
  readonly differences: Difference[] = [];
  /** Paths in bodies whose values may come from Secrets. They are not compared. */
  readonly fromSecrets: Set<string> = new Set();
  readonly #continues: boolean;
  readonly #keyLeft: (controller: string, key: string) => void;
  readonly #key: string | undefined;
  /** The keys that are no longer compared, each together with its controller. */
  readonly #keys = new Set<string>();
  readonly #objects = new Set<string>();
  #total = 0;

  /**
   * @param continues - false when the replay ends with the first difference.
   * @param keyLeft - called once for each key that differs from the record.
   * @param key - only differences of this key count. If undefined, the differences of all keys count.
   */
  constructor(
    continues: boolean,
    keyLeft: (controller: string, key: string) => void,
    key?: string,
  ) {
    this.#continues = continues;
    this.#keyLeft = keyLeft;
    this.#key = key;
  }

  get total(): number {
    return this.#total;
  }

  /** True when the replay must not continue. */
  get isOver(): boolean {
    return this.#total > 0 && !this.#continues;
  }

  /**
   * Adds a difference between replay and record. Only the first difference of a key counts, because later
   * differences result from it.
   */
  add(difference: Difference, attempt?: ReplayedAttempt): void {
    if (attempt !== undefined) attempt.hasLeft = true;
    const id = `${difference.controller} ${difference.key}`;
    if (this.isOver || this.#keys.has(id)) return;
    this.#keys.add(id);
    this.#keyLeft(difference.controller, difference.key);
    if (this.#key !== undefined && this.#key !== difference.key) return;
    this.#total++;
    if (this.differences.length < MOST_KEPT) this.differences.push(difference);
  }

  hasKeyLeft(controller: string, key: string): boolean {
    return this.#keys.has(`${controller} ${key}`);
  }

  /** Call this when the record no longer describes an object correctly. */
  leaveObject(id: string): void {
    this.#objects.add(id);
  }

  hasObjectLeft(collection: string, object: KubernetesObject): boolean {
    return this.#objects.size > 0 && this.#objects.has(idOf(collection, object));
  }

  hasIdLeft(id: string): boolean {
    return this.#objects.has(id);
  }
}
