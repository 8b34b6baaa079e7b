import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Desired, ReconcileContext } from '../reconciler.ts';

/** What every write of a child needs to know. */
export interface ChildWrite {
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly context: ReconcileContext;
  /** Called by `update` before it changes a child. It throws when the change would only be one more turn of a loop. */
  readonly aboutToChange?: () => void;
}

/** How children are compared and written. The strategies of composites and decorators work with each of them. */
export interface ChildWriter {
  /**
   * Creates a child with the owner as its controller. Resolves to the child. An object that has the name already is
   * left alone.
   *
   * @throws AlreadyOwnedError when that object belongs to another owner.
   */
  create(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    write: ChildWrite,
  ): Promise<KubernetesObject>;
  /** Whether `update` would change the observed child. */
  differs(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<boolean>;
  /** Changes an observed child in place where it differs. Resolves to the changed child; undefined when nothing differed. */
  update(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<KubernetesObject | undefined>;
}
