/**
 * The building blocks of the types of built-in kinds. All files in this folder except `resources.ts` contain
 * only types, which do not exist when the program runs.
 *
 * One type serves reading and writing. A field is required if the API refuses an object without it. A field
 * that the server fills in is optional, even in the types of objects that were read. If the API accepts only
 * certain values, the type has exactly these values, so that the compiler reports a misspelt value. A newer
 * server may have more values. Fields that only the system sets, in statuses, accept any other value as well:
 * see `OpenEnum`.
 *
 * @module
 */

import type { KubernetesObject, ObjectMeta } from '../object.ts';

/**
 * A quantity: a number, or a string with a suffix such as `500m` or `1Gi`. API servers always answer with a
 * string: for a `2` in the request, the answer contains `'2'`.
 */
export type Quantity = number | string;

/**
 * A number or a string, for example the number or the name of a port. In other fields the string is a
 * percentage.
 */
export type IntOrString = number | string;

/** A time in the format of RFC 3339 with whole seconds, see `rfc3339`. */
export type Time = string;

/** A time in the format of RFC 3339 with six fractional digits, see `rfc3339Micro`. */
export type MicroTime = string;

/** A duration as Go writes it: `1h30m`. */
export type Duration = string;

/** Bytes, encoded in base64. */
export type Base64 = string;

/** One of the values that are known today, or a value that a later release adds. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/** An object inside another object. It needs neither `apiVersion` and `kind` nor a name. */
export type Embedded<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<ObjectMeta>;
};
