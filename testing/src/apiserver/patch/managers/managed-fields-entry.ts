import type { JsonObject } from '../../objects/json-value.ts';

/** One entry of `metadata.managedFields`: what one manager owns, through one way of writing. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** RFC 3339, whole seconds. Of the last write that changed what the entry says. */
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: JsonObject;
  /** Absent for the main resource. */
  readonly subresource?: string;
}

/** Who writes, how and when: what every recorded write has in common. */
export interface WriteIdentity {
  readonly manager: string;
  /** Of the version that was written to. */
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /**
   * The `openAPIV3Schema` of a custom resource, read for `x-kubernetes-list-type`, `-list-map-keys`
   * and `-map-type`. Without it lists of a custom resource are atomic. Not used for built-in kinds.
   */
  readonly schema?: JsonObject | undefined;
}

export interface ServerSideApplyRequest extends WriteIdentity {
  /** The stored object, with its managedFields; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The applied configuration, without managedFields. */
  readonly applied: JsonObject;
  /** Takes fields over from other managers instead of failing. */
  readonly force: boolean;
  /**
   * Fields that this endpoint does not write, as paths from the root (`['status']` for the main
   * resource of a kind with a status subresource). They are neither owned nor changed.
   */
  readonly ignoredFields?: readonly (readonly string[])[];
}

export interface ServerSideApplyResult {
  /** The merged object, without managedFields. The caller defaults and validates it. */
  readonly object: JsonObject;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

export interface RecordUpdateRequest extends WriteIdentity {
  /** The stored object before the write, with its managedFields; undefined for a create. */
  readonly before: JsonObject | undefined;
  /**
   * What the client wrote, after defaulting and before what the server adds on its own account (the
   * finalizer of a Namespace, `status.phase`, a Pod's token volume: nobody owns those). Its
   * managedFields are what the client sent, if any.
   */
  readonly after: JsonObject;
}
