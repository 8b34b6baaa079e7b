import type { KubernetesObject, ObjectMeta } from '../../model/object.ts';
import { childIdentity } from '../child.ts';
import type { ChildType } from '../engine-options.ts';

/**
 * The names of the children of one kind that belong to a revision, as they are stored. Under a cluster-scoped
 * parent, the name of a namespaced child is `namespace/name`.
 */
export interface ClaimedNames {
  /** '' for the core group. */
  readonly apiGroup: string;
  readonly kind: string;
  readonly names: readonly string[];
}

/** True for a type whose children are updated one by one. */
export function isRolling({ update }: Pick<ChildType, 'update'>): boolean {
  return update === 'rolling-apply' || update === 'rolling-recreate';
}

/**
 * Translates between the names that a revision stores for the claimed children of a parent, and the
 * identities of those children.
 */
export class ClaimNames {
  readonly #parent: KubernetesObject;
  readonly #rolling: readonly ChildType[];

  constructor(parent: KubernetesObject, types: readonly ChildType[]) {
    this.#parent = parent;
    this.#rolling = types.filter(isRolling);
  }

  /**
   * The identities of the children with these stored names, without duplicates. Kinds whose children are not
   * updated one by one have no claims. For a cluster-scoped parent, a name without a namespace is ignored if
   * the child is namespaced.
   */
  identitiesOf(claimed: readonly ClaimedNames[]): readonly string[] {
    const all = claimed.flatMap(({ apiGroup, kind, names }) => {
      const type = this.#rolling.find(
        ({ resource }) => resource.group === apiGroup && resource.kind === kind,
      );
      if (type === undefined) return [];
      return names.flatMap((name) => {
        const metadata = this.#metadataOf(type, name);
        return metadata === undefined ? [] : [childIdentity(type.resource, metadata)];
      });
    });
    return [...new Set(all)];
  }

  /**
   * The names to store for children. Kinds and names that are already stored keep their order, so that a
   * different order causes no write.
   */
  toStore(
    children: readonly { readonly type: ChildType; readonly object: { metadata: NameOfChild } }[],
    before: readonly ClaimedNames[],
  ): readonly ClaimedNames[] {
    const groups = new Map<string, { apiGroup: string; kind: string; names: Set<string> }>();
    for (const { type, object } of children) {
      const { group: apiGroup, kind } = type.resource;
      const id = idOf({ apiGroup, kind });
      const known = groups.get(id) ?? { apiGroup, kind, names: new Set() };
      groups.set(id, known);
      known.names.add(this.nameOf(object.metadata));
    }
    const order = new Set([...before.map(idOf), ...groups.keys()]);
    return [...order].flatMap((id) => {
      const group = groups.get(id);
      if (group === undefined) return [];
      const stored = before.filter((each) => idOf(each) === id).flatMap(({ names }) => names);
      const kept = stored.filter((name) => group.names.has(name));
      return [{ ...group, names: [...new Set([...kept, ...group.names])] }];
    });
  }

  /**
   * The name of a child as its parent's revisions store it: with the namespace only if the parent has none.
   */
  nameOf({ namespace = '', name = '' }: NameOfChild): string {
    const isRelative = this.#parent.metadata.namespace !== undefined || namespace === '';
    return isRelative ? name : `${namespace}/${name}`;
  }

  #metadataOf({ resource }: ChildType, stored: string): NameOfChild | undefined {
    const { namespace } = this.#parent.metadata;
    if (!resource.namespaced) return { name: stored };
    if (namespace !== undefined) return { namespace, name: stored };
    const slash = stored.indexOf('/');
    if (slash < 0) return undefined;
    return { namespace: stored.slice(0, slash), name: stored.slice(slash + 1) };
  }
}

type NameOfChild = Partial<Pick<ObjectMeta, 'namespace' | 'name'>>;

function idOf({ apiGroup, kind }: Pick<ClaimedNames, 'apiGroup' | 'kind'>): string {
  return `${kind}.${apiGroup}`;
}

/** True when `a` and `b` contain the same children, in any order. Kinds without names are ignored. */
export function isSameClaim(a: readonly ClaimedNames[], b: readonly ClaimedNames[]): boolean {
  const left = namesIn(a);
  const right = namesIn(b);
  return left.size === right.size && [...left].every((name) => right.has(name));
}

function namesIn(claimed: readonly ClaimedNames[]): ReadonlySet<string> {
  return new Set(claimed.flatMap((each) => each.names.map((name) => `${idOf(each)} ${name}`)));
}
