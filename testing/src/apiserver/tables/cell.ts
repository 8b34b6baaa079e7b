/** Functions that make the cells of a Table. */

import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { ageOf } from './age.ts';
import { type Cell, column, type TableColumn } from './column.ts';

/**
 * How many items of a list a cell contains. Like in Kubernetes, only the number of the remaining items
 * follows.
 */
const SHOWN_ITEMS = 3;

export const NAME: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
};

export const AGE: TableColumn = column(
  'Age',
  ({ metadata }, nowMs) => ageOf(metadata.creationTimestamp, nowMs),
  {
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  },
);

/** Reads the field at a path such as `spec.replicas`. */
export function at(path: string): (object: unknown) => unknown {
  const fields = path.split('.');
  return (object) => valueAt(object, fields);
}

/** @param otherwise - the content of the cell if the field is absent. */
export function text(path: string, otherwise = ''): Cell {
  const read = at(path);
  return (object) => String(read(object) ?? otherwise);
}

/** Like `text`, but an empty string counts as absent. */
export function filled(path: string, otherwise: string): Cell {
  const read = at(path);
  return (object) => String(read(object) || otherwise);
}

export function count(path: string, otherwise = 0): Cell {
  const read = at(path);
  return (object) => Number(read(object) ?? otherwise);
}

export function fact(path: string, otherwise = false): Cell {
  const read = at(path);
  return (object) => read(object) ?? otherwise;
}

/** A cell with the total number of items or entries in several lists and maps. */
export function size(...paths: string[]): Cell {
  const readers = paths.map(at);
  return (object) => {
    let total = 0;
    for (const read of readers) {
      const map = read(object);
      if (typeof map === 'object' && map !== null) total += Object.keys(map).length;
    }
    return total;
  };
}

/** A cell with two counts, such as `2/3`. */
export function ofTotal(ready: string, wanted: string): Cell {
  const [have, want] = [count(ready), count(wanted)];
  return (object, nowMs) => `${have(object, nowMs)}/${want(object, nowMs)}`;
}

/** A cell with the age of the time at a path. */
export function since(path: string, otherwise = '<unknown>'): Cell {
  const read = at(path);
  return (object, nowMs) => {
    const time = read(object);
    return time === undefined || time === null ? otherwise : ageOf(time, nowMs);
  };
}

/** The objects in the list at a path; empty if there is no list. */
export function itemsAt(object: unknown, path: string): readonly Json[] {
  const list = at(path)(object);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The items of the list at a path, as strings. */
export function textsAt(object: unknown, path: string): readonly string[] {
  const list = at(path)(object);
  return Array.isArray(list) ? list.map(String) : [];
}

export function joined(path: string, otherwise = ''): Cell {
  return (object) => textsAt(object, path).join(',') || otherwise;
}

/** The first items, and the number of the remaining items. */
export function shortened(items: readonly string[], whenEmpty: string): string {
  if (items.length === 0) return whenEmpty;
  const shown = items.slice(0, SHOWN_ITEMS).join(',');
  const more = items.length - SHOWN_ITEMS;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

/** The object's condition of this type; undefined if it has none. */
export function conditionOf(object: StoredObject, type: string): Json | undefined {
  return itemsAt(object, 'status.conditions').find((condition) => condition.type === type);
}

export function conditionHolds(object: StoredObject, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}
