import type { Client } from '../../client/client.ts';
import { deepCopy } from '../../core/json/deep-json.ts';
import { isMapping, type Mapping, mappingOf } from '../../core/mapping.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { isEmpty, type Path, sharedMaps } from '../object-shape/maps-of-others.ts';
import { withNewest } from './guarded-writes.ts';
import { memberOf } from './json-difference.ts';

/**
 * Number of tries in competition with other writers before the attempt fails; client-go has the same limit.
 */
const MAX_TRIES = 5;

/**
 * One entry of `metadata.managedFields`: a manager and its fields. It comes from the server, and is not
 * trusted.
 */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: unknown;
}

interface FieldOwners {
  /** The manager that receives the fields. */
  readonly fieldManager: string;
  /** Other managers whose fields `fieldManager` takes over. */
  readonly formerManagers?: readonly string[];
  /**
   * The object of the next apply. `fieldManager` gives up its ownership of maps that this object does not
   * contain and in which other managers own fields.
   */
  readonly stated?: KubernetesObject;
}

/**
 * The field manager that creates the children of `fieldManager`. Because its name is different, fields from
 * the creation can be distinguished from fields that the controller patches later on purpose. It never
 * clashes with another name, because controller names contain no `/`.
 */
export function creatorOf(fieldManager: string): string {
  return `${fieldManager}/create`;
}

/**
 * Hands over to the apply of `fieldManager` the fields that this manager owns because it created `object`,
 * and the fields of former managers.
 *
 * The server counts create and apply as two owners, even for one manager. Without the hand-over, a field from
 * the creation would stay forever, because its creator still owns it. The items of some lists are identified
 * by a value, for example ports by their numbers. If such a value has changed, the old item would stay next
 * to the new one, or the server would refuse the list.
 *
 * Also gives up the maps that `FieldOwners.stated` describes.
 *
 * @param object - the object from the server, with its managedFields.
 * @returns true when something was changed; false when nothing was changed, or the object is gone.
 * @throws ApiError when the server refuses; `isVersionConflict` when other writers won every try.
 */
export async function ownByApplying<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  owners: FieldOwners,
): Promise<boolean> {
  const send = async (seen: T): Promise<boolean> => {
    const managedFields = handedOver(seen, owners);
    if (managedFields === undefined) return false;
    await handOver(client, resource, seen, managedFields);
    return true;
  };
  try {
    return (await withNewest(client, resource, object, { send, maxTries: MAX_TRIES })) ?? false;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Replaces the managedFields of the object with `managedFields`.
 *
 * @throws ApiError when the server refuses; `isVersionConflict` when the object has changed meanwhile.
 */
export async function handOver<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  { metadata: { name, namespace, resourceVersion } }: T,
  managedFields: readonly ManagedFields[],
): Promise<void> {
  const body = [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: managedFields },
  ] as const;
  await client.patch(resource, { name, namespace }, { type: 'json', body });
}

/**
 * The managedFields of `object` after the hand-over; undefined when there is nothing to hand over. Entries
 * whose fields cannot be read stay as they are.
 */
function handedOver(
  { metadata }: KubernetesObject,
  { fieldManager, formerManagers = [], stated }: FieldOwners,
): readonly ManagedFields[] | undefined {
  const entries = entriesOf(metadata.managedFields);
  const whole = entries.filter(({ subresource = '' }) => subresource === '');
  const own = whole.find((each) => each.manager === fieldManager && each.operation === 'Apply');
  const managers = [creatorOf(fieldManager), ...formerManagers];
  // If this is false, the creation used the separate name, and an entry with the plain name comes from a
  // patch within the same second.
  const mayBeCreation =
    own === undefined && !whole.some((each) => each.manager === creatorOf(fieldManager));
  const given = whole.filter(
    (each) =>
      each !== own &&
      isMapping(each.fieldsV1) &&
      (managers.includes(each.manager ?? '') ||
        (mayBeCreation &&
          each.manager === fieldManager &&
          isCreation(each, metadata.creationTimestamp))),
  );
  const last = given.at(-1);
  const heir = own ?? (last && { ...last, manager: fieldManager, operation: 'Apply' });
  if (heir === undefined || !isMapping(heir.fieldsV1)) return undefined;
  // Skip other API versions, because their fields may have other names. The next apply takes over the fields
  // that it contains.
  const all = given
    .filter(({ apiVersion }) => apiVersion === heir.apiVersion)
    .reduce((fields, each) => union(fields, each.fieldsV1), mappingOf(heir.fieldsV1));
  const rest = entries.filter((each) => each !== own && !given.includes(each));
  const others = rest.map((each) => mappingOf(each.fieldsV1));
  const shared = stated === undefined ? [] : sharedMaps(all, others, stated);
  if (given.length + shared.length === 0) return undefined;
  return [{ ...heir, fieldsV1: withoutPaths(all, shared) }, ...rest];
}

/**
 * The owned fields without these paths, and without members that become empty, because an empty member would
 * stand for a whole field.
 */
export function withoutPaths(fields: Mapping, paths: readonly Path[]): Mapping {
  if (paths.length === 0) return fields;
  const left = deepCopy(fields);
  for (const path of paths) {
    for (let length = path.length; length > 0; length--) {
      const holder = path.slice(0, length - 1).reduce<unknown>(memberOf, left);
      const name = path[length - 1] ?? '';
      if (!isMapping(holder) || (length < path.length && !isEmpty(holder[name]))) break;
      delete (holder as Record<string, unknown>)[name];
    }
  }
  return left;
}

/**
 * True for an entry from a creation under the manager's plain name, such as by `client.create`, if the
 * manager has updated nothing since. The server sets the time of an entry before it calls webhooks, and the
 * creation time after that.
 */
function isCreation({ operation, time }: ManagedFields, creationTimestamp?: string): boolean {
  if (operation !== 'Update' || time === undefined || creationTimestamp === undefined) return false;
  return Date.parse(time) <= Date.parse(creationTimestamp);
}

/** The union of two sets of fields. A set consists of nested objects whose leaves are empty. */
function union(a: Mapping, b: unknown): Mapping {
  const both: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(mappingOf(b))) {
    both[key] = union(mappingOf(both[key]), value);
  }
  return both;
}

export function entriesOf(managedFields: unknown): readonly ManagedFields[] {
  return Array.isArray(managedFields) ? managedFields.filter((each) => isMapping(each)) : [];
}
