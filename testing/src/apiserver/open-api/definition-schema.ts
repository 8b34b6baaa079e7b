import { descriptionsOf } from '../built-in-types/descriptions.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ResourceSchemas } from './operations.ts';
import { described, SCHEMAS } from './type-schema.ts';

const META = `${SCHEMAS}io.k8s.apimachinery.pkg.apis.meta.v1.`;

/** The names of the schemas of a custom resource: `dev.example.v1.Widget`. */
export function definitionSchemaNames({
  group,
  version,
  kind,
  listKind,
}: ServedResource): ResourceSchemas {
  const prefix = [...group.split('.').toReversed(), version].join('.');
  return { object: `${prefix}.${kind}`, list: `${prefix}.${listKind}` };
}

/** The schemas of a custom resource and of its list, from its definition. */
export function definitionSchemas(served: ServedResource): Readonly<Record<string, Json>> {
  const names = definitionSchemaNames(served);
  const { group, version, kind, listKind } = served;
  return {
    [names.object]: {
      ...withMetadata(withEmbedded(served.schema ?? { type: 'object' })),
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
    },
    [names.list]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { ...meaningOf('apiVersion'), type: 'string' },
        items: { type: 'array', items: { allOf: [{ $ref: `${SCHEMAS}${names.object}` }] } },
        kind: { ...meaningOf('kind'), type: 'string' },
        metadata: { ...meaningOf('metadata'), allOf: [{ $ref: `${META}ListMeta` }] },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    },
  };
}

function withMetadata(schema: Json): Json {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return { ...schema, properties: { ...properties, ...common() } };
}

/** Adds a kind, an apiVersion and metadata to the schemas of embedded objects. */
function withEmbedded(schema: Json): Json {
  const { properties, items, additionalProperties } = schema;
  const inner = {
    ...schema,
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, withEmbedded(one as Json)]),
          ),
        }
      : {}),
    ...(isObject(items) ? { items: withEmbedded(items) } : {}),
    ...(isObject(additionalProperties)
      ? { additionalProperties: withEmbedded(additionalProperties) }
      : {}),
  };
  if (schema['x-kubernetes-embedded-resource'] !== true) return inner;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    ...withMetadata(inner),
    required: [...new Set([...required, 'kind', 'apiVersion'])],
  };
}

function common(): Json {
  return {
    apiVersion: { ...meaningOf('apiVersion'), type: 'string' },
    kind: { ...meaningOf('kind'), type: 'string' },
    metadata: { ...meaningOf('metadata'), allOf: [{ $ref: `${META}ObjectMeta` }] },
  };
}

/** The schema of a field that all kinds have, with its description. */
function meaningOf(field: string): Json {
  return described(descriptionsOf('io.k8s.api.core.v1.ConfigMap')[field]);
}
