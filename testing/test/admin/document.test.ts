import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../src/admin/document.ts';
import { OPERATIONS } from '../../src/admin/operations.ts';
import { type AdministeredCluster, startAdministered } from './support.ts';

interface Described {
  readonly operationId: string;
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

/** `METHOD /path` of all operations of a document, in their order. */
function operationsOf({ paths }: Document): readonly string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

test('the admin endpoint serves the OpenAPI document of its operations', async () => {
  const { ask } = await startAdministered();

  const { status, body } = await ask('GET', '/openapi.json');

  expect(status).toBe(200);
  expect(body).toEqual(JSON.parse(JSON.stringify(documentOf(OPERATIONS))));
  expect(body.openapi).toBe('3.0.3');
});

test('the OpenAPI document contains every operation once, with a unique operationId', async () => {
  const document = documentOf(OPERATIONS) as Document;
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );

  expect(operationsOf(document).toSorted()).toEqual(
    OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted(),
  );
  expect(new Set(ids).size).toBe(OPERATIONS.length);
});

test('the admin endpoint answers 404 or 405 to everything that its document does not list', async () => {
  const { ask } = await startAdministered();
  const document = documentOf(OPERATIONS) as Document;
  const named = operationsOf(document);
  const paths = [...Object.keys(document.paths), '/', '/faults/0', '/clock/', '/snapshot.json'];
  const others = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']
    .flatMap((method) => paths.map((path) => `${method} ${path}`))
    .filter((each) => !named.includes(each));

  const codes = new Set<number>();
  for (const each of others) {
    const [method = '', path = ''] = each.split(' ');
    codes.add((await ask(method, path)).status);
  }

  expect([...codes].toSorted()).toEqual([404, 405]);
});

/** Bodies that the endpoint takes, by `operationId`. */
const BODIES: Readonly<Record<string, unknown>> = {
  putFaults: {
    faults: [
      { name: 'n', verbs: ['get'], status: 500 },
      { delayMs: 1, path: '/x' },
    ],
  },
  advanceClock: { ms: 1 },
  cutWatches: { how: 'reset' },
  compact: { what: 'pages' },
};

/** The body of an operation: of a snapshot, one that was taken. */
async function bodyFor({ ask }: AdministeredCluster, id: string): Promise<unknown> {
  return id === 'putSnapshot' ? (await ask('GET', '/snapshot')).text : BODIES[id];
}

describe.each(
  OPERATIONS.map((each) => [each.id, each] as const),
)('the operation %s of the admin endpoint', (id, operation) => {
  const { method, path } = operation;
  const described = (documentOf(OPERATIONS) as Document).paths[path]?.[
    method.toLowerCase()
  ] as Described;
  const ajv = new Ajv({ strict: false, validateFormats: false });

  test('the answer of the operation has a code and a body that the document describes', async () => {
    const cluster = await startAdministered();

    const answer = await cluster.ask(method, path, await bodyFor(cluster, id));

    const success = Object.keys(described.responses).find((code) => code.startsWith('2'));
    expect(String(answer.status)).toBe(success);
    const content = described.responses[answer.status]?.content;
    const [mediaType] = Object.keys(content ?? {});
    expect(answer.headers['content-type']).toBe(mediaType);
    const schema = content?.['application/json']?.schema;
    if (schema !== undefined)
      expect(ajv.validate(schema, answer.body), ajv.errorsText()).toBe(true);
  });

  test('the operation accepts every body that its schema accepts, and refuses unknown fields', async () => {
    const cluster = await startAdministered();
    const schema = described.requestBody?.content['application/json']?.schema;
    const body = await bodyFor(cluster, id);
    const wrong = { ...(body as object), unknown: 1 };

    if (schema === undefined) {
      expect(BODIES[id]).toBeUndefined();
      return;
    }
    expect(ajv.validate(schema, body), ajv.errorsText()).toBe(true);
    expect(ajv.validate(schema, wrong)).toBe(false);
    const refused = await cluster.ask(method, path, wrong);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['message']]);
    expect(described.responses[400]).toBeDefined();
  });
});
