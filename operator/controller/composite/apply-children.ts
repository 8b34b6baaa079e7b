import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { isNotFound } from '../../model/status.ts';
import type { ReconcileContext } from '../reconciler.ts';
import type { ChildSource } from './child.ts';
import { hashOf, withHash } from './child-hash.ts';
import { childIdentity, type PlannedChild } from './sync-result.ts';

/**
 * Makes the observed children what is planned: creates and applies in the order of the plan, then
 * deletes what is not in it. One child that fails does not hold up the others, but nothing is deleted
 * then: what replaces it may be what failed.
 *
 * @param own - the observed children, by the name of their resource.
 * @throws what the first failure was.
 */
export async function applyChildren(
  planned: readonly PlannedChild[],
  own: ReadonlyMap<string, readonly KubernetesObject[]>,
  context: ReconcileContext,
  sources: readonly ChildSource[],
): Promise<void> {
  const observed = new Map<string, ObservedChild>();
  for (const { resource } of sources) {
    for (const object of own.get(resourceName(resource)) ?? []) {
      observed.set(childIdentity(resource, object.metadata), { resource, object });
    }
  }
  const failures: unknown[] = [];
  for (const wanted of planned) {
    try {
      await applyChild(wanted, observed.get(wanted.identity)?.object, context);
    } catch (error) {
      failures.push(error);
      if (failures.length > 1) {
        context.log.warn({ err: error, child: wanted.identity }, 'a further child failed');
      }
    }
    observed.delete(wanted.identity);
  }
  if (failures.length > 0) throw failures[0];
  for (const child of observed.values()) await remove(child, context);
}

interface ObservedChild {
  readonly resource: Resource;
  readonly object: KubernetesObject;
}

async function applyChild(
  { resource, object, update }: PlannedChild,
  current: KubernetesObject | undefined,
  context: ReconcileContext,
): Promise<void> {
  if (current?.metadata.deletionTimestamp !== undefined) return; // made anew once it is gone
  if (update === 'apply') await context.applyOwned(resource, object);
  else if (update === 'keep' && current === undefined) await context.applyOwned(resource, object);
  else if (update === 'recreate') {
    const wanted = withHash(object);
    if (current === undefined) await context.applyOwned(resource, wanted);
    else if (hashOf(current) !== hashOf(wanted))
      await remove({ resource, object: current }, context);
  }
}

/** This very object: one that somebody made anew under its name is another. */
async function remove(
  { resource, object }: ObservedChild,
  context: ReconcileContext,
): Promise<void> {
  const { uid, deletionTimestamp, name } = object.metadata;
  if (deletionTimestamp !== undefined || uid === undefined) return;
  try {
    await context.client.delete(resource, object.metadata, {
      preconditions: { uid },
      propagationPolicy: 'Background',
    });
    context.log.info({ child: name, resource: resourceName(resource) }, 'child deleted');
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
