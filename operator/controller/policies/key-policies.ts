import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import type { Source } from '../source.ts';
import { ConsistencyWait } from './consistency-wait.ts';
import type { KeyPolicy, Resume } from './key-gate.ts';
import { RequeueBrake } from './requeue-brake.ts';
import { Storm } from './storm.ts';
import type { TakenNames } from './taken-names.ts';
import { WriteLoops } from './write-loops.ts';

interface KeyPoliciesOptions {
  readonly clock: Clock;
  readonly controller: Controller;
  /** The informers of the controller's sources. The map may be filled later. */
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly meter: Meter;
  /** Returns the number of ready keys. */
  readonly ready: () => number;
  /** Counts one round of a write loop. `object` is the object that was written in this round. */
  readonly looped: (key: ObjectKey, object: string) => void;
  /** Counts a write in a fight with another writer, see `WriteFights`. */
  readonly fought: () => void;
  readonly takenNames: TakenNames;
  readonly resume: Resume;
}

/**
 * The policies of one controller, in the order in which they are called. Policies that may park a key come
 * first, because a parked key needs no delay. `CacheSync` is the first policy, because nothing can run before
 * the cache is synced.
 *
 * To add a policy, write another `KeyPolicy` in this folder and add it to this list.
 */
export function keyPolicies(options: KeyPoliciesOptions): readonly KeyPolicy[] {
  const { clock, controller, informers, meter, resume } = options;
  const { consistency, minIntervalMs = 0 } = controller;
  const waiting = { clock, meter, controller: controller.name, informers, resume };
  return [
    new CacheSync(() => informers.get(controller.for), resume),
    ...(consistency === 'wait' ? [new ConsistencyWait(waiting)] : []),
    new MinInterval(clock, minIntervalMs),
    new WriteLoops(clock, controller.name, options),
    new RequeueBrake(clock),
    options.takenNames,
    new Storm(clock, options.ready),
  ];
}

/** Ensures at least `minIntervalMs` between the starts of two attempts of a key. */
class MinInterval implements KeyPolicy {
  readonly name = 'min-interval';
  readonly #clock: Clock;
  readonly #intervalMs: number;
  /**
   * Start times of the keys that must still wait. Each attempt inserts its key again, so the oldest comes
   * first.
   */
  readonly #startedAt = new Map<ObjectKey, number>();

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  delayMs(key: ObjectKey): number {
    const startedAt = this.#startedAt.get(key);
    if (startedAt === undefined) return 0;
    return Math.max(0, startedAt + this.#intervalMs - this.#clock.monotonic());
  }

  started(key: ObjectKey): void {
    if (this.#intervalMs === 0) return;
    const now = this.#clock.monotonic();
    for (const [known, at] of this.#startedAt) {
      if (now - at < this.#intervalMs) break;
      this.#startedAt.delete(known);
    }
    this.#startedAt.delete(key);
    this.#startedAt.set(key, now);
  }
}

/**
 * Parks keys until the cache of the reconciled objects is synced. An optional source may stay forbidden or
 * unserved for any length of time, while other sources enqueue keys.
 */
class CacheSync implements KeyPolicy {
  readonly name = 'cache-sync';
  readonly mayPark = true;
  readonly #informer: () => Pick<SharedInformer<KubernetesObject>, 'synced' | 'until'> | undefined;
  readonly #resume: Resume;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<ObjectKey>();
  #isListening = false;

  /** @param informer - returns the informer of the reconciled objects; undefined if it does not exist yet. */
  constructor(
    informer: () => Pick<SharedInformer<KubernetesObject>, 'synced' | 'until'> | undefined,
    resume: Resume,
  ) {
    this.#informer = informer;
    this.#resume = resume;
  }

  delayMs(key: ObjectKey): number | 'park' {
    const informer = this.#informer();
    if (informer === undefined || informer.synced) return 0;
    this.#waiting.add(key);
    if (this.#isListening) return 'park';
    this.#isListening = true;
    informer
      .until(() => informer.synced, this.#stop.signal)
      .then(
        () => this.#resumeAll(),
        () => {}, // the controller has ended
      );
    return 'park';
  }

  stop(): void {
    this.#stop.abort();
  }

  #resumeAll(): void {
    this.#isListening = false;
    const keys = [...this.#waiting];
    this.#waiting.clear();
    for (const key of keys) this.#resume(key);
  }
}
