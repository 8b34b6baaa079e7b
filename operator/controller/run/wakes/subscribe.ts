import type { Clock } from '../../../core/clock.ts';
import { OperatorError } from '../../../core/errors.ts';
import type { Entry } from '../../../model/entry.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../../../model/object.ts';
import { LOW_PRIORITY } from '../../../queue/work-queue.ts';
import type { Change } from '../../../store/change.ts';
import type { SharedInformer } from '../../../store/shared-informer.ts';
import type { Controller } from '../../controller.ts';
import type { UnselectedObjects } from '../../finalizers/unselected-objects.ts';
import type { Mapping, MappingContext } from '../../mapping.ts';
import type { Cause } from '../../policies/key-gate.ts';
import type { TakenNames } from '../../policies/taken-names.ts';
import type { Predicate, PredicateEvent } from '../../predicate.ts';
import type { Log } from '../../reconciler.ts';
import type { Source } from '../../source.ts';
import { mapInOrder, mappedKeys, ownerKeys } from './mapped-keys.ts';
import type { Via } from './wake-causes.ts';

interface SubscribeOptions {
  readonly controller: Controller;
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly enqueue: (
    key: ObjectKey,
    cause: Cause,
    options: { readonly priority: number },
    via: Via,
  ) => void;
  /** The stores that mappings can read. */
  readonly mappingContext: MappingContext;
  readonly takenNames: TakenNames;
  /** Receives each change of an object of the controller. */
  readonly unselected: Pick<UnselectedObjects, 'changed'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly resyncPeriodMs: number;
  /** Aborts the pauses before retries of mappings. */
  readonly signal: AbortSignal;
  readonly mappingFailed: () => void;
  readonly predicateFailed: () => void;
}

/** The subscriptions of one controller. */
export interface Subscriptions {
  /** True when the controller has received all cached objects and every later change. */
  readonly delivered: boolean;
  end(): void;
}

/**
 * Subscribes a controller to its event sources. It first receives cached objects as creates, then every
 * change. Each change becomes the key of the object itself, the keys of its owners, or the keys of a mapping.
 */
export function subscribe(options: SubscribeOptions): Subscriptions {
  const { controller, informers, resyncPeriodMs } = options;
  const registrations = [
    [controller.for, forSelf(options)] as const,
    ...controller.owns.map((owned) => [owned.source, forOwners(options, owned)] as const),
    ...controller.watches.map((mapping) => [mapping.source, forMapped(options, mapping)] as const),
  ].map(([source, handler]) => {
    const informer = informers.get(source);
    const registration = informer?.addHandler(shown(handler), { resyncPeriodMs });
    // Enqueues the owner of a child that was deleted before any list contained it.
    const cancel = informer?.onVanished((changes) => void handler(changes));
    return { informer, registration, cancel };
  });
  return {
    get delivered() {
      return registrations.every(
        ({ informer, registration }) =>
          registration === undefined ||
          informer?.state === 'unserved' ||
          (registration.synced && registration.pending === 0),
      );
    },
    end() {
      for (const { registration, cancel } of registrations) {
        cancel?.();
        registration?.remove();
      }
    },
  };
}

type Handler = (changes: readonly Change[]) => void | Promise<void>;

/** `handler` without the deletes that only mean that the source no longer contains the object. */
function shown(handler: Handler): Handler {
  return (changes) => {
    const isAny = changes.some((change) => change.type === 'delete' && change.isDropped);
    return handler(
      isAny ? changes.filter((each) => each.type !== 'delete' || !each.isDropped) : changes,
    );
  };
}

function forSelf(options: SubscribeOptions): Handler {
  const { controller, enqueue, unselected } = options;
  const { resource } = controller.for;
  const passes = filter(options, controller.predicate);
  const finalizer = controller.finalizer?.name;
  return (changes) => {
    for (const change of changes) {
      const left = ifReadable(options, change, () => unselected.changed(change));
      const isDue = (): boolean => left === true || isFinalizationDue(change, finalizer);
      if (!passes(change) && !ifReadable(options, change, isDue)) continue;
      enqueue(change.key, { resource, change }, { priority: priorityOf(change) }, 'for');
    }
  };
}

function forOwners(
  options: SubscribeOptions,
  { source, anyOwner = false, predicate }: Controller['owns'][number],
): Handler {
  const { controller, enqueue, takenNames } = options;
  const passes = filter(options, predicate);
  const owner = controller.for.resource;
  return (changes) => {
    for (const change of changes) {
      // Predicates do not apply to keys that wait for the child's name.
      const keys = new Set(
        ifReadable(options, change, () => takenNames.freedBy(source.resource, change)),
      );
      for (const entry of passes(change) ? statesOf(change) : []) {
        const owners = ifReadable(options, change, () =>
          ownerKeys(entry.metadata, owner, anyOwner),
        );
        for (const key of owners ?? []) keys.add(key);
      }
      const priority = priorityOf(change);
      for (const key of keys) {
        enqueue(key, { resource: source.resource, change }, { priority }, 'owns');
      }
    }
  };
}

