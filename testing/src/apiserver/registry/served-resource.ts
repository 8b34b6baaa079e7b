import type { Resource } from 'chancery';
import type { FieldError } from '../failures/invalid.ts';
import type { Json } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import type { TableColumn } from '../tables/column.ts';

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /**
   * The group and version of the subresource's kind, if the resource itself has a different group or version,
   * as for Scale and Eviction.
   */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** The fields of a custom resource that its `/scale` contains, as paths of field names. */
export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** The rules for writes of one kind. The functions return new objects, and never change an object. */
export interface Strategy {
  /**
   * Converts the body of a request to the storage format: prunes unknown fields and sets defaults. `previous`
   * is undefined for a create. After an apply, a custom resource keeps its nulls.
   */
  prepare(
    object: StoredObject,
    previous: StoredObject | undefined,
    applied?: boolean,
  ): StoredObject;
  /**
   * Restores, counts or drops fields when an object is changed. This does not change the owners of the
   * fields.
   */
  keep?(object: StoredObject, previous: StoredObject, nowMs: number): StoredObject;
  /** Adds the fields that the server sets itself. These fields have no owner. */
  complete(object: StoredObject): StoredObject;
  validate(object: StoredObject, previous: StoredObject | undefined): readonly FieldError[];
  /** Dotted names of fields that the schema does not declare, for `fieldValidation`. */
  unknownFields(object: StoredObject): readonly string[];
  /** The fields that a field selector can use in addition to metadata.name and metadata.namespace. */
  selectableFields(object: StoredObject): Readonly<Record<string, string>>;
  /**
   * Returns the object as it is when its deletion begins, for kinds with special rules. If omitted, only the
   * grace period and the finalizers matter.
   */
  terminate?(object: StoredObject, nowMs: number): StoredObject;
  /** True if a change of any field except status and metadata increases metadata.generation. */
  readonly generations: boolean;
  /** True if a change of annotations increases metadata.generation too. */
  readonly annotationsCount?: boolean;
}

/**
 * A request to a custom resource that may have to wait, because the resource has just begun to be served.
 */
export interface GatedRequest {
  readonly method: string;
  /** This signal is aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
}

/** A resource in one version, as the server serves it. */
export interface ServedResource extends Resource {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /**
   * The collection that stores the objects of this resource. Two resources share a collection if they are
   * different representations of the same objects.
   */
  readonly storedAs: ResourceName;
  /** The version in which objects are stored. */
  readonly storageVersion: string;
  /** True for a resource of a CustomResourceDefinition, for which many rules are different. */
  readonly custom: boolean;
  readonly strategy: Strategy;
  readonly columns: readonly TableColumn[];
  readonly scale?: ScalePaths;
  /**
   * Changes a stored object for its readers, before its apiVersion is changed to the requested version. A
   * custom object gets the defaults of its schema, and loses unknown fields. Returns the same object if
   * nothing changes.
   */
  readonly revised?: (object: StoredObject) => StoredObject;
  /** Delays or refuses requests for a custom resource that the server has just begun to serve. */
  readonly gate?: (request: GatedRequest) => Promise<void>;
  /** The reason why no object can be created any more; undefined if objects can be created. */
  readonly closed?: string;
  /** The structural schema of a custom resource. */
  readonly schema?: Json;
  /** True if a PUT of an object that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** Converts between this version and the stored version, if the definition has a conversion webhook. */
  readonly converter?: Converter;
  /**
   * Converts an object between this version and its storage format. Absent if the two differ only in the
   * apiVersion.
   */
  readonly shape?: {
    toStored(object: StoredObject): StoredObject;
    fromStored(object: StoredObject): StoredObject;
  };
}

/**
 * Calls the conversion webhook of a definition. Both methods reject with an ApiError when the call
 * fails.
 */
export interface Converter {
  /** The objects in this version, in the same order. */
  fromStored(objects: readonly StoredObject[]): Promise<readonly StoredObject[]>;
  /** The object in the stored version. */
  toStored(object: StoredObject): Promise<StoredObject>;
}

/**
 * Converts a stored object to this version of the resource. If the resource has a conversion webhook,
 * `object` must already be converted.
 */
export function fromStored(served: ServedResource, object: StoredObject): StoredObject {
  if (served.shape !== undefined) return served.shape.fromStored(object);
  const seen = served.revised?.(object) ?? object;
  if (served.converter !== undefined) return seen;
  const apiVersion = served.group === '' ? served.version : `${served.group}/${served.version}`;
  return seen.apiVersion === apiVersion ? seen : { ...seen, apiVersion };
}

/**
 * Converts `object` from this version to the storage version. If the resource has a conversion webhook, the
 * webhook converts the object later, and the object keeps its version until then.
 */
export function toStored(served: ServedResource, object: StoredObject): StoredObject {
  if (served.shape !== undefined) return served.shape.toStored(object);
  if (served.converter !== undefined) return object;
  const apiVersion =
    served.group === '' ? served.storageVersion : `${served.group}/${served.storageVersion}`;
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** The group and kind in which an object is stored. The server's errors use these names. */
export function storedKind({
  kind,
  group,
  storedAs,
}: ServedResource): Pick<Resource, 'group' | 'kind'> {
  // Events of both APIs are stored as core Events.
  return storedAs === 'events' ? { kind, group: '' } : { kind, group };
}

export function subresourceOf(served: ServedResource, name: string): Subresource | undefined {
  return served.subresources.find((subresource) => subresource.name === name);
}
