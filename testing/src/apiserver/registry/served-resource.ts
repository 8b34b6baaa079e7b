import type { Resource } from 'chancery';
import type { FieldError } from '../failures/invalid.ts';
import type { Json } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import type { TableColumn } from '../tables/column.ts';

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  /** Set where they differ from those of the resource: a Scale, an Eviction. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Where a custom resource keeps what its `/scale` shows, as paths of field names. */
export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | undefined;
}

/** What a write of one kind means beyond storing it. Pure: returns new objects, changes none. */
export interface Strategy {
  /**
   * The body of a request in the form in which it is stored: unknown fields pruned, defaults set.
   * `previous` is undefined for a create. After an apply a custom resource keeps its nulls.
   */
  prepare(
    object: StoredObject,
    previous: StoredObject | undefined,
    applied?: boolean,
  ): StoredObject;
  /** What a change keeps, counts or drops, which is no change of who owns it. */
  keep?(object: StoredObject, previous: StoredObject, nowMs: number): StoredObject;
  /** Adds what the server sets on its own account, which no field manager owns. */
  complete(object: StoredObject): StoredObject;
  validate(object: StoredObject, previous: StoredObject | undefined): readonly FieldError[];
  /** Dotted names of fields that the schema does not know, for `fieldValidation`. */
  unknownFields(object: StoredObject): readonly string[];
  /** What a field selector may ask for besides metadata.name and metadata.namespace. */
  selectableFields(object: StoredObject): Readonly<Record<string, string>>;
  /** The object when its deletion begins, of a kind that ends in a way of its own. Default: grace and finalizers. */
  terminate?(object: StoredObject, nowMs: number): StoredObject;
  /** True when the change of anything but status and metadata raises metadata.generation. */
  readonly generations: boolean;
  /** True when a change of annotations raises it too. */
  readonly annotationsCount?: boolean;
}

/** As much of a request as decides whether it is let in. */
export interface GatedRequest {
  readonly method: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
}

/** A resource of one version as the server serves it. */
export interface ServedResource extends Resource {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** The collection that keeps its objects; two resources share it when they are two shapes of one. */
  readonly storedAs: ResourceName;
  /** The version in which it is stored. */
  readonly storageVersion: string;
  /** True for a resource of a CustomResourceDefinition: other rules hold for it in many places. */
  readonly custom: boolean;
  readonly strategy: Strategy;
  readonly columns: readonly TableColumn[];
  readonly scale?: ScalePaths;
  /**
   * What readers see of a stored object before its apiVersion is that of the request: a custom
   * resource shows the defaults of its schema, and no field that the schema does not know. The same
   * object when that is no different.
   */
  readonly revised?: (object: StoredObject) => StoredObject;
  /** Makes a request wait, or refuses it: of a custom resource that has only begun to be served. */
  readonly gate?: (request: GatedRequest) => Promise<void>;
  /** Why no object can be created any more. */
  readonly closed?: string;
  /** The structural schema of a custom resource. */
  readonly schema?: Json;
  /** A PUT of an absent object creates it. */
  readonly createOnUpdate: boolean;
  /** Converts between this version and the stored one, where a webhook does so. */
  readonly converter?: Converter;
  /** From and to the stored shape; absent where only apiVersion differs. */
  readonly shape?: {
    toStored(object: StoredObject): StoredObject;
    fromStored(object: StoredObject): StoredObject;
  };
}

/** Asks the conversion webhook of a definition. Both reject with an ApiError when that fails. */
export interface Converter {
  /** The objects in this version, in the same order. */
  fromStored(objects: readonly StoredObject[]): Promise<readonly StoredObject[]>;
  /** The object in the stored version. */
  toStored(object: StoredObject): Promise<StoredObject>;
}

/**
 * `object` as this version of the resource shows it. Where a webhook converts, `object` has been
 * converted before.
 */
export function fromStored(served: ServedResource, object: StoredObject): StoredObject {
  if (served.shape !== undefined) return served.shape.fromStored(object);
  const seen = served.revised?.(object) ?? object;
  if (served.converter !== undefined) return seen;
  const apiVersion = served.group === '' ? served.version : `${served.group}/${served.version}`;
  return seen.apiVersion === apiVersion ? seen : { ...seen, apiVersion };
}

/**
 * `object`, which came in this version of the resource, in the version of the storage. Where a webhook
 * converts, that is done last: until then the object stays in its version.
 */
export function toStored(served: ServedResource, object: StoredObject): StoredObject {
  if (served.shape !== undefined) return served.shape.toStored(object);
  if (served.converter !== undefined) return object;
  const apiVersion =
    served.group === '' ? served.storageVersion : `${served.group}/${served.storageVersion}`;
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** The group and kind in which an object is stored: what the server calls it when it refuses it. */
export function storedKind({
  kind,
  group,
  storedAs,
}: ServedResource): Pick<Resource, 'group' | 'kind'> {
  // Events of both APIs are core Events.
  return storedAs === 'events' ? { kind, group: '' } : { kind, group };
}

export function subresourceOf(served: ServedResource, name: string): Subresource | undefined {
  return served.subresources.find((subresource) => subresource.name === name);
}
