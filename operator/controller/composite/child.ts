import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { byOwner } from '../../store/indices.ts';
import type { Desired } from '../reconciler.ts';
import { type SourceOptions, source } from '../source.ts';
import type { ChildType, ChildUpdate, StatusCheck } from './engine-options.ts';

/** The desired state of a child of a composite. */
export interface DesiredChild {
  /** Its resource, one of the composite's `children`. */
  readonly resource: Resource;
  /** The fields that the composite decides. */
  readonly object: Desired<KubernetesObject>;
}

/**
 * `object` as a desired child. Its `apiVersion`, kind and namespace follow from `resource` and the parent.
 */
export function child<C extends KubernetesObject>(
  resource: Resource<C>,
  object: Desired<C>,
): DesiredChild {
  return { resource, object };
}

/** One resource of children. */
export interface ChildRule<C extends KubernetesObject = KubernetesObject> {
  /** The resource of the children. */
  readonly resource: Resource<C>;
  /** Default `apply`. */
  readonly update?: ChildUpdate;
  /** Conditions that a child moved by a rolling update must have before the next one is moved. Default: none. */
  readonly statusChecks?: readonly StatusCheck[];
  /** Options of the children's source, such as selectors and a transform; see `source`. */
  readonly source?: Omit<SourceOptions<C>, 'indexes'>;
}

/** The index that finds children by the uid of an owner. */
export const OWNER_INDEX = 'chancery.dev/owner';

/** `type` with the index in its source by which the engine finds the children of a parent. */
export function indexedByOwner(type: ChildType): ChildType {
  if (type.source.indexes?.[OWNER_INDEX] !== undefined) return type;
  const indexes = { ...type.source.indexes, [OWNER_INDEX]: byOwner };
  return { ...type, source: Object.freeze({ ...type.source, indexes }) };
}

/** @throws ConfigurationError `CONFIG` when a resource is named twice, or there is none. */
export function requireChildren(types: readonly ChildType[], controller: string): void {
  const names = types.map(({ resource }) => resourceName(resource));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined && types.length > 0) return;
  throw new ConfigurationError('a composite needs children, and each resource of them once', {
    context: { controller, resource: twice ?? 'none' },
  });
}

/**
 * The types of children, one for each rule.
 *
 * @throws ConfigurationError `CONFIG` when a resource is named twice, or there is none.
 */
export function childTypes(
  children: readonly (Resource | ChildRule)[],
  controller: string,
): readonly ChildType[] {
  const types = children.map((given): ChildType => {
    const rule: ChildRule = 'resource' in given ? given : { resource: given };
    const { resource, update = 'apply', statusChecks = [], source: options } = rule;
    const indexes = { [OWNER_INDEX]: byOwner };
    return { resource, update, statusChecks, source: source(resource, { ...options, indexes }) };
  });
  requireChildren(types, controller);
  return types;
}

/** The cached children of one parent: the objects that name it as their controller. */
export interface ObservedChildren {
  /**
   * All children of one resource.
   *
   * @throws ConfigurationError `CONFIG` when the composite does not declare `resource`.
   */
  of<C extends KubernetesObject>(resource: Resource<C>): readonly C[];
  /**
   * The child of this name. Pass `namespace` for a child of a cluster-scoped parent. Undefined when it does
   * not exist or is not the parent's.
   *
   * @throws ConfigurationError `CONFIG` when the composite does not declare `resource`.
   */
  get<C extends KubernetesObject>(
    resource: Resource<C>,
    name: string,
    namespace?: string,
  ): C | undefined;
}

/** @param byResource - children by the name of their resource. */
export function observedChildren(
  byResource: ReadonlyMap<string, readonly KubernetesObject[]>,
  controller: string,
): ObservedChildren {
  const of = <C extends KubernetesObject>(resource: Resource<C>): readonly C[] => {
    const found = byResource.get(resourceName(resource));
    if (found !== undefined) return found as readonly C[];
    throw new ConfigurationError('sync reads children that its composite does not declare', {
      context: { controller, resource: resourceName(resource) },
    });
  };
  return {
    of,
    get: (resource, name, namespace) =>
      of(resource).find(
        ({ metadata }) =>
          metadata.name === name && (namespace === undefined || metadata.namespace === namespace),
      ),
  };
}
