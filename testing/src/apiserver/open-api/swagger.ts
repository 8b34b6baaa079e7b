import { VERSION } from '../discovery/version.ts';
import { goJson } from '../objects/canonical.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { allDocuments } from './documents.ts';
import { SCHEMAS } from './type-schema.ts';

interface Document {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components?: { readonly schemas: Readonly<Record<string, Json>> };
}

/** `/openapi/v2`: everything that the documents of OpenAPI v3 say, in one of the older form. */
export function swaggerText(registry: Registry): string {
  const paths: Record<string, unknown> = {};
  const definitions: Record<string, unknown> = {};
  for (const { text } of allDocuments(registry)) {
    const { paths: own, components } = JSON.parse(text) as Document;
    for (const [path, item] of Object.entries(own)) paths[path] = older(item);
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      definitions[name] = older(schema);
    }
  }
  const info = { title: 'Kubernetes', version: VERSION.gitVersion };
  return goJson({ swagger: '2.0', info, paths, definitions });
}

function older(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(older);
  if (!isObject(value)) return value;
  if (isObject(value.requestBody)) return olderOperation(value);
  return olderSchema(value);
}

/** A reference stands alone there, and a value of several types has none. */
function olderSchema({ allOf, oneOf, $ref, ...rest }: Json): Json {
  const reference = Array.isArray(allOf) && allOf.length === 1 ? allOf[0]?.$ref : $ref;
  const same: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(rest)) same[field] = older(inner);
  if (typeof reference === 'string') {
    const { default: _, ...extensions } = same;
    return { ...extensions, $ref: reference.replace(SCHEMAS, '#/definitions/') };
  }
  return Array.isArray(oneOf) ? { ...same, type: 'string' } : same;
}

function olderOperation({ requestBody, parameters, ...rest }: Json): Json {
  const { content = {} } = requestBody as { content?: Json };
  const schema = Object.values(content)[0] as Json | undefined;
  const body = { name: 'body', in: 'body', required: true, ...(older(schema ?? {}) as Json) };
  const others = Array.isArray(parameters) ? parameters.map(older) : [];
  return {
    ...(older(rest) as Json),
    consumes: Object.keys(content),
    parameters: [body, ...others],
  };
}
