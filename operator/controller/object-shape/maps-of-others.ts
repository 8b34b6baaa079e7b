import { deepCopy } from '../../core/json/deep-json.ts';
import { jsonOf } from '../../core/json/json-of.ts';
import { isMapping, type Mapping, mappingOf } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { memberOf } from '../children/json-difference.ts';
import { isNameOf, sharesOf, statusOf } from './condition-list.ts';

/**
 * A path in the notation of managedFields: `f:spec`, `k:{"name":"a"}`, and `.` for a map or an item itself.
 */
export type Path = readonly string[];

/**
 * The maps in the owned `fields` that `stated` lacks and in which other managers have fields. A manager that
 * applies a field in a map without a schema also owns the map. If its next apply lacked the map, the server
 * would remove the map with the fields of all managers. List items that `stated` lacks are not included: the
 * server removes such an item as a whole.
 *
 * @param others - the fields of each of the other managers.
 */
export function sharedMaps(
  fields: Mapping,
  others: readonly Mapping[],
  stated: unknown,
): readonly Path[] {
  const found: Path[] = [];
  const waiting: {
    readonly own: Mapping;
    readonly others: readonly Mapping[];
    readonly said: unknown;
    readonly path: Path;
  }[] = [{ own: fields, others, said: stated, path: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, own] of Object.entries(next.own)) {
      const others = next.others
        .map((each) => mappingOf(each[name]))
        .filter((each) => !isEmpty(each));
      const isField = name.startsWith('f:');
      const said = isField ? memberOf(next.said, name.slice(2)) : itemOf(next.said, name);
      const path = [...next.path, name];
      if (!isMapping(own) || others.length === 0 || (said === undefined && !isField)) continue;
      if (said === undefined && isEmpty(own)) found.push(path);
      if (said === undefined && Object.hasOwn(own, '.')) found.push([...path, '.']);
      waiting.push({ own, others, said, path });
    }
  }
  return found;
}

/**
 * `status` with additional empty maps: the maps that `status` lacks and in which other managers have fields.
 * So the server keeps those maps and fields. The ownership of the maps cannot be given up, because the API
 * server does not accept managedFields through a subresource.
 *
 * @param object - the object from the server, with its managedFields.
 */
export function withMapsOfOthers<S extends Mapping>(
  object: KubernetesObject,
  status: S,
  fieldManager: string,
): S {
  const shares = sharesOf(object);
  const own = shares.filter((each) => each.isApplied && isNameOf(fieldManager, each.manager));
  const others = shares.filter((each) => !own.includes(each)).map(({ fields }) => fields);
  const paths = own
    .flatMap(({ fields }) => sharedMaps(fields, others, status))
    .filter((path) => isMapping(path.reduce<unknown>(partAt, statusOf(object))));
  if (paths.length === 0) return status;
  const copy = deepCopy(status);
  for (const path of paths) path.reduce<unknown>(madeAt, copy);
  return copy;
}

/** The member of `holder` with this name in the notation of managedFields. */
function partAt(holder: unknown, name: string): unknown {
  if (name === '.') return holder;
  return name.startsWith('f:') ? memberOf(holder, name.slice(2)) : itemOf(holder, name);
}

/** Like `partAt`, but creates a missing map. */
function madeAt(holder: unknown, name: string): unknown {
  const known = partAt(holder, name);
  if (known !== undefined || !isMapping(holder)) return known;
  const made = {};
  (holder as Record<string, unknown>)[name.slice(2)] = made;
  return made;
}

/** The item of a list with this key in the notation of managedFields, such as `k:{"name":"a"}`. */
function itemOf(list: unknown, name: string): unknown {
  if (!Array.isArray(list) || !name.startsWith('k:')) return undefined;
  const key = Object.entries(mappingOf(jsonOf(name.slice(2))));
  return list.find((item: unknown) =>
    key.every(([field, value]) => memberOf(item, field) === value),
  );
}

export function isEmpty(value: unknown): boolean {
  return Object.keys(mappingOf(value)).length === 0;
}

/** True if objects can have maps without a schema. Kubernetes' own kinds have none. */
export function mayHaveOpenMaps({ group }: Resource): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io');
}

/**
 * True if `shown` has a map that `stated` lacks. Other managers may have fields in such a map.
 *
 * @param shown - the status of the object, or the object without its metadata and status.
 */
export function lacksMaps(resource: Resource, shown: Mapping, stated: unknown): boolean {
  if (!mayHaveOpenMaps(resource)) return false;
  const waiting: [Mapping, unknown][] = [[shown, stated]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, part] of Object.entries(next[0])) {
      const said = memberOf(next[1], name);
      if (Array.isArray(part) && part.some(hasMap)) return true;
      if (!isMapping(part)) continue;
      if (said === undefined) return true;
      waiting.push([part, said]);
    }
  }
  return false;
}

function hasMap(item: unknown): boolean {
  return Object.values(mappingOf(item)).some(isMapping);
}
