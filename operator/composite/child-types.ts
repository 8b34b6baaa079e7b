import { type SourceOptions, source } from '../controller/source.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { byOwner } from '../store/indices.ts';
import { byLabelIfUncontrolled, UNCONTROLLED_INDEX } from './adopt-orphans.ts';
import { OWNER_INDEX } from './child.ts';
import type { ChildType, ChildUpdate, StatusCheck } from './engine-options.ts';

/** A resource of children, and how its objects are updated. */
export interface ChildRule<C extends KubernetesObject = KubernetesObject> {
  /** The resource of the children. */
  readonly resource: Resource<C>;
  /** What happens to an existing child that differs. Default `apply`. */
  readonly update?: ChildUpdate;
  /**
   * Conditions that a child must have after a rolling update has moved it, before the next child is moved.
   * Default: none.
   */
  readonly statusChecks?: readonly StatusCheck[];
  /** Options of the children's source, such as selectors and a transform; see `source`. */
  readonly source?: Omit<SourceOptions<C>, 'indexes'>;
}

/**
 * Returns `types` with additional indices in their sources. With them the engine finds the children of a
 * parent, and the objects that the parent may adopt.
 *
 * @throws ConfigurationError `CONFIG` when a resource occurs twice.
 */
export function indexedTypes(
  types: readonly ChildType[],
  { controller, adopts }: { readonly controller: string; readonly adopts: boolean },
): readonly ChildType[] {
  const names = types.map(({ resource }) => resourceName(resource));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new ConfigurationError('each resource of children can be named once', {
      context: { controller, resource: twice },
    });
  }
  const added = {
    [OWNER_INDEX]: byOwner,
    ...(adopts && { [UNCONTROLLED_INDEX]: byLabelIfUncontrolled }),
  };
  return types.map((type) => {
    const indexes = { ...added, ...type.source.indexes };
    return { ...type, source: Object.freeze({ ...type.source, indexes }) };
  });
}

/** Returns the type of children for each rule, with defaults filled in. */
export function childTypes(children: readonly (Resource | ChildRule)[]): readonly ChildType[] {
  return children.map((given): ChildType => {
    const rule: ChildRule = 'resource' in given ? given : { resource: given };
    const { resource, update = 'apply', statusChecks = [], source: options } = rule;
    return { resource, update, statusChecks, source: source(resource, options) };
  });
}
