import type { ObjectMeta } from '../../model/object.ts';
import type { CustomObject } from '../custom-object.ts';
import type { TObject, TSchema } from '../type.ts';
import type { VersionOptions } from '../version.ts';

/** The result of a conversion: the fields of an object in the other version. */
export type Converted<Spec extends TSchema, Status extends TObject | undefined> = {
  /** The spec, as the schema of the other version describes it. */
  readonly spec: CustomObject<Spec, Status>['spec'];
  /**
   * Optional. If present, it must be the version of the function's argument, or the version to convert to.
   */
  readonly apiVersion?: string;
  /** Optional. If present, it must be equal to the `kind` of the function's argument. */
  readonly kind?: string;
  /**
   * Optional. The labels and annotations may differ from those of the function's argument. All other fields
   * must be equal.
   */
  readonly metadata?: Partial<ObjectMeta>;
} & (Status extends TObject
  ? { readonly status: CustomObject<Spec, Status>['status'] | undefined }
  : { readonly status?: undefined });

/** The functions between two neighbouring versions of a resource, one for each direction. */
export interface ConversionFunctions<
  OlderSpec extends TSchema,
  OlderStatus extends TObject | undefined,
  NewerSpec extends TSchema,
  NewerStatus extends TObject | undefined,
> {
  /** Converts an object of the older version to the newer version. */
  up(object: CustomObject<OlderSpec, OlderStatus>): Converted<NewerSpec, NewerStatus>;
  /** Converts an object of the newer version to the older version. */
  down(object: CustomObject<NewerSpec, NewerStatus>): Converted<OlderSpec, OlderStatus>;
}

/** Two versions of a resource, and the functions that convert objects between them. Frozen. */
export interface Conversion {
  /** Name of the older version, such as `v1alpha1`. */
  readonly older: string;
  /** Name of the newer version, such as `v1`. */
  readonly newer: string;
  /** Takes an object of the older version, and returns the fields of the newer version. */
  readonly up: (object: never) => unknown;
  /** Takes an object of the newer version, and returns the fields of the older version. */
  readonly down: (object: never) => unknown;
}

/**
 * Declares how objects are converted between two versions of a resource, for the option `convert` of
 * `customResource`. The arguments are the same values that declare the two versions.
 *
 * The functions are pure and synchronous. Each is called with a copy of the object. The object may have been
 * stored before the current rules of the schema. In a server-side apply it may have only some of its fields.
 * Fields that the result cannot express are kept in an annotation, and are restored when the object is
 * converted back.
 */
export function conversion<
  OlderSpec extends TSchema,
  NewerSpec extends TSchema,
  OlderStatus extends TObject | undefined = undefined,
  NewerStatus extends TObject | undefined = undefined,
>(
  older: VersionOptions<OlderSpec, OlderStatus>,
  newer: VersionOptions<NewerSpec, NewerStatus>,
  {
    up,
    down,
  }: ConversionFunctions<
    NoInfer<OlderSpec>,
    NoInfer<OlderStatus>,
    NoInfer<NewerSpec>,
    NoInfer<NewerStatus>
  >,
): Conversion {
  return Object.freeze({ older: older.version, newer: newer.version, up, down });
}
