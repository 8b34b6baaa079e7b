/** OpenAPI v2, the document by which kubectl validates: as JSON, and as gnostic's message. */
import { expect, test } from 'vitest';
import { allBytesOf, bytesOf, numbersOf } from '../../../src/apiserver/protobuf/well-known.ts';
import { WireReader } from '../../../src/apiserver/protobuf/wire-reader.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const OLD = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The fields of one message, by the numbers of `openapi.v2` in gnostic-models. */
class Fields {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  all(number: number): Fields[] {
    return (allBytesOf(this.#bytes).get(number) ?? []).map((bytes) => new Fields(bytes));
  }

  at(...numbers: readonly number[]): Fields {
    return numbers.reduce<Fields>((from, number) => {
      return new Fields(bytesOf(from.#bytes).get(number) ?? Buffer.alloc(0));
    }, this);
  }

  get text(): string {
    return this.#bytes.toString('utf8');
  }

  number(number: number): number {
    return Number(numbersOf(this.#bytes).get(number) ?? 0n);
  }

  double(wanted: number): number | undefined {
    const reader = new WireReader(this.#bytes);
    while (!reader.done) {
      const { number, wireType } = reader.tag();
      if (number === wanted) return reader.double();
      reader.skip(wireType);
    }
    return undefined;
  }

  /** `NamedSchema` and its kin: a name as 1, a value as 2. */
  entry(number: number, name: string): Fields {
    const found = this.all(number).find((entry) => entry.at(1).text === name);
    if (found === undefined) throw new Error(`no entry ${name}`);
    return found.at(2);
  }

  /** An extension: YAML in a message, in a `NamedAny`. */
  extension(number: number, name: string): unknown {
    return JSON.parse(this.entry(number, name).at(2).text);
  }

  property(name: string): Fields {
    return this.at(25).entry(1, name);
  }
}

async function message({ server }: TestCluster): Promise<Fields> {
  const answer = await fetch(`${server.url}/openapi/v2`, { headers: { accept: OLD } });
  return new Fields(Buffer.from(await answer.arrayBuffer()));
}

async function definition(cluster: TestCluster, name: string): Promise<Fields> {
  return (await message(cluster)).at(9).entry(1, name);
}

function definitionOf(schema: object): string {
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lamps.light.example' },
    spec: {
      group: 'light.example',
      scope: 'Namespaced',
      names: { kind: 'Lamp', plural: 'lamps' },
      versions: [
        {
          name: 'v1beta2',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  });
}

async function lamp(schema: object) {
  const cluster = await startCluster();
  cluster.server.applyManifest(definitionOf(schema));
  const { body } = await cluster.send('GET', '/openapi/v2');
  return { cluster, json: body.definitions['example.light.v1beta2.Lamp'] };
}

test('[found 9] the OpenAPI v2 protobuf has the definitions of built-in kinds that kubectl reads', async () => {
  const cluster = await startCluster();
  const document = await message(cluster);
  const spec = document.at(9).entry(1, 'io.k8s.api.core.v1.PodSpec');

  const containers = spec.property('containers');
  expect(document.at(1).text).toBe('2.0');
  expect(document.at(2, 1).text).toBe('Kubernetes');
  expect(spec.at(22, 1).text).toBe('object');
  expect(spec.all(19).map(({ text }) => text)).toEqual(['containers']);
  expect(containers.at(22, 1).text).toBe('array');
  expect(containers.at(23, 1, 1).text).toBe('#/definitions/io.k8s.api.core.v1.Container');
  expect(containers.extension(31, 'x-kubernetes-patch-strategy')).toBe('merge');
  expect(containers.extension(31, 'x-kubernetes-patch-merge-key')).toBe('name');
  expect(spec.property('hostname').at(22, 1).text).toBe('string');
  expect(spec.property('activeDeadlineSeconds').at(2).text).toBe('int64');
  expect(spec.property('nodeSelector').at(21, 1, 22, 1).text).toBe('string');
});

test('[found 9] the OpenAPI v2 protobuf has the parameters of PATCH by group, version and kind', async () => {
  const cluster = await startCluster();
  const paths = (await message(cluster)).at(8);
  const patch = paths.entry(2, '/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}').at(8);

  const query = patch.all(8).map((parameter) => parameter.at(1, 2, 3));
  expect(query.map((parameter) => parameter.at(4).text)).toContain('fieldValidation');
  expect(query.find((parameter) => parameter.at(4).text === 'force')?.at(6).text).toBe('boolean');
  expect(patch.all(8)[0]?.at(1, 1, 2).text).toBe('body');
  expect(patch.all(7).map(({ text }) => text)).toContain('application/apply-patch+yaml');
  expect(patch.extension(13, 'x-kubernetes-group-version-kind')).toEqual({
    group: 'batch',
    version: 'v1',
    kind: 'CronJob',
  });
  expect(patch.at(9).entry(1, '200').at(1, 1).text).toBe('OK');
});

test('the OpenAPI v2 protobuf has descriptions, even for fields that refer to a type', async () => {
  const document = await message(await startCluster());
  const claim = document.at(9).entry(1, 'io.k8s.api.core.v1.PersistentVolumeClaim');
  const list = document.at(8).entry(2, '/api/v1/namespaces/{namespace}/secrets').at(2);

  const watch = list
    .all(8)
    .map((one) => one.at(1, 2, 3))
    .find((one) => one.at(4).text === 'watch');
  expect(claim.at(4).text).toMatch(/^PersistentVolumeClaim is a user's request for and claim to/);
  expect(claim.property('spec').at(4).text).toMatch(/^spec defines the desired characteristics/);
  expect(claim.property('spec').at(1).text).toBe(
    '#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimSpec',
  );
  expect(watch?.at(3).text).toBe('Watch for changes to the described resources.');
});

test('[found 9] the OpenAPI v2 protobuf has the schema of a custom definition, with every limit', async () => {
  const { cluster } = await lamp({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['bulb'],
        properties: {
          bulb: {
            type: 'string',
            maxLength: 300,
            pattern: '^b',
            enum: ['b1', 'b"2'],
            default: 'b1',
          },
          watts: { type: 'number', minimum: -1.5, exclusiveMinimum: true, multipleOf: 0.5 },
          parts: { type: 'array', maxItems: 0, minItems: 4, items: { type: 'integer' } },
          labels: { type: 'object', maxProperties: 3, additionalProperties: { type: 'boolean' } },
        },
      },
    },
  });

  const schema = await definition(cluster, 'example.light.v1beta2.Lamp');
  const spec = schema.property('spec');
  const [bulb, watts, parts, labels] = ['bulb', 'watts', 'parts', 'labels'].map((name) =>
    spec.property(name),
  );
  expect(schema.extension(31, 'x-kubernetes-group-version-kind')).toEqual([
    { group: 'light.example', kind: 'Lamp', version: 'v1beta2' },
  ]);
  expect([bulb?.number(11), bulb?.at(13).text, bulb?.at(5, 2).text]).toEqual([300, '^b', '"b1"']);
  expect(bulb?.all(20).map((value) => JSON.parse(value.at(2).text))).toEqual(['b1', 'b"2']);
  expect([watts?.double(9), watts?.number(10), watts?.double(6)]).toEqual([-1.5, 1, 0.5]);
  expect([parts?.number(15), parts?.at(23, 1, 22, 1).text]).toEqual([4, 'integer']);
  expect([labels?.number(17), labels?.at(21, 1, 22, 1).text]).toEqual([3, 'boolean']);
});

test('[found 9] a field whose name is a schema keyword stays a field in OpenAPI v2', async () => {
  const fields = ['allOf', 'oneOf', 'nullable', 'requestBody', '$ref', 'items', 'default'];
  const properties = Object.fromEntries(fields.map((name) => [name, { type: 'string' }]));
  const { json } = await lamp({
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  });

  expect(json.properties.spec.properties).toEqual(properties);
});

test('[found 9] OpenAPI v2 omits only the schema fields that kubectl would misread', async () => {
  const text = { type: 'string' };
  const { json } = await lamp({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['free', 'maybe'],
        anyOf: [{ required: ['free'] }, { required: ['maybe'] }],
        properties: {
          free: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { known: text },
          },
          maybe: { type: 'object', nullable: true, properties: { known: text } },
          port: {
            anyOf: [{ type: 'integer' }, { type: 'string' }],
            'x-kubernetes-int-or-string': true,
          },
          strict: { type: 'object', properties: { known: text }, oneOf: [{ required: ['known'] }] },
          any: {
            type: 'array',
            items: text,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
    },
  });

  expect(json.properties.spec).toEqual({
    type: 'object',
    required: ['free'],
    properties: {
      any: { 'x-kubernetes-preserve-unknown-fields': true },
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      maybe: {},
      port: { 'x-kubernetes-int-or-string': true },
      strict: { type: 'object', properties: { known: text } },
    },
  });
});

test('[found 9] a kind that preserves unknown fields at its root declares no fields in OpenAPI v2', async () => {
  const schemas = [
    { 'x-kubernetes-preserve-unknown-fields': true },
    {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { spec: { type: 'object' } },
    },
  ];
  for (const schema of schemas) {
    const { json } = await lamp(schema);

    expect(json).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [
        { group: 'light.example', kind: 'Lamp', version: 'v1beta2' },
      ],
    });
  }
});

test('[found 9] in OpenAPI v2, an embedded object has the fields that all objects have', async () => {
  const embedded = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { data: { type: 'object' } },
  };
  const { json } = await lamp({ type: 'object', properties: { template: embedded } });

  expect(json.properties.template).toMatchObject({
    required: ['kind', 'apiVersion'],
    properties: {
      apiVersion: { type: 'string' },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      data: { type: 'object' },
    },
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** The names of everything that a schema and those in it say. */
function keywordsOf(schema: Schema): readonly string[] {
  const { properties = {}, items, additionalProperties: values } = schema;
  const inner = [
    ...Object.values(properties),
    items,
    typeof values === 'object' ? values : undefined,
  ];
  return [
    ...Object.keys(schema),
    ...inner.flatMap((one) => (one === undefined ? [] : keywordsOf(one))),
  ];
}

test('[found 9] OpenAPI v2 has no unresolved references and no keywords that v2 lacks', async () => {
  const { cluster } = await lamp({ type: 'object' });
  const { body, text } = await cluster.send('GET', '/openapi/v2');

  const referred = [...text.matchAll(/"#\/definitions\/([^"]*)"/g)].map(([, name]) => name ?? '');
  const words = new Set(Object.values<Schema>(body.definitions).flatMap(keywordsOf));
  expect(referred.length).toBeGreaterThan(1_000);
  expect(referred.filter((name) => body.definitions[name] === undefined)).toEqual([]);
  expect([...words].filter((word) => !word.startsWith('x-kubernetes-')).sort()).toEqual([
    '$ref',
    'additionalProperties',
    'default',
    'description',
    'enum',
    'format',
    'items',
    'properties',
    'required',
    'type',
  ]);
  expect(text.includes('#/components/')).toBe(false);
});

test('[found 9] an unchanged OpenAPI v2 document is answered 304, in both formats', async () => {
  const cluster = await startCluster();
  const get = (headers: Record<string, string>) =>
    cluster.send('GET', '/openapi/v2', undefined, headers);
  const first = await get({ accept: OLD });
  const etag = first.headers.get('etag') ?? '';

  const again = await get({ accept: PROTOBUF, 'if-none-match': `"other", W/${etag}` });
  const json = await get({ 'if-none-match': etag });
  cluster.server.applyManifest(definitionOf({ type: 'object' }));
  const changed = await get({ accept: OLD, 'if-none-match': etag });

  expect(first.headers.get('content-type')).toBe(PROTOBUF);
  expect(first.headers.get('vary')).toBe('Accept');
  expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
  expect([again.status, again.text]).toEqual([304, '']);
  expect(json.status).toBe(304);
  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
});

test.each([
  ['application/json', 200, 'application/json'],
  ['*/*', 200, 'application/json'],
  [`text/html, ${PROTOBUF};q=0.5, application/json;q=0.1`, 200, PROTOBUF],
  ['text/html', 406, null],
])('[found 9] OpenAPI v2 for a client that accepts %s is answered %i', async (accept, status, type) => {
  const { send } = await startCluster();

  const answer = await send('GET', '/openapi/v2', undefined, { accept });

  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
});
