import type { Cancel, Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import { type KubernetesObject, keyOf, type ObjectKey, objectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { isLastAnswer } from '../../store/own-writes.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Source } from '../source.ts';
import type { AcceptedWrite, KeyPolicy, Resume } from './key-gate.ts';

/**
 * Maximum milliseconds that a key waits until the caches contain the writes of its last attempt, as in kopf.
 */
export const CONSISTENCY_WAIT_MS: number = 5_000;

const EXPIRED = 'chancery_consistency_wait_expired_total';

interface ConsistencyWaitOptions {
  readonly clock: Clock;
  readonly meter: Meter;
  readonly controller: string;
  /** The informers of the controller's own sources. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly resume: Resume;
}

/** The writes of one key that a cache does not contain yet. */
interface Behind {
  readonly caughtUp: Set<() => boolean>;
  untilAt: number;
  /** Set while the key is parked. */
  cancelExpiry: Cancel | undefined;
}

/**
 * Implements `consistency: 'wait'`: parks a key until the caches of the controller contain the writes of the
 * key's last attempt, or until 5 s after the last write. If a cache still lags behind then, this is counted
 * in `chancery_consistency_wait_expired_total`.
 */
export class ConsistencyWait implements KeyPolicy {
  readonly name = 'consistency-wait';
  readonly mayPark = true;
  readonly #options: ConsistencyWaitOptions;
  readonly #behind = new Map<ObjectKey, Behind>();
  #cancels: Cancel[] = [];

  constructor(options: ConsistencyWaitOptions) {
    this.#options = options;
  }

  /** Listens to the sources until `stop`. */
  start(): void {
    const { informers } = this.#options;
    this.#cancels = [...informers.values()].map((one) => one.onAdvance(() => this.#advanced()));
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    for (const key of [...this.#behind.keys()]) this.#forget(key);
  }

  wrote(key: ObjectKey, write: AcceptedWrite): void {
    const { resource, namespace, name, isDelete, before, answer } = write;
    if (isDelete) {
      const target = objectKey(namespace, name);
      const uids = new Set(before.map(({ metadata }) => metadata.uid));
      this.#awaitAll(key, resource, (informer) => lacks(informer, target, uids, true));
    } else if (answer !== undefined) {
      const uids = new Set([answer.metadata.uid]);
      this.#awaitAll(key, resource, (informer) =>
        isLastAnswer(answer)
          ? lacks(informer, keyOf(answer), uids, false)
          : informer.reflects(answer),
      );
    }
  }

  delayMs(key: ObjectKey): number | 'park' {
    const behind = this.#behind.get(key);
    if (behind === undefined || isCaughtUp(behind)) return 0;
    const { clock, resume } = this.#options;
    const leftMs = behind.untilAt - clock.monotonic();
    if (leftMs <= 0) return 0;
    behind.cancelExpiry ??= clock.schedule(leftMs, () => {
      behind.cancelExpiry = undefined; // a later write may have moved the end
      resume(key);
    });
    return 'park';
  }

  started(key: ObjectKey): void {
    const { controller, meter } = this.#options;
    const behind = this.#behind.get(key);
    if (behind === undefined) return;
    if (!isCaughtUp(behind)) meter.count(EXPIRED, { controller });
    this.#forget(key);
  }

  #awaitAll(
    key: ObjectKey,
    resource: Resource,
    hasCaughtUp: (informer: SharedInformer<KubernetesObject>) => boolean,
  ): void {
    for (const informer of this.#informersOf(resource)) {
      if (hasCaughtUp(informer)) continue;
      const untilAt = this.#options.clock.monotonic() + CONSISTENCY_WAIT_MS;
      const behind = this.#behind.get(key) ?? newBehind();
      behind.untilAt = untilAt;
      behind.caughtUp.add(() => hasCaughtUp(informer));
      this.#behind.set(key, behind);
    }
  }

  #advanced(): void {
    const { clock, resume } = this.#options;
    for (const [key, behind] of this.#behind) {
      const isUnwanted =
        behind.cancelExpiry === undefined &&
        clock.monotonic() >= behind.untilAt + CONSISTENCY_WAIT_MS;
      if (!isUnwanted && !isCaughtUp(behind)) continue;
      this.#forget(key);
      resume(key);
    }
  }

  #forget(key: ObjectKey): void {
    this.#behind.get(key)?.cancelExpiry?.();
    this.#behind.delete(key);
  }

  #informersOf({ group, version, plural }: Resource): SharedInformer<KubernetesObject>[] {
    return [...this.#options.informers]
      .filter(([{ resource }]) => resource.plural === plural && resource.group === group)
      .filter(([{ resource }]) => resource.version === version)
      .map(([, informer]) => informer);
  }
}

function newBehind(): Behind {
  return { caughtUp: new Set(), untilAt: 0, cancelExpiry: undefined };
}

function isCaughtUp({ caughtUp }: Behind): boolean {
  for (const hasCaughtUp of caughtUp) if (hasCaughtUp()) caughtUp.delete(hasCaughtUp);
  return caughtUp.size === 0;
}

/**
 * True when the cache has no object with one of these uids under `key`. With `deleting`, also when the cached
 * object has a deletion time.
 */
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
