/**
 * What the types of built-in kinds are made of. All files of this folder except `resources.ts` hold
 * types and nothing else: they are gone when the program runs.
 *
 * One type serves reading and writing. A field is required where the API refuses an object without
 * it; whatever the server fills in may be left out, so it may be absent when the types are read, too.
 * Where the API takes some values and refuses all others, the type has just those: a misspelt value
 * is an error of the compiler. A newer server may know more of them. What only the system reports
 * (statuses) is open: see `OpenEnum`.
 *
 * @module
 */

import type { KubernetesObject, ObjectMeta } from '../object.ts';

/** `500m`, `1Gi`: a number with a suffix, or a number. A server answers with text: `2` is `'2'`. */
export type Quantity = number | string;

/** A number or a name, for example of a port; or a number or a percentage. */
export type IntOrString = number | string;

/** RFC 3339 in whole seconds, see `rfc3339`. */
export type Time = string;

/** RFC 3339 with six fractional digits, see `rfc3339Micro`. */
export type MicroTime = string;

/** As Go writes it: `1h30m`. */
export type Duration = string;

/** Bytes, in base64. */
export type Base64 = string;

/** One of the values that are known today, or one that a later release adds. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/** An object inside another one, which has no type of its own and needs no name. */
export type Embedded<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<ObjectMeta>;
};
