import { OperatorError } from '../../core/errors.ts';
import { controllerOf, type KubernetesObject, keyOf, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { isNotFound } from '../../model/status.ts';
import type { ChildWrite, ChildWriter } from '../children/child-writer.ts';
import { OWNER_INDEX } from '../composite/child-types.ts';
import type { ChildType, PlannedChild } from '../composite/engine-options.ts';
import { childIdentity } from '../composite/plan-children.ts';
import { BeingDeletedError } from '../errors.ts';
import type { ReconcileContext } from '../reconciler.ts';
import { DECORATED_BY } from './check-answer.ts';

type ByResource = ReadonlyMap<string, readonly KubernetesObject[]>;

/** The attachments that a decorator has made for an object, by the name of their resource. */
export function observedAttachments(
  object: KubernetesObject,
  types: readonly ChildType[],
  decorator: string,
  context: ReconcileContext,
): ByResource {
  const { uid = '' } = object.metadata;
  return new Map(
    types.map(({ resource, source }) => [
      resourceName(resource),
      context
        .store(source)
        .byIndex(OWNER_INDEX, uid)
        .filter((each) => isAttachment(each, uid, decorator))
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    ]),
  );
}

/** Others may control objects of the same owner: the object's own controller, and other decorators. */
function isAttachment(object: KubernetesObject, uid: string, decorator: string): boolean {
  const annotations = object.metadata.annotations ?? {};
  return controllerOf(object)?.uid === uid && annotations[DECORATED_BY] === decorator;
}

interface ManageOptions {
  readonly planned: readonly PlannedChild[];
  readonly observed: ByResource;
  readonly writer: ChildWriter;
  readonly write: ChildWrite;
}

/**
 * Brings the attachments to the plan: deletes those that are not in it, then creates and changes the others in the
 * order of the plan. One that fails does not keep the others from it.
 *
 * @throws the first failure.
 */
export async function manageAttachments(
  types: readonly ChildType[],
  { planned, observed, writer, write }: ManageOptions,
): Promise<void> {
  const { log } = write.context;
  const wanted = new Set(planned.map(({ identity }) => identity));
  const known = new Map<string, KubernetesObject>();
  const failures: unknown[] = [];
  const attempt = async (attachment: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (failures.push(error) > 1) log.warn({ err: error, attachment }, 'a further one failed');
    }
  };
  for (const { resource } of types) {
    for (const object of observed.get(resourceName(resource)) ?? []) {
      const identity = childIdentity(resource, object.metadata);
      known.set(identity, object);
      if (wanted.has(identity)) continue;
      await attempt(identity, () => remove(resource, object, write.context));
    }
  }
  for (const one of planned) {
    await attempt(one.identity, () => bring(one, known.get(one.identity), writer, write));
  }
  if (failures.length > 0) throw failures[0];
}

async function bring(
  { type: { resource, update, source }, object }: PlannedChild,
  observed: KubernetesObject | undefined,
  writer: ChildWriter,
  write: ChildWrite,
): Promise<void> {
  const recreates = update === 'recreate' || update === 'rolling-recreate';
  const wanted = recreates ? (writer.marked?.(object) ?? object) : object;
  if (observed === undefined) {
    const { name = '', namespace } = object.metadata;
    const foreign = write.context.store(source).get(objectKey(namespace, name));
    if (foreign !== undefined) throw inTheWay(resource, foreign);
    const created = await writer.create(resource, wanted, write);
    // The cache may be behind: then the object that has the name is left alone, and is the answer.
    if (!isSameDecoration(created, object, write.owner)) throw inTheWay(resource, created);
    return;
  }
  if (observed.metadata.deletionTimestamp !== undefined || update === 'keep') return;
  if (!recreates) await writer.update(resource, wanted, observed, write);
  else if (await writer.differs(resource, wanted, observed, write)) {
    await remove(resource, observed, write.context);
  }
}

function isSameDecoration(
  created: KubernetesObject,
  { metadata }: PlannedChild['object'],
  owner: KubernetesObject,
): boolean {
  const decorator = metadata.annotations?.[DECORATED_BY] ?? '';
  return isAttachment(created, owner.metadata.uid ?? '', decorator);
}

function inTheWay(resource: Resource, object: KubernetesObject): OperatorError {
  const name = keyOf(object);
  const context = { resource: resourceName(resource), name };
  if (object.metadata.deletionTimestamp !== undefined) {
    return new BeingDeletedError('an object with the name of an attachment is being deleted', {
      context,
    });
  }
  return new OperatorError(
    `${resourceName(resource)} ${name} exists and is no attachment of this object: it is left alone`,
    { code: 'ALREADY_OWNED', layer: 'user-code', context },
  );
}

/** Deletes this object (same uid), not a new one of the same name. */
async function remove(
  resource: Resource,
  { metadata }: KubernetesObject,
  { client, log }: ReconcileContext,
): Promise<void> {
  const { uid, deletionTimestamp, name, namespace } = metadata;
  if (deletionTimestamp !== undefined || uid === undefined) return;
  try {
    const options = { preconditions: { uid }, propagationPolicy: 'Background' } as const;
    await client.delete(resource, { name, namespace }, options);
    log.info({ attachment: name, resource: resourceName(resource) }, 'attachment deleted');
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
