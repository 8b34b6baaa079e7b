import process from 'node:process';
import { goJson } from '../objects/canonical.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { allDocuments, type OpenApiDocument, VERSION } from './documents.ts';
import { swaggerMessage } from './swagger-message.ts';
import { olderSchema } from './swagger-schema.ts';

const { createHash } = process.getBuiltinModule('node:crypto');

interface Document {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components?: { readonly schemas: Readonly<Record<string, Json>> };
}

/** The document of OpenAPI v2, as JSON and as protobuf. */
export interface Swagger extends OpenApiDocument {
  /** The document as protobuf. This is the format that kubectl requests. */
  readonly message: Buffer;
}

interface Cached {
  readonly documents: readonly OpenApiDocument[];
  readonly swagger: Swagger;
}

/**
 * The documents of OpenAPI v2. Each is keyed by the first of the OpenAPI v3 documents that it was made from.
 */
const MADE = new WeakMap<OpenApiDocument, Cached>();

/**
 * The answer to `/openapi/v2`: the contents of all OpenAPI v3 documents, converted to one document of v2.
 *
 * The document is made when it is first requested, and again after one of the v3 documents has changed.
 */
export function swagger(registry: Registry): Swagger {
  const documents = allDocuments(registry);
  const [first] = documents;
  const cached = first === undefined ? undefined : MADE.get(first);
  if (cached?.documents.length === documents.length) {
    if (cached.documents.every((one, index) => one === documents[index])) return cached.swagger;
  }
  const made = build(documents);
  if (first !== undefined) MADE.set(first, { documents, swagger: made });
  return made;
}

function build(documents: readonly OpenApiDocument[]): Swagger {
  const paths: Record<string, Json> = {};
  const definitions: Record<string, Json> = {};
  for (const { text } of documents) {
    const { paths: own, components } = JSON.parse(text) as Document;
    for (const [path, item] of Object.entries(own)) paths[path] = olderPath(item);
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      definitions[name] ??= olderSchema(schema);
    }
  }
  const info = { title: 'Kubernetes', version: VERSION.gitVersion };
  const document = { swagger: '2.0', info, paths, definitions };
  const text = goJson(document);
  const hash = createHash('sha512').update(text).digest('hex').toUpperCase();
  return { text, hash, message: swaggerMessage(document) };
}

function olderPath({ parameters, ...methods }: Json): Json {
  const operations = Object.entries(methods).map(([method, operation]) => [
    method,
    olderOperation(operation as Json),
  ]);
  return {
    ...Object.fromEntries(operations),
    ...(Array.isArray(parameters) ? { parameters: parameters.map(olderParameter) } : {}),
  };
}

function olderOperation({ requestBody, parameters, responses, ...rest }: Json): Json {
  const body = isObject(requestBody) ? requestBody.content : undefined;
  const consumes = Object.keys(isObject(body) ? body : {});
  const all = [
    ...(consumes.length > 0 ? [olderBody(body)] : []),
    ...(Array.isArray(parameters) ? parameters.map(olderParameter) : []),
  ];
  const answers = Object.entries(isObject(responses) ? responses : {}).map(([code, response]) => [
    code,
    {
      description: code === '201' ? 'Created' : 'OK',
      schema: schemaIn((response as Json).content),
    },
  ]);
  return {
    ...(consumes.length > 0 ? { consumes } : {}),
    produces: ['application/json'],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(answers),
    ...rest,
  };
}

function olderBody(content: unknown): Json {
  return { name: 'body', in: 'body', required: true, schema: schemaIn(content) };
}

/** The schema of a body. It is the same for every media type. */
function schemaIn(content: unknown): Json {
  const [first] = Object.values(isObject(content) ? content : {}) as readonly Json[];
  return olderSchema(isObject(first?.schema) ? first.schema : {});
}

/** Converts a parameter. In v2, the keywords of its schema are fields of the parameter itself. */
function olderParameter({ schema, ...rest }: Json): Json {
  return { ...rest, ...(isObject(schema) ? schema : {}) };
}
