import type { KubernetesObject } from 'chancery';
import {
  API_APPROVED,
  type CustomResourceDefinition,
  type DefinedResource,
  type StructuralSchema,
} from 'chancery/internal';

/** The API group of Metacontroller's resources. */
export const METACONTROLLER_GROUP = 'metacontroller.k8s.io';

const METACONTROLLER_VERSION = 'v1alpha1';

/** A resource of Metacontroller's group, as declared in this package. */
interface Declaration {
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly description: string;
  /** Fields besides apiVersion, kind and metadata. */
  readonly properties: Readonly<Record<string, StructuralSchema>>;
  /** The required fields among `properties`. */
  readonly required: readonly string[];
}

/**
 * The resource with its complete definition. The definition is plain data and not made by
 * `customResource`, because it has to equal the definition of Metacontroller, and one of
 * Metacontroller's kinds has no `spec`.
 */
export function definedResource<T extends KubernetesObject>(
  declaration: Declaration,
): DefinedResource<T> {
  const { kind, scope, shortNames, description, properties, required } = declaration;
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${METACONTROLLER_GROUP}`,
      annotations: { [API_APPROVED]: 'unapproved, request not yet submitted' },
    },
    spec: {
      group: METACONTROLLER_GROUP,
      names: { plural, singular, kind, listKind: `${kind}List`, ...(shortNames && { shortNames }) },
      scope,
      versions: [
        {
          name: METACONTROLLER_VERSION,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['metadata', ...required],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                ...properties,
              },
            },
          },
          subresources: { status: {} },
        },
      ],
    },
  };
  return Object.freeze({
    group: METACONTROLLER_GROUP,
    version: METACONTROLLER_VERSION,
    plural,
    kind,
    namespaced: scope === 'Namespaced',
    definition,
  });
}
