import type { ChildWrite, ChildWriter } from '../controller/children/child-writer.ts';
import type { HotLoops, NextWrite } from '../controller/children/hot-loops.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { inSlices } from '../core/time-slice.ts';
import { isNotFound } from '../model/not-found.ts';
import type { KubernetesObject } from '../model/object.ts';
import { isUidMismatch } from '../model/refusal.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { PlannedChild } from './engine-options.ts';
import { childIdentity } from './sync-result.ts';

/** A child that exists. */
export interface ObservedChild {
  readonly resource: Resource;
  readonly object: KubernetesObject;
}

/** How children are written. */
export interface Applying {
  readonly writer: ChildWriter;
  readonly write: ChildWrite;
  readonly hotLoops: HotLoops;
  /** Digest of what the function has decided from, but for the child of this identity. */
  readonly inputs: (identity: string) => string;
}

/** Children by their identity. @param byResource - children by the name of their resource. */
export function byIdentity(
  resources: readonly Resource[],
  byResource: ReadonlyMap<string, readonly KubernetesObject[]>,
): ReadonlyMap<string, ObservedChild> {
  const observed = new Map<string, ObservedChild>();
  for (const resource of resources) {
    for (const object of byResource.get(resourceName(resource)) ?? []) {
      observed.set(childIdentity(resource, object.metadata), { resource, object });
    }
  }
  return observed;
}

/**
 * Makes the observed children match the plan: creates and applies in the order of the plan, then deletes
 * the children that are not in it. If a child fails, the others are still applied, but nothing is deleted:
 * the failed child may be the replacement of one to delete.
 *
 * @throws the first failure.
 */
export async function applyChildren(
  planned: readonly PlannedChild[],
  observed: ReadonlyMap<string, ObservedChild>,
  applying: Applying,
): Promise<void> {
  const unwanted = new Map(observed);
  const failures: unknown[] = [];
  const { context } = applying.write;
  await inSlices(planned, async (wanted) => {
    try {
      await applyChild(wanted, observed.get(wanted.identity)?.object, applying);
    } catch (error) {
      failures.push(error);
      if (failures.length > 1) {
        context.log.warn({ err: error, child: wanted.identity }, 'a further child failed');
      }
    }
    unwanted.delete(wanted.identity);
  });
  if (failures.length > 0) throw failures[0];
  for (const child of unwanted.values()) await remove(child, context);
}

/** Creates or updates one child, as its type says. */
export async function applyChild(
  wanted: PlannedChild,
  current: KubernetesObject | undefined,
  applying: Applying,
): Promise<void> {
  const { resource, object, identity, type } = wanted;
  const { writer, write, hotLoops, inputs } = applying;
  if (current === undefined) {
    hotLoops.created(identity, object, await writer.create(resource, object, write));
    return;
  }
  if (current.metadata.deletionTimestamp !== undefined) return; // created again once it is gone
  if (hotLoops.isLooping(identity)) {
    hotLoops.requireSteady(identity, nextWrite(object, current, inputs(identity), write));
  }
  if (type.update === 'apply' || type.update === 'rolling-apply') {
    await update(wanted, current, applying);
  } else if (type.update !== 'keep') await recreate(wanted, current, applying);
}

async function update(
  { resource, object, identity }: PlannedChild,
  current: KubernetesObject,
  { writer, write, hotLoops, inputs }: Applying,
): Promise<void> {
  const next = () => nextWrite(object, current, inputs(identity), write);
  const aboutToChange = (): void => hotLoops.requireProgress(identity, next());
  const after = await writer.update(resource, object, current, { ...write, aboutToChange });
  const version = after?.metadata.resourceVersion;
  if (version !== undefined && version !== current.metadata.resourceVersion) {
    hotLoops.wrote(identity, next(), after);
  }
}

async function recreate(
  { resource, object, identity }: PlannedChild,
  current: KubernetesObject,
  { writer, write, hotLoops, inputs }: Applying,
): Promise<void> {
  if (!(await writer.differs(resource, object, current, write))) return;
  const next = nextWrite(object, current, inputs(identity), write);
  hotLoops.requireProgress(identity, next);
  await remove({ resource, object: current }, write.context);
  hotLoops.wrote(identity, next, undefined);
}

function nextWrite(
  stated: object,
  observed: object,
  inputs: string,
  { context }: ChildWrite,
): NextWrite {
  return { stated, observed, inputs, nowMs: context.clock.monotonic() };
}

/** Deletes this object (same uid), not a new one of the same name. */
export async function remove(
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
    if (!isNotFound(error) && !isUidMismatch(error)) throw error;
  }
}
