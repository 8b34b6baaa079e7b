import type { Cancel, Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import { type KubernetesObject, keyOf, type ObjectKey, objectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { WriteJournal } from '../../model/write-journal.ts';
import { isLastAnswer } from '../../store/overlay.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Source } from '../source.ts';

/** How long a key waits for the caches to have what its last attempt wrote; kopf's figure. */
export const CONSISTENCY_WAIT_MS: number = 5_000;

interface ConsistencyWaitOptions {
  readonly clock: Clock;
  readonly meter: Meter;
  readonly controller: string;
  /** Of the controller's own sources. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  /** Adds a key, which had been deferred, to the queue again. */
  readonly again: (key: ObjectKey, priority: number) => void;
}

/** What a key has written that some cache has yet to show. */
interface Behind {
  readonly caughtUp: Set<() => boolean>;
  untilAt: number;
  /** Set while an attempt waits. */
  deferred?: { priority: number; readonly cancel: Cancel };
}

/**
 * Defers the attempts of keys until the caches of the controller have what the attempt before has
 * written: for `consistency: 'wait'`. It holds no worker meanwhile. After 5 s from the last write the
 * key runs nevertheless, and `chancery_consistency_wait_expired_total` counts.
 */
export class ConsistencyWait {
  readonly #options: ConsistencyWaitOptions;
  readonly #behind = new Map<ObjectKey, Behind>();
  #cancels: Cancel[] = [];

  constructor(options: ConsistencyWaitOptions) {
    this.#options = options;
  }

  /** Follows the sources, until `stop`. */
  start(): void {
    const { informers } = this.#options;
    this.#cancels = [...informers.values()].map((one) => one.onAdvance(() => this.#advanced()));
  }

  /** No timer and no listener is left behind; deferred keys do not come again. */
  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    for (const { deferred } of this.#behind.values()) deferred?.cancel();
    this.#behind.clear();
  }

  /** Takes note of the writes of an attempt of `key`. */
  journalOf(key: ObjectKey): WriteJournal {
    return {
      begin: (resource, { namespace, name = '' }) => {
        const target = objectKey(namespace, name);
        const uids = new Set(this.#cached(resource, target).map(({ metadata }) => metadata.uid));
        return {
          wrote: (object) => this.#wrote(key, resource, object),
          deleted: () => this.#awaitAll(key, resource, (one) => lacks(one, target, uids, true)),
        };
      },
    };
  }

  /** True when `key` has to wait: whoever holds it lets go of it, and it is added again in time. */
  defers(key: ObjectKey, priority: number): boolean {
    const behind = this.#behind.get(key);
    if (behind === undefined) return false;
    const { clock, controller, meter, again } = this.#options;
    const leftMs = behind.untilAt - clock.monotonic();
    if (!isCaughtUp(behind) && leftMs > 0) {
      const { deferred } = behind;
      if (deferred !== undefined) deferred.priority = Math.max(deferred.priority, priority);
      else {
        const cancel = clock.schedule(leftMs, () => again(key, behind.deferred?.priority ?? 0));
        behind.deferred = { priority, cancel };
      }
      return true;
    }
    if (behind.caughtUp.size > 0) meter.count(EXPIRED, { controller });
    behind.deferred?.cancel();
    this.#behind.delete(key);
    return false;
  }

  #wrote(key: ObjectKey, resource: Resource, object: KubernetesObject): void {
    const { uid } = object.metadata;
    this.#awaitAll(key, resource, (informer) =>
      isLastAnswer(object)
        ? lacks(informer, keyOf(object), new Set([uid]), false)
        : informer.reflects(object),
    );
  }

  #awaitAll(
    key: ObjectKey,
    resource: Resource,
    hasCaughtUp: (informer: SharedInformer<KubernetesObject>) => boolean,
  ): void {
    for (const informer of this.#informersOf(resource)) {
      if (hasCaughtUp(informer)) continue;
      const untilAt = this.#options.clock.monotonic() + CONSISTENCY_WAIT_MS;
      const behind = this.#behind.get(key) ?? { caughtUp: new Set(), untilAt };
      behind.untilAt = untilAt;
      behind.caughtUp.add(() => hasCaughtUp(informer));
      this.#behind.set(key, behind);
    }
  }

  #advanced(): void {
    const { again, clock } = this.#options;
    for (const [key, behind] of this.#behind) {
      const { deferred, untilAt } = behind;
      const isForgotten =
        deferred === undefined && clock.monotonic() >= untilAt + CONSISTENCY_WAIT_MS;
      if (!isForgotten && !isCaughtUp(behind)) continue;
      this.#behind.delete(key);
      deferred?.cancel();
      if (deferred !== undefined) again(key, deferred.priority);
    }
  }

  #informersOf({ group, version, plural }: Resource): SharedInformer<KubernetesObject>[] {
    return [...this.#options.informers]
      .filter(([{ resource }]) => resource.plural === plural && resource.group === group)
      .filter(([{ resource }]) => resource.version === version)
      .map(([, informer]) => informer);
  }

  #cached(resource: Resource, key: ObjectKey): KubernetesObject[] {
    return this.#informersOf(resource)
      .map(({ store }) => (store.synced ? store.get(key) : undefined))
      .filter((object) => object !== undefined);
  }
}

const EXPIRED = 'chancery_consistency_wait_expired_total';

function isCaughtUp({ caughtUp }: Behind): boolean {
  for (const hasCaughtUp of caughtUp) if (hasCaughtUp()) caughtUp.delete(hasCaughtUp);
  return caughtUp.size === 0;
}

/** The cache shows none of these uids any more, or `deleting` and shows that it is on its way. */
function lacks(
  { store }: SharedInformer<KubernetesObject>,
  key: ObjectKey,
  uids: ReadonlySet<string | undefined>,
  deleting: boolean,
): boolean {
  const metadata = store.synced ? store.get(key)?.metadata : undefined;
  if (metadata === undefined || !uids.has(metadata.uid)) return true;
  return deleting && metadata.deletionTimestamp !== undefined;
}
