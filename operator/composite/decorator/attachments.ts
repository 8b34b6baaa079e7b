import type { ChildWriter } from '../../controller/children/child-writer.ts';
import { DECORATED_BY } from '../../controller/children/existing-child.ts';
import { BeingDeletedError } from '../../controller/errors.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { OperatorError } from '../../core/errors.ts';
import { controllerOf, type KubernetesObject, keyOf, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import { type Applying, applyChild, type ObservedChild, remove } from '../apply-children.ts';
import { OWNER_INDEX } from '../child.ts';
import type { ChildType, PlannedChild } from '../engine-options.ts';

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

/**
 * Brings the attachments to the plan: deletes those that are not in it, then creates and changes the others in the
 * order of the plan. One that fails does not keep the others from it.
 *
 * @throws the first failure.
 */
export async function manageAttachments(
  planned: readonly PlannedChild[],
  observed: ReadonlyMap<string, ObservedChild>,
  applying: Applying,
): Promise<void> {
  const { context } = applying.write;
  const wanted = new Set(planned.map(({ identity }) => identity));
  const careful = { ...applying, writer: ofDecorator(applying.writer) };
  const failures: unknown[] = [];
  const attempt = async (attachment: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      if (failures.push(err) > 1) context.log.warn({ err, attachment }, 'a further one failed');
    }
  };
  for (const [identity, child] of observed) {
    if (!wanted.has(identity)) await attempt(identity, () => remove(child, context));
  }
  for (const one of planned) {
    const { identity, type } = one;
    const known = observed.get(identity)?.object;
    await attempt(identity, async () => {
      if (known === undefined) requireFreeName(one, context.store(type.source));
      await applyChild(one, known, careful);
    });
  }
  if (failures.length > 0) throw failures[0];
}

/** The cache may be behind: then the object that has the name is left alone, and is the answer of `create`. */
function ofDecorator(writer: ChildWriter): ChildWriter {
  return {
    differs: (...given) => writer.differs(...given),
    update: (...given) => writer.update(...given),
    async create(resource, desired, write) {
      const created = await writer.create(resource, desired, write);
      const decorator = desired.metadata.annotations?.[DECORATED_BY] ?? '';
      if (isAttachment(created, write.owner.metadata.uid ?? '', decorator)) return created;
      throw inTheWay(resource, created);
    },
  };
}

function requireFreeName({ resource, object }: PlannedChild, store: Store<KubernetesObject>): void {
  const { name = '', namespace } = object.metadata;
  const foreign = store.get(objectKey(namespace, name));
  if (foreign !== undefined) throw inTheWay(resource, foreign);
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
