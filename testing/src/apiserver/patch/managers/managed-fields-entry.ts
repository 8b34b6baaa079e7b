import type { JsonObject } from '../../objects/json-value.ts';

/**
 * One entry of `metadata.managedFields`: the fields that one manager owns through one operation.
 */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** The time of the last write that changed the entry, in RFC 3339 with whole seconds. */
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: JsonObject;
  /** The subresource through which the fields were written; absent for the main resource. */
  readonly subresource?: string;
}

/** The identity and time of a write. */
export interface WriteIdentity {
  readonly manager: string;
  /** The API version in which the object was written. */
  readonly apiVersion: string;
  /** The subresource that was written to; empty for the main resource. */
  readonly subresource: string;
  /** The time in RFC 3339, with whole seconds. */
  readonly time: string;
  /**
   * The `openAPIV3Schema` of a custom resource, read for `x-kubernetes-list-type`, `-list-map-keys` and
   * `-map-type`. If omitted, all lists of a custom resource are atomic. Not used for built-in kinds.
   */
  readonly schema?: JsonObject | undefined;
}

export interface ServerSideApplyRequest extends WriteIdentity {
  /** The stored object, with its managedFields; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The applied configuration, without managedFields. */
  readonly applied: JsonObject;
  /** True if the apply takes over fields of other managers instead of failing. */
  readonly force: boolean;
  /**
   * Fields that a write through the requested path does not change, as paths from the root. For the main
   * resource of a kind with a status subresource, this is `['status']`. The apply neither owns nor changes
   * these fields.
   */
  readonly ignoredFields?: readonly (readonly string[])[];
}

export interface ServerSideApplyResult {
  /**
   * The merged object, without managedFields. The caller sets the defaults in this object and validates it.
   */
  readonly object: JsonObject;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

export interface RecordUpdateRequest extends WriteIdentity {
  /** The stored object before the write, with its managedFields; undefined for a create. */
  readonly before: JsonObject | undefined;
  /**
   * The object as the client wrote it: after defaulting, and before the server adds fields that have no
   * owner, such as the finalizer of a Namespace, `status.phase` or a Pod's token volume. It has the
   * `managedFields` that the client sent, if there are any.
   */
  readonly after: JsonObject;
}
