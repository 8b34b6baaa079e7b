import { isLiveOwner } from '../controller/children/apply-owned.ts';
import { decoratorOf } from '../controller/children/existing-child.ts';
import { setOwner } from '../controller/children/guarded-writes.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { controllerOf, type KubernetesObject } from '../model/object.ts';
import { controllerReference } from '../model/owner-reference.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { matchesSelector, type Selector } from '../model/selector.ts';
import type { IndexFunction } from '../store/indices.ts';
import type { Store } from '../store/store.ts';
import { inOrder, OWNER_INDEX } from './child.ts';
import type { ChildType } from './engine-options.ts';

type ClaimedType = Pick<ChildType, 'resource' | 'source'>;

interface ClaimOptions {
  readonly parent: KubernetesObject;
  readonly parentResource: Resource;
  /**
   * The sources of the children. They have the index of owners, and if there is a selector, also the index of
   * objects without a controller.
   */
  readonly sources: readonly ClaimedType[];
  readonly selector: Selector | undefined;
  /**
   * If set, the children are the attachments of this decorator. If undefined, the children are the objects
   * that no decorator has created.
   */
  readonly decorator?: string | undefined;
  /**
   * True: the parent also keeps its objects whose labels do not match. Default false: the parent orphans
   * them.
   */
  readonly keepsOwn?: boolean | undefined;
  readonly context: ReconcileContext;
}

/**
 * Adopts and orphans children according to the selector, and returns the parent's children, keyed by the name
 * of their resource. Both writes are guarded by uid and resourceVersion: if another writer was faster, the
 * write throws a conflict, and the key is retried.
 *
 * Returns undefined when there is something to adopt, but according to a live read the parent is gone or
 * being deleted. The garbage collector would delete objects that such a parent adopts. With `keepsOwn`, the
 * function then returns the children that the parent already has.
 */
export async function adoptOrphans(
  options: ClaimOptions,
): Promise<ReadonlyMap<string, readonly KubernetesObject[]> | undefined> {
  const { parent, parentResource, sources, keepsOwn = false, context } = options;
  const claims = sources.map((source) => ({ source, ...claimIn(source, options) }));
  const adopts = claims.some(({ adopt }) => adopt.length > 0);
  const isLive = !adopts || (await isLiveOwner(context.client, parentResource, parent));
  if (!isLive && !keepsOwn) return undefined;
  const children = new Map<string, readonly KubernetesObject[]>();
  for (const { source, own, adopt, orphan } of claims) {
    const { resource } = source;
    for (const object of orphan) {
      await setOwner(context.client, resource, object, parent);
      context.log.info({ child: object.metadata.name }, 'child orphaned, its labels do not match');
    }
    const adopted: KubernetesObject[] = [];
    for (const object of isLive ? adopt : []) {
      const reference = controllerReference(parent, parentResource);
      adopted.push(await setOwner(context.client, resource, object, parent, reference));
      const facts = { child: object.metadata.name, resource: resourceName(resource) };
      context.log.info(facts, 'child adopted');
    }
    children.set(resourceName(resource), [...own, ...adopted]);
  }
  return children;
}

function claimIn(
  { source }: ClaimedType,
  { parent, selector, decorator, keepsOwn, context }: ClaimOptions,
): Claim<KubernetesObject> {
  const store = context.store(source);
  const owned = store.byIndex(OWNER_INDEX, parent.metadata.uid ?? '');
  const others = selector === undefined ? [] : uncontrolledMatching(selector, parent, store);
  return claim(parent, inOrder([...owned, ...others]), selector, { decorator, keepsOwn });
}

/** The candidates for the children of a parent, grouped by what to do with them. */
export interface Claim<C extends KubernetesObject = KubernetesObject> {
  /** Objects whose controller is the parent and that stay its children. */
  readonly own: readonly C[];
  /** Objects to adopt: they have no controller and match the selector. */
  readonly adopt: readonly C[];
  /** Objects to orphan: their controller is the parent, and they no longer match. */
  readonly orphan: readonly C[];
}

/**
 * Groups candidates in the same way as the ReplicaSet controller groups its Pods. Without a selector nothing
 * is adopted or orphaned, and only the owner references decide. Objects that decorators have created belong
 * only to their own decorator, and never to a composite. An object that is being deleted is neither adopted
 * nor orphaned. If the parent is being deleted, nothing is adopted or orphaned.
 */
export function claim<C extends KubernetesObject>(
  parent: KubernetesObject,
  candidates: readonly C[],
  selector: Selector | undefined,
  { decorator, keepsOwn = false }: Pick<ClaimOptions, 'decorator' | 'keepsOwn'> = {},
): Claim<C> {
  const own: C[] = [];
  const adopt: C[] = [];
  const orphan: C[] = [];
  for (const object of candidates) {
    if (decoratorOf(object) !== decorator) continue;
    const controller = controllerOf(object);
    const matches = selector === undefined || matchesSelector(selector, object.metadata.labels);
    const isSettled =
      object.metadata.deletionTimestamp !== undefined ||
      parent.metadata.deletionTimestamp !== undefined;
    if (controller?.uid === parent.metadata.uid) {
      if (matches || isSettled || keepsOwn) own.push(object);
      else orphan.push(object);
    } else if (controller === undefined && selector !== undefined && matches && !isSettled) {
      adopt.push(object);
    }
  }
  return { own, adopt, orphan };
}

/**
 * The index that finds objects without a controller by each of their labels. Most objects have a controller,
 * so with the index a parent need not search all objects in its namespace.
 */
export const UNCONTROLLED_INDEX = 'chancery.dev/uncontrolled';

export const byLabelIfUncontrolled: IndexFunction = ({ metadata }) => {
  if (controllerOf({ metadata }) !== undefined) return [];
  const { namespace } = metadata;
  return Object.entries(metadata.labels ?? {}).flatMap(([label, value]) => {
    const anywhere = indexValue(undefined, label, value);
    return namespace === undefined ? [anywhere] : [anywhere, indexValue(namespace, label, value)];
  });
};

/** Neither namespaces nor labels contain spaces. */
function indexValue(namespace: string | undefined, label: string, value: string): string {
  return `${namespace ?? ''} ${label} ${value}`;
}

/** The matching objects without a controller, in the namespace of `parent` if it has one. */
export function uncontrolledMatching<C extends KubernetesObject>(
  selector: Selector,
  { metadata: { namespace } }: KubernetesObject,
  store: Pick<Store<C>, 'byIndex' | 'list'>,
): readonly C[] {
  const indexed = selector.find(({ operator }) => operator === 'in');
  if (indexed === undefined) {
    const all = store.list(namespace === undefined ? { selector } : { selector, namespace });
    return all.filter((object) => controllerOf(object) === undefined);
  }
  const { key, values } = indexed;
  return [...values]
    .flatMap((value) => store.byIndex(UNCONTROLLED_INDEX, indexValue(namespace, key, value)))
    .filter(({ metadata: { labels } }) => matchesSelector(selector, labels));
}
