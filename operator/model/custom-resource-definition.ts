import type { KubernetesObject } from './object.ts';
import { type Resource, resourceName } from './resource.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** Above 0: shown by `kubectl get -o wide` only. */
  readonly priority?: number;
}

/** Where the fields are that `/scale` shows and changes. */
export interface ScalePaths {
  /** Under `.spec`. */
  readonly specReplicasPath: string;
  /** Under `.status`. */
  readonly statusReplicasPath: string;
  /** Of a label selector as text, under `.spec` or `.status`. */
  readonly labelSelectorPath?: string;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: ScalePaths;
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly DefinitionVersion[];
}

/** `apiextensions.k8s.io/v1` CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly spec: DefinitionSpec;
}

/** A resource that brings its definition along. */
export interface DefinedResource<T extends KubernetesObject = KubernetesObject>
  extends Resource<T> {
  readonly definition: CustomResourceDefinition;
}

/** True for a resource that can be installed. */
export function hasDefinition(resource: Resource): resource is DefinedResource {
  const { definition } = resource as Partial<DefinedResource>;
  return definition?.metadata.name === resourceName(resource);
}

/**
 * Annotation: a whole number that grows with the definition. Of two definitions the one with the
 * higher number is the newer one, whoever applies it last.
 */
export const DEFINITION_REVISION: string = 'chancery.dev/definition-revision';
