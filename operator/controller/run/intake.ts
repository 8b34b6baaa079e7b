import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import type { Entry } from '../../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { LOW_PRIORITY } from '../../queue/work-queue.ts';
import type { Change } from '../../store/change.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller, Mapping, MappingContext } from '../controller.ts';
import type { NameWaits } from '../policies/name-waits.ts';
import type { Log } from '../reconciler.ts';
import type { Source } from '../source.ts';
import { mapInOrder, mappedKeys, ownerKeys } from './mapped-keys.ts';
import { type Passes, passesOf } from './passes.ts';

/** A change that concerns a key, as it enters the queue. */
export interface Intake {
  readonly key: ObjectKey;
  readonly priority: number;
  /** Of the object that changed. */
  readonly resource: Resource;
  readonly change: Change;
}

interface IntakeOptions {
  readonly controller: Controller;
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly enqueue: (intake: Intake) => void;
  /** What mappings may look into. */
  readonly mappingContext: MappingContext;
  readonly nameWaits: NameWaits;
  readonly clock: Clock;
  readonly log: Log;
  readonly resyncPeriodMs: number;
  /** Ends the pauses of mappings that failed. */
  readonly signal: AbortSignal;
  readonly mappingFailed: () => void;
  readonly predicateFailed: () => void;
}

/** The subscriptions of one controller. */
export interface Subscriptions {
  /** The controller has been told of all that was cached, and of every change since. */
  readonly told: boolean;
  end(): void;
}

/**
 * Subscribes to every source of a controller: what is cached comes first, as creates, then each
 * change. Changes become keys: of the object itself, of its owners, or whatever a mapping says.
 */
export function takeIn(options: IntakeOptions): Subscriptions {
  const { controller, informers, resyncPeriodMs } = options;
  const registrations = [
    [controller.for, forSelf(options)] as const,
    ...controller.owns.map((owned) => [owned.source, forOwners(options, owned)] as const),
    ...controller.watches.map((mapping) => [mapping.source, forMapped(options, mapping)] as const),
  ].map(([source, handler]) => {
    const informer = informers.get(source);
    const registration = informer?.addHandler(handler, { resyncPeriodMs });
    // A child of ours that no cache has seen, and somebody has deleted: its owner is to miss it.
    const cancel = informer?.onVanished((changes) => void handler(changes));
    return { informer, registration, cancel };
  });
  return {
    get told() {
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

function forSelf(options: IntakeOptions): Handler {
  const { controller, enqueue } = options;
  const { resource } = controller.for;
  const passes = filter(options, controller.predicate);
  const finalizer = controller.finalizer?.name;
  return (changes) => {
    for (const change of changes) {
      const begins = (): boolean => beginsToFinalize(change, finalizer);
      if (!passes(change) && !readably(options, change, begins)) continue;
      enqueue({ key: change.key, priority: priorityOf(change), resource, change });
    }
  };
}

function forOwners(
  options: IntakeOptions,
  { source, anyOwner = false, predicate }: Controller['owns'][number],
): Handler {
  const { controller, enqueue, nameWaits } = options;
  const passes = filter(options, predicate);
  const owner = controller.for.resource;
  return (changes) => {
    for (const change of changes) {
      // Whoever waits for the name does so whatever a predicate says.
      const keys = new Set(
        readably(options, change, () => nameWaits.freedBy(source.resource, change)),
      );
      for (const entry of passes(change) ? statesOf(change) : []) {
        const owners = readably(options, change, () => ownerKeys(entry.metadata, owner, anyOwner));
        for (const key of owners ?? []) keys.add(key);
      }
      const priority = priorityOf(change);
      for (const key of keys) enqueue({ key, priority, resource: source.resource, change });
    }
  };
}

function statesOf(change: Change): readonly Entry[] {
  return change.type === 'update' ? [change.entry, change.old] : [change.entry];
}

/**
 * A mapping that looks something up holds back its own changes, which are merged meanwhile.
 *
 * It may ask a store which objects of ours name the one that changed, and no wake-up is missed. The
 * change is in its store before the mapping is called, at once or later. An object that names it is
 * either in our store when the mapping looks, and is found; or it comes into our store afterwards, and is
 * enqueued for that, so that its reconcile reads the change. An object under reconcile meanwhile is
 * found like any other, and reconciled once more.
 */
function forMapped(options: IntakeOptions, { source, map, predicate }: Mapping): Handler {
  const { controller, enqueue, clock, log, mappingContext: context, signal } = options;
  const passes = filter(options, predicate);
  const target = controller.for.resource;
  return (changes) =>
    mapInOrder(
      changes.filter(passes),
      (change) => mappedKeys(change, { map, context, target, clock, signal }),
      (change, keys) => {
        const priority = priorityOf(change);
        for (const key of keys) enqueue({ key, priority, resource: source.resource, change });
      },
      (change, err) => {
        if (signal.aborted) return;
        options.mappingFailed();
        log.error({ err, key: change.key }, 'mapping failed, the change is dropped');
      },
    );
}

function filter(
  { log, predicateFailed }: IntakeOptions,
  predicate: Controller['predicate'],
): Passes {
  return passesOf(predicate, (err, { key }) => {
    predicateFailed();
    log.error({ err, key }, 'predicate failed, it lets such changes through; told once');
  });
}

/**
 * What `read` makes of an object; undefined where it cannot be read, and the other changes are not
 * missed for its sake. Then a list follows that tells of it again, or its transform has failed, which
 * its source has told of. Anything else is told of here: metadata that no kube-apiserver writes, or a
 * bug.
 */
function readably<R>(
  { log, mappingFailed }: IntakeOptions,
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

/** Whatever a predicate says: otherwise an object with our finalizer would never go. */
function beginsToFinalize(change: Change, finalizer: string | undefined): boolean {
  if (change.type !== 'update' || finalizer === undefined) return false;
  const { deletionTimestamp, finalizers } = change.metadata;
  return (
    deletionTimestamp !== undefined &&
    change.old.metadata.deletionTimestamp === undefined &&
    finalizers?.includes(finalizer) === true
  );
}

/**
 * Nobody waits for what was there before we looked, is told again, or has changed while we could not
 * see it; for a change somebody may. What was made or deleted meanwhile is a change: it is rare, and
 * late already.
 */
function priorityOf(change: Change): number {
  const isInitial = change.type === 'add' && change.initial;
  const isRepeated = change.type === 'update' && (change.resync ?? change.relist) === true;
  return isInitial || isRepeated ? LOW_PRIORITY : 0;
}