function statesOf(change: Change): readonly Entry[] {
  return change.type === 'update' ? [change.entry, change.old] : [change.entry];
}

/**
 * While an asynchronous mapping runs, later changes of its source wait and are merged.
 *
 * A mapping can search a store for objects that refer to the changed object, and misses none. The change is
 * in the store before the mapping is called. If a referring object is already in the store, the mapping finds
 * it. If it comes later, it is enqueued then, and its reconcile reads the change. A referring object that is
 * being reconciled is found like any other, and is reconciled again.
 */
function forMapped(options: SubscribeOptions, { source, map, predicate }: Mapping): Handler {
  const { controller, enqueue, clock, log, mappingContext: context, signal } = options;
  const passes = filter(options, predicate);
  const target = controller.for.resource;
  return (changes) =>
    mapInOrder(
      changes.filter(passes),
      (change) => mappedKeys(change, { map, context, target, clock, signal }),
      (change, keys) => {
        const priority = priorityOf(change);
        for (const key of keys) {
          enqueue(key, { resource: source.resource, change }, { priority }, 'mapping');
        }
      },
      (change, err) => {
        if (signal.aborted) return;
        options.mappingFailed();
        log.error({ err, key: change.key }, 'mapping failed, the change is dropped');
      },
    );
}

function filter(
  { log, predicateFailed }: SubscribeOptions,
  predicate: Controller['predicate'],
): Passes {
  return passesOf(predicate, (err, { key }) => {
    predicateFailed();
    log.error({ err, key }, 'predicate failed, so such changes are passed on; logged once');
  });
}

/**
 * The result of `read`. Undefined when the object cannot be read, so that other changes are still handled.
 * The source lists such an object again, or has reported that its transform failed. Any other error is
 * reported here, for example an error about metadata that no kube-apiserver writes, or a bug.
 */
function ifReadable<R>(
  { log, mappingFailed }: SubscribeOptions,
  { key }: Change,
  read: () => R,
): R | undefined {
  try {
    return read();
  } catch (err) {
    if (err instanceof OperatorError) return undefined;
    mappingFailed();
    log.error({ err, key }, 'mapping failed, the change is dropped');
    return undefined;
  }
}

/**
 * True if the deletion of an object with our finalizer begins with this change, or began before the
 * controller started. Such a change bypasses predicates, because otherwise the object could never be deleted.
 */
function isFinalizationDue(change: Change, finalizer: string | undefined): boolean {
  if (change.type === 'delete' || finalizer === undefined) return false;
  const { deletionTimestamp, finalizers } = change.metadata;
  if (deletionTimestamp === undefined || finalizers?.includes(finalizer) !== true) return false;
  return change.type === 'add' || change.old.metadata.deletionTimestamp === undefined;
}

/**
 * Low priority for objects that existed before the controller started, for resyncs, and for updates that only
 * a relist found, because nobody waits for these. Normal priority for other changes. A creation or deletion
 * that a relist finds has normal priority, because it is rare and has already been delayed.
 */
function priorityOf(change: Change): number {
  const isInitial = change.type === 'add' && change.initial;
  const isRepeated = change.type === 'update' && (change.resync ?? change.relist) === true;
  return isInitial || isRepeated ? LOW_PRIORITY : 0;
}

/** True for a change that may reach the queue. */
type Passes = (change: Change) => boolean;

/**
 * Turns a predicate into a filter for changes of a cache. If the predicate throws, the change passes.
 *
 * @param failed - called only for the first error, because a predicate may throw for every object in a
 *   cluster.
 */
function passesOf(
  predicate: Predicate | undefined,
  failed: (error: unknown, change: Change) => void,
): Passes {
  if (predicate === undefined) return () => true;
  let hasFailed = false;
  return (change) => {
    try {
      return predicate(eventOf(change));
    } catch (error) {
      // The source has already reported the unreadable object, and the reconcile attempt for its key fails as
      // well.
      if (!hasFailed && !isUnreadable(change)) {
        failed(error, change);
        hasFailed = true;
      }
      return true;
    }
  };
}

function isUnreadable(change: Change): boolean {
  return change.entry.isUnreadable || (change.type === 'update' && change.old.isUnreadable);
}

/** An event without a previous state. */
class EventOfEntry {
  readonly type: 'create' | 'delete' | 'generic';
  readonly #entry: Entry;

  constructor(type: 'create' | 'delete' | 'generic', entry: Entry) {
    this.type = type;
    this.#entry = entry;
  }

  get object(): KubernetesObject {
    return this.#entry.object;
  }

  get metadata(): ObjectMeta {
    return this.#entry.metadata;
  }
}

/**
 * A resync becomes `generic`, not `update`, because a predicate that compares two states would drop an
 * update. A predicate that reads the object itself can still drop the event.
 */
function eventOf(change: Change): PredicateEvent {
  if (change.type === 'delete') return new EventOfEntry('delete', change.entry);
  if (change.type === 'add') return new EventOfEntry('create', change.entry);
  if (change.resync === true) return new EventOfEntry('generic', change.entry);
  return change;
}
