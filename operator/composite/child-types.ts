import { type SourceOptions, source } from '../controller/source.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { byOwner } from '../store/indices.ts';
import { OWNER_INDEX } from './child.ts';
import type { ChildType, ChildUpdate, StatusCheck } from './engine-options.ts';
import { byLabelIfUncontrolled, UNCONTROLLED_INDEX } from './uncontrolled.ts';

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

/** `type` with the index in its source by which the engine finds the children of a parent. */
export function indexedByOwner(type: ChildType): ChildType {
  if (type.source.indexes?.[OWNER_INDEX] !== undefined) return type;
  const indexes = { ...type.source.indexes, [OWNER_INDEX]: byOwner };
  return { ...type, source: Object.freeze({ ...type.source, indexes }) };
}

/** `type` with the index in its source by which the engine finds what a parent may adopt. */
export function indexedForAdoption(type: ChildType): ChildType {
  const indexes = { ...type.source.indexes, [UNCONTROLLED_INDEX]: byLabelIfUncontrolled };
  return { ...type, source: Object.freeze({ ...type.source, indexes }) };
}

/** @throws ConfigurationError `CONFIG` when a resource is named twice. */
export function requireDistinct(types: readonly ChildType[], controller: string): void {
  const names = types.map(({ resource }) => resourceName(resource));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw unusable(controller, twice);
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
  requireDistinct(types, controller);
  if (types.length === 0) throw unusable(controller, 'none');
  return types;
}

function unusable(controller: string, resource: string): ConfigurationError {
  return new ConfigurationError('a composite needs children, and each resource of them once', {
    context: { controller, resource },
  });
}
