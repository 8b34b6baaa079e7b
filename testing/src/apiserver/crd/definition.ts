import type { StructuralSchema } from 'chancery/internal';
import { isObject, type Json } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';

/** The names in `spec.names` of a CustomResourceDefinition, after defaulting. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** The spec of a CustomResourceDefinition that has passed validation. */
export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly DefinitionVersion[];
  readonly preserveUnknownFields?: boolean;
  readonly conversion?: { readonly strategy?: string; readonly webhook?: unknown };
}

/** The resource name of CustomResourceDefinitions. */
export const DEFINITIONS: ResourceName = 'customresourcedefinitions.apiextensions.k8s.io';

export function specOf(definition: StoredObject): DefinitionSpec {
  return definition.spec as DefinitionSpec;
}

/** The accepted names of a definition. They may differ from the requested names, or be missing. */
export function acceptedNamesOf({ status }: StoredObject): Partial<DefinitionNames> {
  return isObject(status) && isObject(status.acceptedNames) ? status.acceptedNames : {};
}

/** A definition with defaults for all optional fields of its spec. */
export function completeDefinition(definition: StoredObject): StoredObject {
  if (!isObject(definition.spec)) return definition;
  const { group, names, scope, versions, conversion, ...rest } = definition.spec;
  const spec = {
    group,
    names: completeNames(isObject(names) ? names : {}),
    scope,
    versions,
    conversion: conversion ?? { strategy: 'None' },
    ...rest,
  };
  return { ...definition, spec } as unknown as StoredObject;
}

/** A definition with a status that lists every version that was ever stored. */
export function withStatus(definition: StoredObject): StoredObject {
  const status = isObject(definition.status) ? definition.status : {};
  const stored = Array.isArray(status.storedVersions) ? status.storedVersions : [];
  // The request is not validated yet, so versions or spec may be missing.
  const { versions = [] } = (definition.spec ?? {}) as Partial<DefinitionSpec>;
  const storage = versions.find((version) => version.storage)?.name;
  const known = storage === undefined || stored.includes(storage) ? stored : [...stored, storage];
  const complete = { ...EMPTY_STATUS, ...status, storedVersions: known };
  return { ...definition, status: complete } as unknown as StoredObject;
}

const EMPTY_STATUS = { conditions: null, acceptedNames: { plural: '', kind: '' } };

function completeNames(names: Json): Json {
  const kind = String(names.kind ?? '');
  return {
    plural: names.plural ?? '',
    singular: names.singular ?? kind.toLowerCase(),
    ...(names.shortNames === undefined ? {} : { shortNames: names.shortNames }),
    kind,
    listKind: names.listKind ?? `${kind}List`,
    ...(names.categories === undefined ? {} : { categories: names.categories }),
  };
}
