import type { KubernetesObject } from '../../model/object.ts';
import type { Difference } from './difference.ts';
import { idOf } from './recorded/replayed-watches.ts';
import type { ReplayedAttempt } from './replayed-attempt.ts';

/** More differences follow from the first ones. */
const MOST_KEPT = 20;

/** Where the replay has left the record, and what is no longer as the record says. */
export class Departures {
  readonly differences: Difference[] = [];
  /** Values that may come from Secrets, and are not compared: paths in bodies. */
  readonly fromSecrets: Set<string> = new Set();
  readonly #goesOn: boolean;
  readonly #keyLeft: (controller: string, key: string) => void;
  readonly #key: string | undefined;
  /** Keys of controllers that are not compared any more. */
  readonly #keys = new Set<string>();
  readonly #objects = new Set<string>();
  #total = 0;

  /**
   * @param goesOn - false: the replay ends with the first difference.
   * @param keyLeft - called once for each key that does otherwise than the record.
   * @param key - differences of other keys do not count. Undefined: those of all keys do.
   */
  constructor(goesOn: boolean, keyLeft: (controller: string, key: string) => void, key?: string) {
    this.#goesOn = goesOn;
    this.#keyLeft = keyLeft;
    this.#key = key;
  }

  get total(): number {
    return this.#total;
  }

  /** True when the replay must not go on. */
  get isOver(): boolean {
    return this.#total > 0 && !this.#goesOn;
  }

  /** The replay does otherwise than the record. Only the first difference of a key counts: others follow from it. */
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

  /** From now on the record is not right about this object. */
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
