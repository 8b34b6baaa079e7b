import type { Client } from '../../client/client.ts';
import { linkedAbort } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import {
  type KubernetesObject,
  type ObjectKey,
  type ObjectMeta,
  splitKey,
} from '../../model/object.ts';
import { matcherOf, onlyNameIn } from '../../model/selection.ts';
import type { Change } from '../../store/change.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Log } from '../reconciler.ts';
import { isSameResource, namespacesOf, type Source } from '../source.ts';
import { type DeletionWatch, type OpenedSource, watchDeletion } from './deletion-watch.ts';
import { finalizerNameOf } from './finalizer.ts';
import { asCached } from './finalizing.ts';
import { type MetadataPages, sweep } from './sweep.ts';

/** Maximum number of watches of single objects. A sweep finds the changes of all further objects. */
const MAX_WATCHED = 50;

/** Maximum number of remembered objects. Above it, a live read precedes each call of `gone`. */
const MAX_KNOWN = 10_000;

/** Milliseconds between two sweeps while there are objects without a watch, and after a sweep that failed. */
const SWEEP_EVERY_MS = 5 * 60_000;

/** Maximum number of keys in a log line. */
const MAX_NAMES = 10;

/** Decides which objects this process works on, if replicas share the objects. */
interface OwnObjects {
  worksOn(key: ObjectKey, uid: string | undefined): boolean;
  /** Like `worksOn`, for a key that is about to be enqueued. */
  admitsUncached(key: ObjectKey, uid: string | undefined): boolean;
}

interface UnselectedObjectsOptions {
  readonly controller: Controller;
  readonly client: Pick<Client, 'find'>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly log: Log;
  /** The cached object, as the watch of the source delivered it. */
  readonly cached: (key: ObjectKey) => { readonly metadata: ObjectMeta } | undefined;
  /** True for an object whose finalizer this process has removed. */
  readonly isFinalized: (key: ObjectKey, uid: string | undefined) => boolean;
  readonly enqueue: (key: ObjectKey) => void;
  /** The objects that this process works on. Default: all. See `opened`. */
  readonly shards?: OwnObjects | undefined;
  /** Called with the number of unselected objects whenever it changes. */
  readonly measured: (count: number) => void;
  /** All controllers of the process. Default: only this one. */
  readonly controllers?: (() => readonly Controller[]) | undefined;
  /** Default: no sweep. */
  readonly pages?: MetadataPages | undefined;
  /** Default: no object is watched separately. */
  readonly open?: ((source: Source) => OpenedSource) | undefined;
}

/** The state of an object. `suspected`: it has left the selector, and possibly no longer exists. */
type Known =
  | 'suspected'
  | {
      readonly watch: DeletionWatch | undefined;
      readonly uid: string | undefined;
      readonly isDeleted: boolean;
    };

/**
 * The objects that carry a controller's finalizer and that the controller's source does not select. They are
 * finalized when they are deleted.
 *
 * An object becomes unselected when it leaves the label or field selector. The API server then reports it as
 * deleted, and lists do not contain it. So the next attempt for its key reads the object. After a restart or
 * a change of the leader such objects are not known, so a sweep at startup finds them.
 *
 * An unselected object is ignored until its deletion begins. A watch of the single object reports this, or
 * above 50 objects a sweep every five minutes. From then on each attempt for the key reads the object.
 *
 * If another controller of the process selects the object and has the same finalizer, it handles the object.
 *
 * Requests need only the rights of the source: `get`, `list` and `watch` of its resource in its namespaces.
 */
export class UnselectedObjects {
  readonly #options: UnselectedObjectsOptions;
  /** Undefined if the controller has no finalizer or no selector: then no object can become unselected. */
  readonly #finalizer: string | undefined;
  readonly #selector: string;
  readonly #match: ReturnType<typeof matcherOf>;
  /** Sources of other controllers for this resource and finalizer. Set when the controller runs. */
  #others: readonly ReturnType<typeof matcherOf>[] = [];
  readonly #known = new Map<ObjectKey, Known>();
  readonly #watches = new Set<DeletionWatch>();
  /** Objects in `#known` that a read or a sweep has found. */
  #found = 0;
  /** Objects that the last sweep has found and that are not in `#known`. */
  #unknown = 0;
  /** False while objects may exist that are not in `#known`. */
  #isComplete: boolean;
  #isSweeping = false;
  #hasFailed = false;
  #reported = 0;
  #wake: () => void = () => {};
  /** True if the process took over more objects after the last sweep began. */
  #isDue = false;
  #cutPause: () => void = () => {};

  constructor(options: UnselectedObjectsOptions) {
    this.#options = options;
    const { labelSelector, fieldSelector } = options.controller.for;
    this.#selector = [labelSelector, fieldSelector].filter((each) => each).join(' and ');
    this.#finalizer = this.#selector === '' ? undefined : finalizerNameOf(options.controller);
    this.#match = matcherOf({ labelSelector, fieldSelector });
    this.#isComplete = options.pages === undefined;
  }

