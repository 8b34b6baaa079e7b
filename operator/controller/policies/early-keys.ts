import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';

/**
 * Keys that came before there was a cache to read their objects from. That of an optional source may be
 * missing for as long as it is forbidden, or not served; other sources enqueue keys meanwhile.
 */
export class EarlyKeys {
  readonly #again: (key: ObjectKey, priority: number) => void;
  readonly #priorities = new Map<ObjectKey, number>();
  #isWaiting = false;

  /** @param again - puts a key back into the queue. */
  constructor(again: (key: ObjectKey, priority: number) => void) {
    this.#again = again;
  }

  /** True when `key` is put aside until `informer` has its first list; `signal` ends the wait. */
  putsAside(
    key: ObjectKey,
    priority: number,
    informer: Pick<SharedInformer<KubernetesObject>, 'synced' | 'until'> | undefined,
    signal: AbortSignal,
  ): boolean {
    if (informer === undefined || informer.synced) return false;
    this.#priorities.set(key, Math.max(priority, this.#priorities.get(key) ?? priority));
    if (this.#isWaiting) return true;
    this.#isWaiting = true;
    informer
      .until(() => informer.synced, signal)
      .then(
        () => this.#putBack(),
        () => {}, // the process ends
      );
    return true;
  }

  #putBack(): void {
    this.#isWaiting = false;
    const keys = [...this.#priorities];
    this.#priorities.clear();
    for (const [key, priority] of keys) this.#again(key, priority);
  }
}
