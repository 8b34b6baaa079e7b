import { isDeepStrictEqual } from 'node:util';
import { valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { IMMUTABLE, invalidShown, type Problem, shown } from './problem.ts';

/** Returns the problems of a change of an object. */
export type ChangeCheck = (object: StoredObject, previous: StoredObject) => readonly Problem[];

export function changed(
  object: StoredObject,
  previous: StoredObject,
  path: readonly string[],
): boolean {
  return !isDeepStrictEqual(valueAt(object, path), valueAt(previous, path));
}

/**
 * Refuses changes of fields.
 *
 * @param paths - the paths of the fields, with dots.
 * @param show - formats the new value for the message.
 */
export function immutable(
  paths: readonly string[],
  show: (value: unknown) => string = shown,
): ChangeCheck {
  return (object, previous) =>
    paths.flatMap((field) => {
      const path = field.split('.');
      if (!changed(object, previous, path)) return [];
      return [invalidShown(field, show(valueAt(object, path)), IMMUTABLE)];
    });
}
