import { isMapping, type Mapping } from '../../core/mapping.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isInvalid, isUidMismatch } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import type { Desired } from '../reconciler.ts';
import type { EngineApplyOptions } from './apply-owned.ts';
import type { ChildWrite, ChildWriter } from './child-writer.ts';
import { existingChild } from './existing-child.ts';
import { isSameContent, withSystemFieldsOf } from './system-fields.ts';

interface ApplyWriterOptions {
  /** The field manager of the children. */
  readonly fieldManager: string;
  /**
   * False: a field that another manager applies is a conflict, which is reported. Default true: the field is
   * taken over.
   */
  readonly force?: boolean;
  /**
   * The managers that wrote these children before. If those managers own fields that are no longer applied,
   * the fields are removed.
   */
  readonly formerManagers?: readonly string[];
  /** Annotations in which `formerManagers` stored what they wrote. They are removed from the children. */
  readonly formerAnnotations?: readonly string[];
  /**
   * True: children are created by an apply, so that their field manager never changes. Such an apply also
   * overwrites an object that takes the name of the child after the read. Default false: children are created
   * by a create request, which fails in that case.
   */
  readonly createsByApply?: boolean;
}

/** The annotation in which earlier versions stored a hash of the desired child. */
const CHILD_HASH = 'chancery.dev/child-hash';

/**
 * Writes children by server-side apply, as `ReconcileContext.applyOwned` does. The server decides whether a
 * child differs: a dry run finds out what an apply would change. After a process has started, each child is
 * applied or checked once.
 */
export function applyWriter(options: ApplyWriterOptions): ChildWriter {
  return new ApplyWriter(options);
}

class ApplyWriter implements ChildWriter {
  readonly #options: EngineApplyOptions;
  readonly #formerAnnotations: readonly string[];

  constructor({ formerAnnotations = [], ...options }: ApplyWriterOptions) {
    this.#options = options;
    this.#formerAnnotations = [CHILD_HASH, ...formerAnnotations];
  }

  async create(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    write: ChildWrite,
  ): Promise<KubernetesObject> {
    const stated = this.#stated(desired);
    const taken = () => existingChild(resource, stated as unknown as KubernetesObject, write);
    if (this.#options.createsByApply === true) {
      const { name = '', namespace } = stated.metadata;
      const found = await write.context.client.find(resource, { name, namespace });
      if (found !== undefined) return taken();
    }
    return this.#apply(resource, stated, write, { observed: null, taken });
  }

  async differs(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<boolean> {
    try {
      const current = await this.#withoutAnnotations(resource, observed, write);
      // The dry run is forced, because a conflict also counts as a difference.
      const options = { observed: current, force: true, dryRun: true };
      return (await this.#apply(resource, this.#stated(desired), write, options)) !== current;
    } catch (error) {
      if (isInvalid(error)) return true; // a field that cannot be changed
      if (isNotFound(error) || isUidMismatch(error)) return false; // gone: it is created again
      throw error;
    }
  }

  async update(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<KubernetesObject | undefined> {
    try {
      const current = await this.#withoutAnnotations(resource, observed, write);
      const options = { observed: current, aboutToChange: write.aboutToChange };
      const after = await this.#apply(resource, this.#stated(desired), write, options);
      return after === observed || isSameContent(after, observed) ? undefined : after;
    } catch (error) {
      if (isNotFound(error) || isUidMismatch(error)) return undefined; // gone: it is created again
      throw error;
    }
  }

  async #apply(
    resource: Resource,
    stated: Desired<KubernetesObject>,
    { context }: ChildWrite,
    more: EngineApplyOptions,
  ): Promise<KubernetesObject> {
    const options: EngineApplyOptions = { ...this.#options, ...more };
    return context.applyOwned(resource, stated, options);
  }

  /**
   * The desired child without the fields that the server and former managers have set. The function may
   * return an observed child unchanged, and that child contains such fields.
   */
  #stated(desired: Desired<KubernetesObject>): Desired<KubernetesObject> {
    const stated = withSystemFieldsOf(desired as unknown as Mapping, {});
    const metadata = stated.metadata as Mapping;
    const { annotations } = metadata;
    if (!isMapping(annotations) || !this.#formerAnnotations.some((name) => name in annotations)) {
      return stated as unknown as Desired<KubernetesObject>;
    }
    const kept = Object.entries(annotations).filter(
      ([name]) => !this.#formerAnnotations.includes(name),
    );
    const own = { ...metadata, annotations: Object.fromEntries(kept) };
    return { ...stated, metadata: own } as unknown as Desired<KubernetesObject>;
  }

  /**
   * Removes the former annotations with a patch. Otherwise they would count as a difference, and the child
   * would be replaced.
   */
  async #withoutAnnotations(
    resource: Resource,
    observed: KubernetesObject,
    { context: { client } }: ChildWrite,
  ): Promise<KubernetesObject> {
    const { annotations, uid } = observed.metadata;
    const names = this.#formerAnnotations.filter((name) => annotations?.[name] !== undefined);
    if (names.length === 0) return observed;
    const removed = Object.fromEntries(names.map((name) => [name, null]));
    const body = { metadata: { uid, annotations: removed } };
    const patch = { type: 'merge', body } as const;
    return client.patch<KubernetesObject>(resource, observed.metadata, patch);
  }
}
