import type { StructuralSchema } from 'chancery/internal';
import { VERSION } from 'chancery/internal-objects';
import { type Operation, SNAPSHOT } from './operations.ts';

const PROBLEM: StructuralSchema = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
};

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The body is wrong, and the message says where.',
  403: 'The Host or the Origin is not this machine.',
  413: 'The body, or the snapshot that is asked for, is larger than it may be.',
  422: 'The snapshot has objects that no server has stored together. Nothing has changed.',
};

/** The media type of a snapshot: lines of JSON. */
export const SNAPSHOT_TYPE = 'application/x-ndjson';

/** The OpenAPI document of the operations. */
export function documentOf(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation),
    };
  }
  const title = 'Administration of a Kubernetes API for tests';
  return { openapi: '3.0.3', info: { title, version: VERSION }, paths };
}

function operationObject({ id, summary, body, answer, problems = [] }: Operation): object {
  const codes = [...(body === undefined ? [403] : [400, 403, 413]), ...problems];
  return {
    operationId: id,
    summary,
    ...(body === undefined
      ? {}
      : { requestBody: { required: isRequired(body.form), content: contentOf(body.form) } }),
    responses: {
      ...(answer === undefined
        ? { 204: { description: 'Done.' } }
        : { 200: { description: 'Done.', content: contentOf(answer) } }),
      ...Object.fromEntries(
        codes.map((code) => [code, { description: PROBLEMS[code], content: contentOf(PROBLEM) }]),
      ),
    },
  };
}

/** Whether the operation requires a body. The body is optional if no field of the body is required. */
export function isRequired(form: StructuralSchema | typeof SNAPSHOT): boolean {
  return form === SNAPSHOT || (form.required ?? []).length > 0;
}

function contentOf(form: StructuralSchema | typeof SNAPSHOT): object {
  return form === SNAPSHOT
    ? { [SNAPSHOT_TYPE]: { schema: { type: 'string', format: 'binary' } } }
    : { 'application/json': { schema: closed(form) } };
}

/** The schema, with additional fields forbidden on every level. */
function closed(schema: StructuralSchema): StructuralSchema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, closed(inner)]),
          ),
          additionalProperties: false,
        }),
  };
}
