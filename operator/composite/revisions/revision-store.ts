import { patchThis, setOwner } from '../../controller/children/guarded-writes.ts';
import { NotReadyError } from '../../controller/errors.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { type Source, source } from '../../controller/source.ts';
import { OperatorError } from '../../core/errors.ts';
import { isNotFound } from '../../model/not-found.ts';
import { controllerOf, type KubernetesObject, keyOf } from '../../model/object.ts';
import { AlreadyOwnedError, controllerReference } from '../../model/owner-reference.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { Selector } from '../../model/selector.ts';
import { formatSelector, matchesSelector, selectorFromObject } from '../../model/selector.ts';
import { isAlreadyExists } from '../../model/status.ts';
import { byOwner } from '../../store/indices.ts';
import { adoptOrphans, byLabelIfUncontrolled, UNCONTROLLED_INDEX } from '../adopt-orphans.ts';
import { OWNER_INDEX } from '../child.ts';
import type { ClaimedNames } from './claims.ts';
import { patchText } from './parent-patch.ts';
import {
  bodyOf,
  changeOf,
  contentOf,
  labelsOf,
  type RevisionContent,
  type RevisionFormat,
} from './revision-format.ts';

interface RevisionStoreOptions {
  readonly parentResource: Resource;
  readonly format: RevisionFormat;
  /** The namespace for the revisions of a cluster-scoped parent. */
  readonly namespace: string | undefined;
}

/**
 * The stored revisions of parents. This class reads them from the cache, and guards writes by uid and
 * resourceVersion.
 */
export class RevisionStore {
  readonly source: Source;
  readonly #parentResource: Resource;
  readonly #format: RevisionFormat;
  readonly #namespace: string | undefined;
  readonly #selector: Selector;

  constructor({ parentResource, format, namespace }: RevisionStoreOptions) {
    this.#parentResource = parentResource;
    this.#format = format;
    this.#namespace = namespace;
    this.#selector = selectorFromObject({ matchLabels: format.labels });
    this.source = source(format.resource, {
      ...(namespace !== undefined && { namespace: { name: namespace } }),
      labelSelector: formatSelector(this.#selector),
      indexes: { [OWNER_INDEX]: byOwner, [UNCONTROLLED_INDEX]: byLabelIfUncontrolled },
    });
  }

  /**
   * The revisions that the parent controls, oldest first. Revisions without a controller that the parent may
   * adopt are adopted, unless the parent is being deleted. A revision that the parent already controls stays
   * with it, whatever its labels are, because a new revision with the same content would have the same name.
   *
   * @throws ApiError when an adoption fails; `isVersionConflict` when another writer was faster.
   */
  async claim(
    parent: KubernetesObject,
    context: ReconcileContext,
  ): Promise<readonly KubernetesObject[]> {
    const adopts = selectorFromObject(this.#format.adopts(parent) ?? {});
    const selector = adopts.length === 0 ? undefined : [...adopts, ...this.#selector];
    const sources = [{ resource: this.#format.resource, source: this.source }];
    const claims = { parent, parentResource: this.#parentResource, sources, selector };
    const claimed = await adoptOrphans({ ...claims, keepsOwn: true, context });
    const all = [...(claimed?.values() ?? [])].flat();
    return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(byAge);
  }

  /**
   * Stores a new revision.
   *
   * @throws NotReadyError when a revision with that name exists but the cache does not contain it. If the
   *   revision belongs to the parent, it gets the labels by which the cache finds it.
   * @throws AlreadyOwnedError when an object with that name belongs to another owner.
   * @throws OperatorError `DECODE` when an object with that name has another content.
   */
  async create(
    name: string,
    content: RevisionContent,
    parent: KubernetesObject,
    context: ReconcileContext,
  ): Promise<void> {
    const { resource } = this.#format;
    const { metadata, ...fields } = bodyOf(this.#format, content);
    const object = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        name,
        namespace: this.#namespaceOf(parent),
        labels: labelsOf(this.#format, parent),
        ...metadata,
        ownerReferences: [controllerReference(parent, this.#parentResource)],
      },
      ...fields,
    };
    try {
      await context.client.create(resource, object as KubernetesObject);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#show(object, content, parent, context);
      throw new NotReadyError('a revision exists that the cache does not show yet', {
        cause: error,
        context: { revision: name },
      });
    }
    context.log.info({ revision: name }, 'revision stored');
  }

  /**
   * Replaces the claimed children of a stored revision, unless the revision has changed since it was read.
   */
  async change(
    object: KubernetesObject,
    children: readonly ClaimedNames[],
    context: ReconcileContext,
  ): Promise<void> {
    const { resource } = this.#format;
    await patchThis(context.client, resource, object, changeOf(this.#format, children));
    context.log.debug({ revision: object.metadata.name }, 'children of a revision changed');
  }

  /** Deletes a stored revision, unless it has changed since it was read. */
  async remove({ metadata }: KubernetesObject, { client, log }: ReconcileContext): Promise<void> {
    const { uid = '', resourceVersion = '' } = metadata;
    try {
      await client.delete(this.#format.resource, metadata, {
        preconditions: { uid, resourceVersion },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    log.info({ revision: metadata.name }, 'revision without children deleted');
  }

  /**
   * Adds an owner to the stored object with the given name, and the labels by which the cache finds the
   * object.
   */
  async #show(
    { metadata: { name, namespace, labels } }: { readonly metadata: RevisionMeta },
    { parentPatch }: RevisionContent,
    parent: KubernetesObject,
    context: ReconcileContext,
  ): Promise<void> {
    const { resource } = this.#format;
    const live = await context.client.find(resource, { name, namespace });
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
    const controller = controllerOf(live);
    if (controller !== undefined && controller.uid !== parent.metadata.uid) {
      throw new AlreadyOwnedError(resource, live);
    }
    // The cache finds revisions by their content. If the content differs, it would never find the wanted
    // revision under this name.
    if (patchText(contentOf(this.#format, live).parentPatch) !== patchText(parentPatch)) {
      throw misnamed(live);
    }
    const isShown = matchesSelector(this.#selector, live.metadata.labels);
    if (controller !== undefined && isShown) return;
    const reference = controllerReference(parent, this.#parentResource);
    const owned = await setOwner(context.client, resource, live, parent, reference);
    await patchThis(context.client, resource, owned, { metadata: { labels } });
  }

  #namespaceOf(parent: KubernetesObject): string {
    return parent.metadata.namespace ?? this.#namespace ?? '';
  }
}

interface RevisionMeta {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

function misnamed(object: KubernetesObject): OperatorError {
  return new OperatorError('a stored revision has another content than its name says: delete it', {
    code: 'DECODE',
    layer: 'api-server',
    context: { revision: keyOf(object) },
  });
}

function byAge({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  return compare(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
