import type { KubernetesObject } from './object.ts';
import { type Resource, resourceName } from './resource.ts';

/** One entry of `x-kubernetes-validations`: what must hold, in the Common Expression Language. */
export interface ValidationRule {
  /** True for a valid value, which is `self`; `oldSelf` is the one before an update. */
  readonly rule: string;
  /** What the API server says of an object that breaks the rule. Default: the rule itself. */
  readonly message?: string;
  /** Expression for the message; stands before `message`, which is used when it fails. */
  readonly messageExpression?: string;
  /** The reason of the cause in the answer. Default `FieldValueInvalid`. */
  readonly reason?:
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueInvalid'
    | 'FieldValueRequired';
  /** The field that is shown as wrong, from here: `.maxReplicas`. */
  readonly fieldPath?: string;
  /** Judge a creation too; `oldSelf` is then an optional value. Only for rules that use `oldSelf`. */
  readonly optionalOldSelf?: boolean;
}

/** A structural schema, as it stands in a definition: the OpenAPI v3 that the API server acts upon. */
export interface StructuralSchema {
  readonly type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-embedded-resource'?: true;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

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
