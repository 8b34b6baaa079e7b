import type { ChildWrite, ChildWriter } from '../controller/children/child-writer.ts';
import { requireOwn } from '../controller/children/existing-child.ts';
import { deleteThis } from '../controller/children/guarded-writes.ts';
import type { HotLoops } from '../controller/children/hot-loops.ts';
import { TerminalError } from '../controller/errors.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { inSlices } from '../core/time-slice.ts';
import { type KubernetesObject, objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { childIdentity } from './child.ts';
import type { PlannedChild } from './engine-options.ts';

/** An existing child. */
export interface ObservedChild {
  readonly resource: Resource;
  readonly object: KubernetesObject;
}

/** How children are written. */
export interface Applying {
  readonly writer: ChildWriter;
  readonly write: ChildWrite;
  readonly hotLoops: HotLoops;
  /** Returns a digest of the inputs of the function. The child with this identity is excluded. */
  readonly inputs: (identity: string) => string;
  /** If set, the children are attachments of this decorator. */
  readonly decorator?: string | undefined;
}

/** Children, keyed by their identity. @param byResource - children, keyed by the name of their resource. */
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
 * Makes the observed children match the plan. If one child fails, the other children are still written. A
 * composite creates and applies in the order of the plan, and then deletes the children that are not in the
 * plan. It deletes nothing if a child has failed, because the failed child may be meant to replace one of
 * these. A decorator deletes first.
 *
 * @throws the first failure that a retry may resolve; if there is none, the first failure.
 */
export async function applyChildren(
  planned: readonly PlannedChild[],
  observed: ReadonlyMap<string, ObservedChild>,
  applying: Applying,
): Promise<void> {
  const { context } = applying.write;
  const failures: unknown[] = [];
  const attempt = async (child: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      if (failures.push(err) > 1) context.log.warn({ err, child }, 'another child failed');
    }
  };
  const wanted = new Set(planned.map(({ identity }) => identity));
  const unwanted = [...observed].filter(([identity]) => !wanted.has(identity));
  const removeUnwanted = async (): Promise<void> => {
    for (const [identity, child] of unwanted) await attempt(identity, () => remove(child, context));
  };
  const deletesFirst = applying.decorator !== undefined;
  if (deletesFirst) await removeUnwanted();
  await inSlices(planned, (child) =>
    attempt(child.identity, () =>
      applyChild(child, observed.get(child.identity)?.object, applying),
    ),
  );
  if (!deletesFirst && failures.length === 0) await removeUnwanted();
  // If one child is refused permanently, the writes of other children must still be retried.
  if (failures.length > 0) {
    throw failures.find((error) => !(error instanceof TerminalError)) ?? failures[0];
  }
}

/** Creates, changes or deletes one child, according to the update of its type. */
async function applyChild(
  wanted: PlannedChild,
  current: KubernetesObject | undefined,
  applying: Applying,
): Promise<void> {
  const { resource, object, identity, type } = wanted;
  const { writer, write, hotLoops, inputs } = applying;
  if (current === undefined) {
    hotLoops.created(identity, object, await create(wanted, applying));
    return;
  }
  if (current.metadata.deletionTimestamp !== undefined) return; // created again once it is gone
  const nowMs = write.context.clock.monotonic();
  const next = { stated: object, observed: current, inputs: () => inputs(identity), nowMs };
  hotLoops.requireSteady(identity, next);
  const aboutToChange = (): void => hotLoops.requireProgress(identity, next);
  if (type.update === 'apply' || type.update === 'rolling-apply') {
    const after = await writer.update(resource, object, current, { ...write, aboutToChange });
    if (after !== undefined) hotLoops.wrote(identity, next, after);
  } else if (type.update !== 'keep' && (await writer.differs(resource, object, current, write))) {
    aboutToChange();
    await remove({ resource, object: current }, write.context);
    hotLoops.wrote(identity, next, undefined);
  }
}

/**
 * Creates a child. If an object with the same name exists, that object is not changed: it is found in the
 * cache or, if the cache lags behind, by `create`.
 */
async function create(
  { resource, object, type }: PlannedChild,
  { writer, write }: Applying,
): Promise<KubernetesObject> {
  const { name = '', namespace } = object.metadata;
  const known = write.context.store(type.source).get(objectKey(namespace, name));
  if (known !== undefined) requireOwn(resource, object as KubernetesObject, known, write);
  return writer.create(resource, object, write);
}

export async function remove(
  { resource, object }: ObservedChild,
  { client, log }: ReconcileContext,
): Promise<void> {
  if (!(await deleteThis(client, resource, object))) return;
  log.info({ child: object.metadata.name, resource: resourceName(resource) }, 'child deleted');
}
