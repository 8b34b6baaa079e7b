import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/deep-json.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { isNotFound } from '../../model/status.ts';
import type { Desired, ReconcileContext } from '../reconciler.ts';
import type { ChildSource } from './child.ts';
import { childIdentity, type PlannedChild } from './sync-result.ts';

/**
 * Makes the observed children match the plan: creates and applies in the order of the plan, then deletes
 * the children that are not in it. If a child fails, the others are still applied, but nothing is deleted:
 * the failed child may be the replacement of one to delete.
 *
 * @param own - the observed children, by the name of their resource.
 * @throws the first failure.
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
  if (current?.metadata.deletionTimestamp !== undefined) return; // created again once it is gone
  if (update === 'apply') await context.applyOwned(resource, object);
  else if (update === 'keep' && current === undefined) await context.applyOwned(resource, object);
  else if (update === 'recreate') {
    const wanted = withHash(object);
    if (current === undefined) await context.applyOwned(resource, wanted);
    else if (hashOf(current) !== hashOf(wanted))
      await remove({ resource, object: current }, context);
  }
}

/** Deletes this object (same uid), not a new one of the same name. */
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

/** Annotation with the hash of the desired child, to compare it with what is wanted now. */
const CHILD_HASH: string = 'chancery.dev/child-hash';

type Hashed = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };

/** `object` with its own hash as an annotation. */
export function withHash(object: Desired<KubernetesObject>): Desired<KubernetesObject> {
  const { annotations, ...metadata } = object.metadata;
  const hash = nodeCrypto()
    .createHash('sha256')
    .update(canonical(object))
    .digest('hex')
    .slice(0, 32);
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [CHILD_HASH]: hash } },
  };
}

/** The hash that an object carries. */
export function hashOf({ metadata }: Hashed): string | undefined {
  return metadata.annotations?.[CHILD_HASH];
}

/** JSON with sorted keys: equal content gives equal text. */
function canonical(value: unknown): string {
  return deepJson(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part,
  );
}
