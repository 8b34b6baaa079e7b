import type { ObjectMeta } from '../../model/object.ts';
import type { CustomObject } from '../custom-object.ts';
import type { TObject, TSchema } from '../type.ts';
import type { VersionOptions } from '../version.ts';

/** What a conversion makes of an object: its fields in the other version. */
export type Converted<Spec extends TSchema, Status extends TObject | undefined> = Pick<
  CustomObject<Spec, Status>,
  'spec'
> & {
  /** Not needed. If it is given, it is the version of the argument or of the result. */
  readonly apiVersion?: string;
  /** Not needed. If it is given, it is the kind of the argument. */
  readonly kind?: string;
  /** Other labels and annotations. Each other field that is given must be that of the argument. */
  readonly metadata?: Partial<ObjectMeta>;
} & (Status extends TObject
    ? { readonly status: CustomObject<Spec, Status>['status'] | undefined }
    : { readonly status?: undefined });

/** Both directions between two versions of a resource that are neighbours. */
export interface ConversionFunctions<
  OlderSpec extends TSchema,
  OlderStatus extends TObject | undefined,
  NewerSpec extends TSchema,
  NewerStatus extends TObject | undefined,
> {
  /** From the older version to the newer one. */
  up(object: CustomObject<OlderSpec, OlderStatus>): Converted<NewerSpec, NewerStatus>;
  /** From the newer version to the older one. */
  down(object: CustomObject<NewerSpec, NewerStatus>): Converted<OlderSpec, OlderStatus>;
}

/** Two versions of a resource, and how an object of one becomes an object of the other. Frozen. */
export interface Conversion {
  /** Name of a version, such as `v1alpha1`. */
  readonly older: string;
  /** Name of a version, such as `v1`. */
  readonly newer: string;
  /** Takes an object of the older version, and returns the fields of the newer one. */
  readonly up: (object: never) => unknown;
  /** Takes an object of the newer version, and returns the fields of the older one. */
  readonly down: (object: never) => unknown;
}

/**
 * Says how objects of two versions of a resource become each other: for the option `convert` of
 * `customResource`, with the same values that declare the two versions.
 *
 * The functions are pure and synchronous. Each is called with a copy of the object, which may be older than
 * today's rules, and to which server-side apply may have left only some of its fields. What the result does
 * not express is kept in an annotation, and comes back with the opposite function.
 */
export function conversion<
  OlderSpec extends TSchema,
  NewerSpec extends TSchema,
  OlderStatus extends TObject | undefined = undefined,
  NewerStatus extends TObject | undefined = undefined,
>(
  older: VersionOptions<OlderSpec, OlderStatus>,
  newer: VersionOptions<NewerSpec, NewerStatus>,
  { up, down }: ConversionFunctions<OlderSpec, OlderStatus, NewerSpec, NewerStatus>,
): Conversion {
  return Object.freeze({ older: older.version, newer: newer.version, up, down });
}
