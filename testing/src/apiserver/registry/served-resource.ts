import type { Resource } from 'chancery';
import type { FieldError } from '../failures/invalid.ts';
import type { Json } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import type { TableColumn } from '../tables/column.ts';

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Set if they differ from those of the resource, as for a Scale or an Eviction. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** The fields of a custom resource that its `/scale` shows, as paths of field names. */
export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** The rules for writes of one kind. Pure: the functions return new objects and change none. */
export interface Strategy {
  /**
   * The body of a request in its stored form: unknown fields are pruned, and defaults are set.
   * `previous` is undefined for a create. After an apply, a custom resource keeps its nulls.
   */
  prepare(
    object: StoredObject,
    previous: StoredObject | undefined,
    applied?: boolean,
  ): StoredObject;
  /** Keeps, counts or drops fields in a change, without changing their owners. */
  keep?(object: StoredObject, previous: StoredObject, nowMs: number): StoredObject;
  /** Adds the fields that the server sets itself, which have no owner. */
  complete(object: StoredObject): StoredObject;
  validate(object: StoredObject, previous: StoredObject | undefined): readonly FieldError[];
  /** Dotted names of fields that the schema does not declare, for `fieldValidation`. */
  unknownFields(object: StoredObject): readonly string[];
  /** The fields that a field selector can use, besides metadata.name and metadata.namespace. */
  selectableFields(object: StoredObject): Readonly<Record<string, string>>;
  /**
   * The object at the beginning of its deletion, for kinds with special rules. If omitted, grace
   * period and finalizers apply.
   */
  terminate?(object: StoredObject, nowMs: number): StoredObject;
  /** True if a change of any field except status and metadata increases metadata.generation. */
  readonly generations: boolean;
  /** True if a change of annotations increases it too. */
  readonly annotationsCount?: boolean;
}

/** The parts of a request that a gate needs. */
export interface GatedRequest {
  readonly method: string;
  /** Aborted when the client disconnects. */
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
   * The collection that stores its objects. Two resources share a collection if they are two forms
   * of the same objects.
   */
  readonly storedAs: ResourceName;
  /** The version in which objects are stored. */
  readonly storageVersion: string;
  /** True for a resource of a CustomResourceDefinition, which has other rules in many places. */
  readonly custom: boolean;
  readonly strategy: Strategy;
  readonly columns: readonly TableColumn[];
  readonly scale?: ScalePaths;
  /**
   * A stored object as readers see it, before its apiVersion is changed to the requested one. A
   * custom resource shows the defaults of its schema, and no unknown fields. Returns the same
   * object if nothing changes.
   */
  readonly revised?: (object: StoredObject) => StoredObject;
  /** Delays or refuses a request, for a custom resource that the server has just begun to serve. */
  readonly gate?: (request: GatedRequest) => Promise<void>;
  /** Why no object can be created any more. */
  readonly closed?: string;
  /** The structural schema of a custom resource. */
  readonly schema?: Json;
  /** True if a PUT of an absent object creates it. */
  readonly createOnUpdate: boolean;
  /** Converts between this version and the stored version, if a webhook does that. */
  readonly converter?: Converter;
  /** Conversion from and to the stored form. Absent if only the apiVersion differs. */
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
 * `object` as this version of the resource shows it. If a webhook converts, `object` must already
 * be converted.
 */
export function fromStored(served: ServedResource, object: StoredObject): StoredObject {
  if (served.shape !== undefined) return served.shape.fromStored(object);
  const seen = served.revised?.(object) ?? object;
  if (served.converter !== undefined) return seen;
  const apiVersion = served.group === '' ? served.version : `${served.group}/${served.version}`;
  return seen.apiVersion === apiVersion ? seen : { ...seen, apiVersion };
}

/**
 * `object`, which was sent in this version, in the storage version. If a webhook converts, that
 * happens later, and the object keeps its version until then.
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
