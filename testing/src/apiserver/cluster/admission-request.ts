import type { Caller } from '../auth/user.ts';
import type { Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** The caller of a write, and how the write is carried out. */
export interface Writer {
  /** Absent for writes of the server itself. */
  readonly caller?: Caller | undefined;
  readonly dryRun: boolean;
  /** Takes the text of each Warning header. */
  readonly warn: (text: string) => void;
}

/** A write that is complete and valid, as validating admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The resource in the version of the request. */
  readonly served: ServedResource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** Empty for each object of a collection that is deleted. */
  readonly name: string;
  /** In the version of the request; undefined for a DELETE. */
  readonly object: StoredObject | undefined;
  /** The state before, in the version of the request; undefined for a CREATE. */
  readonly previous: StoredObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions, as they were sent. */
  readonly options: Json;
  readonly writer: Writer;
}

/** The options of an operation, as admission sees them. */
export function operationOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions',
  sent: Json,
): Json {
  return { kind, apiVersion: 'meta.k8s.io/v1', ...sent };
}
