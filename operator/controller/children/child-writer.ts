import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Desired, ReconcileContext } from '../reconciler.ts';

/** The information that every write of a child needs. */
export interface ChildWrite {
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly context: ReconcileContext;
  /**
   * Called by `update` before it changes a child. It throws when the change would only continue a write loop.
   */
  readonly aboutToChange?: () => void;
}

/** Compares and writes children. The strategies of composites and decorators work with every ChildWriter. */
export interface ChildWriter {
  /**
   * Creates a child with the owner as its controller, and resolves to the child. An existing object with the
   * same name is not changed.
   *
   * @throws AlreadyOwnedError when an object with the same name exists and belongs to another owner.
   */
  create(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    write: ChildWrite,
  ): Promise<KubernetesObject>;
  /** True if `update` would change the observed child. */
  differs(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<boolean>;
  /**
   * Changes an observed child in place if it differs. Resolves to the changed child; undefined when nothing
   * differed.
   */
  update(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<KubernetesObject | undefined>;
}
