import type { Caller } from '../auth/user.ts';
import type { Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** The caller of a write, and the options of the write. */
export interface Writer {
  /** The sender of the write; absent for the server's own writes. */
  readonly caller?: Caller | undefined;
  readonly dryRun: boolean;
  /** Receives the text of each Warning header. */
  readonly warn: (text: string) => void;
  /** Receives each audit annotation. */
  readonly annotate: (key: string, value: string) => void;
}

/** A write as admission sees it. For validating admission the object is complete and valid. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The resource in the version of `object` and `previous`. */
  readonly served: ServedResource;
  /** The resource in the version that the client requested. Set only if a rule matches another version. */
  readonly requested?: ServedResource;
  readonly subresource: string | undefined;
  /** The namespace of the object. For a Namespace, its own name. */
  readonly namespace: string | undefined;
  /**
   * The name of the object. Empty for a create whose name the server generates, and for each object of a
   * deleted collection.
   */
  readonly name: string;
  /** The new object; undefined for a DELETE. */
  readonly object: StoredObject | undefined;
  /** The previous object; undefined for a CREATE. */
  readonly previous: StoredObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as they were sent. */
  readonly options: Json;
  readonly writer: Writer;
}

/**
 * The name of the object in error messages (k8s.io/apiserver, pkg/admission/errors.go,
 * extractResourceName).
 */
export function nameInRefusals({ name, object }: AdmissionRequest): string {
  const { name: own, generateName } = object?.metadata ?? {};
  return name || own || String(generateName ?? '') || 'Unknown';
}

/** The options of an operation, as admission sees them. */
export function operationOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions',
  sent: Json,
): Json {
  return { kind, apiVersion: 'meta.k8s.io/v1', ...sent };
}
