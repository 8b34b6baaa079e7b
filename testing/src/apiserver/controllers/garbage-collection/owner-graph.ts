import type { ObjectKey, OwnerReference } from 'chancery';
import { keyOf, resourceName, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../../objects/stored-object.ts';

/** `resource|namespace/name`: the key of one object among the objects of all resources. */
export type NodeKey = ObjectKey;

export function nodeKey(resource: ResourceName, object: StoredObject): NodeKey {
  return `${resource}|${keyOf(object)}` as NodeKey;
}

/** The resource, namespace and name of a node. */
export interface Place {
  readonly resource: ResourceName;
  readonly namespace: string | undefined;
  readonly name: string;
}

export function placeOf(node: NodeKey): Place {
  const bar = node.indexOf('|');
  return { resource: node.slice(0, bar), ...splitKey(node.slice(bar + 1) as ObjectKey) };
}

/** The owner references of all objects, kept up to date by the events of all resources. */
export class OwnerGraph {
  readonly #access: ClusterAccess;
  /** The nodes that reference an owner, keyed by its uid. No set in the map is empty. */
  readonly #dependents = new Map<string, Set<NodeKey>>();

  constructor(access: ClusterAccess) {
    this.#access = access;
  }

  /** Records one event. Events must come in the order of commits. */
  observe(resource: ResourceName, { type, object, previous }: CommittedEvent): void {
    const node = nodeKey(resource, object);
    for (const { uid } of previous?.metadata.ownerReferences ?? []) {
      const nodes = this.#dependents.get(uid);
      nodes?.delete(node);
      if (nodes?.size === 0) this.#dependents.delete(uid);
    }
    if (type === 'DELETED') return;
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const nodes = this.#dependents.get(uid);
      if (nodes === undefined) this.#dependents.set(uid, new Set([node]));
      else nodes.add(node);
    }
  }

  /** The objects that reference this uid as an owner. */
  dependentsOf(uid: string | undefined): readonly NodeKey[] {
    return uid === undefined ? [] : [...(this.#dependents.get(uid) ?? [])];
  }

  read(node: NodeKey): StoredObject | undefined {
    const { resource, namespace, name } = placeOf(node);
    return this.#isServed(resource) ? this.#access.get(resource, namespace, name) : undefined;
  }

  /**
   * Looks up the owner that an owner reference of `dependent` refers to. `unknown` means that its kind is not
   * served, so its existence cannot be decided. `absent` means that no object with its name and uid exists in
   * the namespace of `dependent` or, for a cluster-scoped kind, in the cluster.
   */
  ownerOf(dependent: StoredObject, reference: OwnerReference): Owner {
    const resource = this.#access.resourceOf(reference.apiVersion, reference.kind);
    const served = this.#access.resources().find((one) => resourceName(one) === resource);
    if (resource === undefined || served === undefined) return { state: 'unknown' };
    const namespace = served.namespaced ? dependent.metadata.namespace : undefined;
    // A cluster-scoped object cannot have a namespaced owner.
    if (served.namespaced && namespace === undefined) return { state: 'unknown' };
    const object = this.#access.get(resource, namespace, reference.name);
    if (object === undefined || object.metadata.uid !== reference.uid) return { state: 'absent' };
    return { state: 'present', object, node: nodeKey(resource, object) };
  }

  /** True when an owner that `ownerOf` reports as absent exists in another namespace. */
  isElsewhere({ apiVersion, kind, uid }: OwnerReference): boolean {
    const resource = this.#access.resourceOf(apiVersion, kind);
    if (resource === undefined) return false;
    return this.#access.list(resource).some(({ metadata }) => metadata.uid === uid);
  }

  #isServed(resource: ResourceName): boolean {
    return this.#access.resources().some((one) => resourceName(one) === resource);
  }
}

/** The result of looking for an owner. */
export type Owner =
  | { readonly state: 'unknown' | 'absent' }
  | { readonly state: 'present'; readonly object: StoredObject; readonly node: NodeKey };
