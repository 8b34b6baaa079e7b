/**
 * The building blocks of the types of built-in kinds. All files in this folder except `resources.ts` contain
 * only types, which do not exist when the program runs.
 *
 * One type serves reading and writing. A field is required if the API refuses an object without it. A field
 * that the server fills in is optional, even in the types of objects that were read. If the API accepts only
 * certain values, the type has exactly these values, so that the compiler reports a misspelt value. A newer
 * server may have more values. Values that only the system reports, in statuses, are open: see `OpenEnum`.
 *
 * @module
 */

import type { KubernetesObject, ObjectMeta } from '../object.ts';

/**
 * `500m`, `1Gi`: a number with a suffix, or a number. A server answers with a string: it returns `2` as
 * `'2'`.
 */
export type Quantity = number | string;

/** A number or a name, for example of a port; or a number or a percentage. */
export type IntOrString = number | string;

/** RFC 3339 in whole seconds, see `rfc3339`. */
export type Time = string;

/** RFC 3339 with six fractional digits, see `rfc3339Micro`. */
export type MicroTime = string;

/** A duration as Go writes it: `1h30m`. */
export type Duration = string;

/** Bytes, in base64. */
export type Base64 = string;

/** One of the values that are known today, or a value that a later release adds. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/** An object inside another object. It needs neither `apiVersion` and `kind` nor a name. */
export type Embedded<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<ObjectMeta>;
};