  /** False while a sweep or the first list of a watch is under way. */
  get isSettled(): boolean {
    return !this.#isSweeping && [...this.#watches].every(({ isSettled }) => isSettled);
  }

  /**
   * Takes note of a change that the source has reported.
   *
   * @returns true when the object may have left the selector. Its key must then be reconciled.
   */
  changed(change: Change): boolean {
    if (this.#finalizer === undefined) return false;
    const { key, metadata } = change;
    if (change.type !== 'delete') {
      this.#forget(key);
      return false;
    }
    // An object that is missing in a list may have got the finalizer after its last known state.
    const isLate = change.finalStateUnknown && !this.#options.isFinalized(key, metadata.uid);
    if (!this.#isOurs(key, metadata) && !isLate) return false;
    if (this.#known.has(key)) return true;
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, 'suspected');
    else this.#isComplete = this.#options.pages === undefined;
    this.#wake();
    return true;
  }

  /** True for a key whose object must be read, because the cache does not have it. */
  concerns(key: ObjectKey): boolean {
    if (this.#finalizer === undefined) return false;
    if (this.#known.has(key) || this.#isHidden(key)) return true;
    return !this.#isComplete && this.#options.controller.gone !== undefined;
  }

  /**
   * The live object, as the cache would hold it. Undefined when the object is gone, or does not have the
   * controller's finalizer, so that the controller treats it as gone.
   *
   * @throws any error of the read, so that the key is retried.
   */
  async read(key: ObjectKey, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    const { client, controller } = this.#options;
    const target = splitKey(key);
    const live = await client.find<KubernetesObject>(controller.for.resource, target, { signal });
    if (live === undefined || !this.#isOurs(key, live.metadata, live)) {
      this.#forget(key);
      return undefined;
    }
    // An object that matches is selected again, and will soon be in the cache.
    if (this.#match(live) !== 'selected') this.#seen(key, live);
    const { apiVersion, kind, metadata } = live;
    return asCached(live, { apiVersion, kind, metadata }, controller.for);
  }

  /** Sweeps once when it starts, then again while objects without a watch exist, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { controller, controllers, pages, shards } = this.#options;
    if (this.#finalizer === undefined) return;
    this.#others = (controllers?.() ?? [])
      .filter((each) => each.name !== controller.name && finalizerNameOf(each) === this.#finalizer)
      .filter((each) => isSameResource(each.for.resource, controller.for.resource))
      .map(({ for: source }) =>
        matcherOf({ ...source, namespaces: namespacesOf(source, undefined) }),
      );
    if (pages === undefined) return;
    const end = (): void => this.#wake();
    signal.addEventListener('abort', end, { once: true });
    try {
      // A process that shares the objects with other replicas has no objects at the start.
      if (shards !== undefined) await this.#pause(signal);
      for (;;) {
        this.#isDue = false;
        await this.#sweep(pages, this.#finalizer, signal);
        await this.#pause(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** The process now works on more objects. The next sweep begins at once, and finds all of them. */
  opened(): void {
    for (const [key, known] of [...this.#known]) if (known !== 'suspected') this.#forget(key);
    this.#isDue = true;
    this.#wake();
    this.#cutPause();
  }

  /** Ends all watches. */
  stop(): void {
    for (const key of [...this.#known.keys()]) this.#forget(key);
  }

  get #needsSweep(): boolean {
    return !this.#isComplete || this.#found > this.#watches.size;
  }

  /** Waits until the next sweep. */
  async #pause(signal: AbortSignal): Promise<void> {
    await this.#until(() => signal.aborted || this.#isDue || this.#needsSweep);
    using pause = linkedAbort(signal);
    this.#cutPause = () => pause.abort(new Error('a sweep is due'));
    if (this.#isDue) this.#cutPause();
    await sleep(this.#options.clock, SWEEP_EVERY_MS, pause.signal).catch(() => {});
    signal.throwIfAborted();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #sweep(pages: MetadataPages, finalizer: string, signal: AbortSignal): Promise<void> {
    const { cached, controller, log, shards } = this.#options;
    const isSelected = (key: ObjectKey): boolean => cached(key) !== undefined;
    const before = [...this.#known];
    this.#isSweeping = true;
    try {
      const swept = await sweep(controller.for, { pages, finalizer, isSelected, signal });
      const found = [...swept.found].filter(
        ([key, metadata]) =>
          !isSelected(key) &&
          shards?.worksOn(key, metadata.uid) !== false &&
          this.#isOurs(key, metadata),
      );
      // A source that selects one name gives rights to that object only.
      const only = onlyNameIn(controller.for.fieldSelector);
      const ours = found.filter(([, { name }]) => only === undefined || name === only);
      const kept = ours.filter(([key, metadata]) => this.#swept(key, metadata));
      this.#isComplete = swept.isComplete && ours.length <= MAX_KNOWN;
      this.#unknown = found.length - kept.length;
      this.#hasFailed = false;
      this.#measure();
      this.#report(
        found.map(([key]) => key),
        ours.length === found.length,
      );
      const present = new Set(found.map(([key]) => key));
      for (const [key, known] of before) {
        const uid = known === 'suspected' ? undefined : known.uid;
        if (this.#known.has(key) && !present.has(key)) this.#enqueue(key, uid);
      }
    } catch (err) {
      if (signal.aborted) return;
      this.#isComplete = false;
      const facts = { err, retryInMs: SWEEP_EVERY_MS };
      if (!this.#hasFailed)
        log.warn(facts, 'could not look for finalizers of objects not selected');
      this.#hasFailed = true;
    } finally {
      this.#isSweeping = false;
    }
  }

  /** @returns false for an object that is not remembered. */
  #swept(key: ObjectKey, metadata: ObjectMeta): boolean {
    const known = this.#known.get(key);
    const isFull = known === undefined && this.#known.size >= MAX_KNOWN;
    if (isFull && (metadata.deletionTimestamp === undefined || !this.#makeRoom())) return false;
    if (typeof known === 'object' && known.watch !== undefined) return true; // its watch shows it
    this.#keep(key, metadata);
    if (metadata.deletionTimestamp !== undefined) this.#enqueue(key, metadata.uid);
    return true;
  }

  /** Handles an object that a live read has found. Logs and records it if it has left the selector. */
  #seen(key: ObjectKey, live: KubernetesObject): void {
    const { controller, events, log } = this.#options;
    const known = this.#known.get(key);
    if (typeof known === 'object' || (known === undefined && this.#known.size >= MAX_KNOWN)) return;
    const hasLeft = known !== undefined || this.#isHidden(key);
    const watch = this.#keep(key, live.metadata);
    this.#measure();
    if (!hasLeft) return;
    const finalizer = this.#finalizer;
    const effect = 'nothing reconciles it, and its cleanup waits until it is deleted';
    // If the object has no watch, the sweep logs it.
    if (watch !== undefined) {
      const facts = { key, finalizer, selector: this.#selector, effect };
      log.warn(facts, 'an object with the finalizer has left the selector');
    }
    events.record({
      regarding: live,
      type: 'Warning',
      reason: 'LeftSelector',
      action: 'Watch',
      note: `no longer matches ${this.#selector}, the selector of controller ${controller.name}, and carries its finalizer ${finalizer}: ${effect}`,
    });
  }

  #keep(key: ObjectKey, { deletionTimestamp, uid }: ObjectMeta): DeletionWatch | undefined {
    const { controller, open } = this.#options;
    const canWatch = open !== undefined && this.#watches.size < MAX_WATCHED;
    const isDeleted = deletionTimestamp !== undefined;
    const watch = canWatch
      ? watchDeletion({
          resource: controller.for.resource,
          key,
          finalizer: this.#finalizer ?? '',
          isDeleted,
          open,
          changed: () => this.#enqueue(key, uid),
        })
      : undefined;
    if (watch !== undefined) this.#watches.add(watch);
    if (typeof this.#known.get(key) !== 'object') this.#found++;
    this.#known.set(key, { watch, uid, isDeleted });
    this.#wake();
    return watch;
  }

  #enqueue(key: ObjectKey, uid: string | undefined): void {
    const { enqueue, shards } = this.#options;
    if (shards?.admitsUncached(key, uid) !== false) enqueue(key);
  }

  /** Forgets an object that only a sweep looks for. The next sweep finds it again. */
  #makeRoom(): boolean {
    for (const [key, known] of this.#known) {
      if (known === 'suspected' || known.watch !== undefined || known.isDeleted) continue;
      this.#forget(key);
      return true;
    }
    return false;
  }

  #forget(key: ObjectKey): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    if (known === 'suspected') return;
    this.#found--;
    this.#measure();
    if (known.watch === undefined) return;
    known.watch.end();
    this.#watches.delete(known.watch);
  }

  /** True for an object with the finalizer, unless this process removed it or another controller has it. */
  #isOurs(
    key: ObjectKey,
    metadata: ObjectMeta,
    object: KubernetesObject = { apiVersion: '', kind: '', metadata },
  ): boolean {
    const { finalizers, uid } = metadata;
    if (this.#finalizer === undefined || finalizers?.includes(this.#finalizer) !== true)
      return false;
    if (this.#others.some((match) => typeof match(object) === 'string')) return false;
    return !this.#options.isFinalized(key, uid);
  }

  /** True if a write of this process moved an object out of the selector, and the cache still has it. */
  #isHidden(key: ObjectKey): boolean {
    const cached = this.#options.cached(key);
    return cached !== undefined && this.#isOurs(key, cached.metadata);
  }

  #measure(): void {
    this.#options.measured(this.#found + this.#unknown);
  }

  #report(keys: readonly ObjectKey[], hasRights: boolean): void {
    const count = keys.length;
    if (count !== this.#reported && count > 0) {
      const facts = { finalizer: this.#finalizer, selector: this.#selector, count };
      const effect = hasRights
        ? 'nothing reconciles them, and their cleanup waits until they are deleted'
        : 'the rights of the controller are for one name: remove the finalizer from the others';
      this.#options.log.warn(
        { ...facts, keys: keys.slice(0, MAX_NAMES), effect },
        'objects carry the finalizer and are not selected',
      );
    }
    this.#reported = count;
  }
}
