import { isObject, type Json } from '../objects/metadata.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ResourceSchemas } from './operations.ts';
import { SCHEMAS } from './type-schema.ts';

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
      ...withMetadata(published(served.schema)),
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
    },
    [names.list]: {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: { type: 'string' },
        items: { type: 'array', items: { allOf: [{ $ref: `${SCHEMAS}${names.object}` }] } },
        kind: { type: 'string' },
        metadata: { allOf: [{ $ref: `${META}ListMeta` }] },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    },
  };
}

/** Clients need to know no more than that the fields are unknown. */
function published(schema: Json | undefined): Json {
  if (schema === undefined || schema.type !== 'object') return { type: 'object' };
  return schema;
}

function withMetadata(schema: Json): Json {
  // Where nothing is said about the fields, nothing is said about these either.
  if (!isObject(schema.properties)) return { ...schema, properties: COMMON };
  return { ...schema, properties: { ...schema.properties, ...COMMON } };
}

const COMMON: Json = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { allOf: [{ $ref: `${META}ObjectMeta` }] },
};
