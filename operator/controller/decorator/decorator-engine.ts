import { messageOf } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { byOwner } from '../../store/indices.ts';
import { OWNER_INDEX } from '../composite/child-types.ts';
import type { ChildType } from '../composite/engine-options.ts';
import { type Controller, controller, type Permission } from '../controller.ts';
import { addFinalizer, removeFinalizer } from '../finalizers/finalizer.ts';
import { asCached } from '../finalizers/finalizing.ts';
import { AWAIT_CHANGE, type ReconcileContext, type Result } from '../reconciler.ts';
import { isLeadershipLost, isLostRace } from '../run/failure.ts';
import { manageAttachments, observedAttachments } from './attachments.ts';
import { planAttachments } from './check-answer.ts';
import { carries, decoratedChanges, isConcerned } from './decorated-changes.ts';
import type { DecoratorEngineOptions } from './engine-options.ts';
import { writeDecoration } from './write-decoration.ts';

/**
 * The controller that decorates the objects of one resource. One reconcile is, in this order: the finalizer is stored;
 * attachments and related objects are read; the function is called; status, then labels, annotations and the removal
 * of the finalizer are written; the attachments are brought to the answer. A write of the object that loses a race
 * ends it before the attachments.
 */
export function decoratorEngine(given: DecoratorEngineOptions): Controller {
  const options = { ...given, attachments: given.attachments.map(withOwnerIndex) };
  const { related, controller: rest } = options;
  const { owns = [], watches = [], reads = [], triggers = [], permissions = [] } = rest;
  const wiring = related?.wiring ?? {};
  return controller<KubernetesObject>({
    consistency: 'wait',
    ...rest,
    name: options.name,
    for: options.objects,
    predicate: decoratedChanges(options),
    owns: [...options.attachments.map(({ source }) => ({ source })), ...owns],
    watches: [...(wiring.watches ?? []), ...watches],
    reads: [...(wiring.reads ?? []), ...reads],
    triggers: [...(wiring.triggers ?? []), ...triggers],
    permissions: [...permissionsOf(options), ...permissions],
    async reconcile(key, object, context): Promise<Result> {
      if (object === undefined || !isConcerned(object, options)) {
        related?.forget(key);
        return AWAIT_CHANGE;
      }
      try {
        const result = await decorate(object, context, options);
        await options.succeeded?.(object, context);
        return result;
      } catch (error) {
        await tell(options, object, error, context);
        throw error;
      }
    },
  });
}

/** Attachments are found by their owner. */
function withOwnerIndex(type: ChildType): ChildType {
  const { source } = type;
  const indexes = { ...source.indexes, [OWNER_INDEX]: byOwner };
  return { ...type, source: Object.freeze({ ...source, indexes }) };
}

function permissionsOf({
  objects: { resource },
  attachments,
  hasStatusSubresource,
}: DecoratorEngineOptions): readonly Permission[] {
  return [
    { resource, verbs: ['patch'] },
    ...(hasStatusSubresource
      ? [{ resource, subresource: 'status', verbs: ['patch'] } as const]
      : []),
    ...attachments.map((type) => ({ resource: type.resource, verbs: ['delete'] as const })),
  ];
}

async function decorate(
  cached: KubernetesObject,
  context: ReconcileContext,
  options: DecoratorEngineOptions,
): Promise<Result> {
  const { attachments: types, finalizer, writer } = options;
  const object = await withFinalizer(cached, context, options);
  if (object === undefined) return AWAIT_CHANGE; // the watch will deliver the reason
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const isSelected = options.selects?.(object) ?? true;
  const finalizing = finalizer?.isUsed === true && (isDeleted || !isSelected);
  const observed = observedAttachments(object, types, options.decorator, context);
  const related = (await options.related?.of(object, context)) ?? new Map();
  const request = { object, attachments: observed, related, finalizing, context };
  const answer = await options.sync(request);
  const planned = planAttachments(answer, object, options);
  const removed = finalizing && answer.finalized === true ? finalizer?.name : undefined;
  const exists = await writeDecoration(object, { answer, removed }, options, context);
  if (!exists) return AWAIT_CHANGE;
  if (!isDeleted || isFinalizedByUs(object, options)) {
    const write = { owner: object, ownerResource: options.objects.resource, context };
    await manageAttachments(types, { planned, observed, writer, write });
  }
  const { resyncAfterMs } = answer;
  return resyncAfterMs === undefined ? AWAIT_CHANGE : { requeueAfterMs: resyncAfterMs };
}

/**
 * The object with its finalizer, or without one that nothing uses any more. Undefined when nothing is to be done for
 * it.
 */
async function withFinalizer(
  object: KubernetesObject,
  { client, signal }: ReconcileContext,
  options: DecoratorEngineOptions,
): Promise<KubernetesObject | undefined> {
  const { finalizer, objects } = options;
  const isCarried = carries(object, finalizer);
  if (finalizer === undefined || isCarried === finalizer.isUsed) return object;
  if (!isCarried) {
    if (object.metadata.deletionTimestamp !== undefined) return object; // it cannot be added any more
    const { resource } = objects;
    const stored = await addFinalizer(client, resource, object, finalizer.name, { signal });
    return stored === undefined ? undefined : asCached(stored, object, objects);
  }
  await removeFinalizer(client, objects.resource, object, finalizer.name, { signal });
  return undefined;
}

/** Finalizers by which the garbage collector deletes or orphans what belongs to the object. */
const COLLECTOR_FINALIZERS = ['foregroundDeletion', 'orphan'];

/** False when the attachments of a deleted object are left to the garbage collector. */
function isFinalizedByUs(object: KubernetesObject, { finalizer }: DecoratorEngineOptions): boolean {
  const { finalizers = [] } = object.metadata;
  return (
    finalizer?.isUsed === true &&
    carries(object, finalizer) &&
    !finalizers.some((name) => COLLECTOR_FINALIZERS.includes(name))
  );
}

/** Lost races, and caches that are still filled, are normal. */
async function tell(
  { failed }: DecoratorEngineOptions,
  object: KubernetesObject,
  error: unknown,
  context: ReconcileContext,
): Promise<void> {
  if (failed === undefined || isLostRace(error) || isLeadershipLost(error)) return;
  try {
    await failed(object, error, context);
  } catch (failure) {
    context.log.warn({ problem: messageOf(failure) }, 'a failure could not be reported');
  }
}
