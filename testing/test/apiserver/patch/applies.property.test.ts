/** F-8: any sequence of writes by two managers keeps values, owners and the identity of an object. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import type { JsonObject } from '../../../src/apiserver/objects/json-value.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const text = fc.constantFrom('1', '2');
const texts = fc.dictionary(fc.constantFrom('a', 'b'), text, { minKeys: 1, noNullPrototype: true });

/** An object with any of these fields. */
function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> {
  return fc.record(fields, { requiredKeys: [] });
}

// Often nothing, so that a manager drops the last that it has.
const metadata: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({}),
  fc.record({ labels: texts }),
  some({
    annotations: texts,
    finalizers: fc.subarray(['example.dev/1', 'example.dev/2'], { minLength: 1 }),
  }),
);

const container = some({
  env: fc.subarray(['A', 'B']).map((names) => names.map((name) => ({ name, value: 'v' }))),
  resources: some({ limits: fc.constant({ cpu: '100m' }) }),
  livenessProbe: fc.constant({ tcpSocket: { port: 80 } }),
});

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  /** What a manager of its own applies first, so that the object is valid. */
  readonly base: JsonObject;
  /** What the two managers write. */
  readonly content: fc.Arbitrary<JsonObject>;
}

const KINDS: readonly Kind[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    path: '/api/v1/namespaces/default/configmaps',
    base: {},
    content: some({ data: texts, binaryData: fc.constant({ x: 'YQ==' }) }),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    path: '/apis/apps/v1/namespaces/default/deployments',
    base: {
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: {
          metadata: { labels: { app: 'd' } },
          spec: { containers: [{ name: 'base', image: 'i' }] },
        },
      },
    },
    content: some({
      spec: some({
        replicas: fc.nat(2),
        template: some({
          metadata: some({ annotations: texts }),
          spec: some({
            containers: container.map((one) => [{ name: 'extra', image: 'i', ...one }]),
            volumes: fc.constant([{ name: 'v', emptyDir: {} }]),
          }),
        }),
      }),
    }),
  },
];

interface Write {
  readonly manager: string;
  readonly how: 'apply' | 'merge';
  readonly force: boolean;
  readonly metadata: JsonObject;
  readonly content: JsonObject;
}

function writes({ content }: Kind): fc.Arbitrary<Write[]> {
  const write: fc.Arbitrary<Write> = fc.record({
    manager: fc.constantFrom('m', 'm', 'n'),
    how: fc.constantFrom('apply', 'apply', 'merge'),
    force: fc.boolean(),
    metadata,
    content,
  });
  return fc.array(write, { minLength: 3, maxLength: 6 });
}

test.each(
  KINDS,
)('no sequence of writes to a $kind fails or removes fields of other managers', async (kind) => {
  const cluster = await startCluster();
  let count = 0;

  await fc.assert(
    fc.asyncProperty(writes(kind), async (all) => {
      const name = `o${count++}`;
      const object = { apiVersion: kind.apiVersion, kind: kind.kind };
      const target = { cluster, path: `${kind.path}/${name}` };
      const created = { ...object, ...kind.base, metadata: { name } };
      let live = (await apply(target, created, '?fieldManager=base')).body;

      for (const write of all) {
        const config = { ...object, ...write.content, metadata: { ...write.metadata, name } };
        const query = `?fieldManager=${write.manager}`;
        const { status, body } =
          write.how === 'merge'
            ? await cluster.send('PATCH', target.path + query, config)
            : await apply(target, config, `${query}&force=${write.force}`);
        const after = (await cluster.send('GET', target.path)).body;

        expect([200, 409, 422]).toContain(status);
        if (status !== 200) expect(after).toEqual(live);
        else {
          expect(body).toEqual(after);
          expect(after.metadata).toMatchObject({ name, uid: live.metadata.uid });
          if (write.how === 'apply') {
            expect(fieldsOf(after)).toEqual(expect.arrayContaining(fieldsOf(config)));
            if (!write.force) expect(owned(after)).toMatchObject(owned(live, write.manager));
          }
        }
        live = after;
      }
    }),
    propertyRuns(0.2),
  );
});

function apply(
  { cluster, path }: { readonly cluster: TestCluster; readonly path: string },
  config: JsonObject,
  query: string,
): ReturnType<TestCluster['send']> {
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  return cluster.send('PATCH', path + query, config, headers);
}

/** Each scalar with its path; the items of a list go by their names. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} = ${value}`];
  if (!Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, child]) => fieldsOf(child, `${path}.${name}`));
  }
  return value.flatMap((item) => fieldsOf(item, `${path}[${item.name ?? item}]`));
}

/** What each manager owns, without the Apply entry of one of them. */
function owned(
  object: { readonly metadata: { readonly managedFields?: readonly JsonObject[] } },
  except?: string,
): JsonObject {
  const entries = (object.metadata.managedFields ?? [])
    .filter(({ manager, operation }) => manager !== except || operation !== 'Apply')
    .map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1]);
  return Object.fromEntries(entries);
}
