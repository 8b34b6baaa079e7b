/**
 * Random patches, sent to a real API server and to the embedded one: the same objects, the same answers. It needs etcd,
 * too, in the folder that KUBEBUILDER_ASSETS names.
 *
 * @module-tag kube-apiserver
 * @module-tag kubectl
 */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { startTestEnv } from '../../../../src/env/start-test-env.ts';
import type { TestEnv } from '../../../../src/env/test-env.ts';
import { JSON_PATCH, MERGE, STRATEGIC } from './patched-objects.ts';

const NAMESPACE = 'patches';

const CONFIG_MAP = {
  path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { annotations: { 'a.example/x': '1' }, labels: { l: 'm' } },
    data: { a: '1', 'b/c': '2' },
  },
};

const CONTAINERS = [
  { name: 'one', image: 'i:1', env: [{ name: 'E', value: '1' }], ports: [{ containerPort: 80 }] },
  { name: 'two', image: 'i:2' },
];

const DEPLOYMENT = {
  path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  object: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {},
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: CONTAINERS } },
    },
  },
};

const scalar = fc.constantFrom<unknown>('x', '', 7, 0.5, true, null, {}, [], ['y'], { z: null });
const key = fc.constantFrom('a', 'new', 'l', 'a.example~1x', 'b~1c', '0', '-');
const pointer = fc
  .tuple(
    fc.constantFrom('', '/data', '/metadata', '/metadata/labels', '/metadata/annotations'),
    key,
  )
  .map(([parent, name]) => `${parent}/${name}`);

const operations = fc.array(
  fc.oneof(
    fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: scalar }),
    fc.record({ op: fc.constant('remove'), path: pointer }),
    fc.record({ op: fc.constantFrom('copy', 'move'), from: pointer, path: pointer }),
  ),
  { minLength: 1, maxLength: 3 },
);

const merge = fc.record(
  {
    kind: fc.constantFrom<unknown>('Node', 'Pear', null, 7),
    apiVersion: fc.constantFrom<unknown>('v9', 'a/b/c', 7),
    metadata: fc.record(
      {
        name: fc.constantFrom(null, 'that'),
        namespace: fc.constantFrom(null, 'there'),
        resourceVersion: fc.constantFrom<unknown>('', '0', '1', 'x', 7),
        labels: fc.constantFrom<unknown>(null, { l: null }, { new: 'x' }, { l: {} }, []),
      },
      { requiredKeys: [] },
    ),
    data: fc.dictionary(fc.constantFrom('a', 'new'), scalar),
  },
  { requiredKeys: [] },
);

const container = fc.record(
  {
    name: fc.constantFrom('one', 'two', 'three'),
    image: fc.constantFrom<unknown>('i:3', 'i:4'),
    $patch: fc.constantFrom('delete', 'replace', 'merge', 'bend'),
    env: fc.constantFrom<unknown>(
      [{ name: 'F', value: '2' }],
      [{ name: 'E', $patch: 'delete' }],
      null,
      [{}],
    ),
    ports: fc.constantFrom<unknown>([{ containerPort: 80, name: 'web' }], [{ name: 'web' }], []),
  },
  { requiredKeys: ['name', 'image'] },
);

const order = fc
  .uniqueArray(fc.constantFrom('one', 'two', 'three'))
  .map((names) => names.map((name) => ({ name })));

const strategic = fc
  .record(
    {
      containers: fc.uniqueArray(container, { maxLength: 2, selector: ({ name }) => name }),
      '$setElementOrder/containers': order,
    },
    { requiredKeys: [] },
  )
  .map((spec) => ({ spec: { template: { spec } } }));

async function start(backend: 'kubebuilder' | 'embedded'): Promise<TestEnv> {
  const embedded = { workloads: false } as const;
  const env = await startTestEnv({ backend, ...(backend === 'embedded' && { embedded }) });
  onTestFinished(() => env.stop());
  await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  return env;
}

interface Sent {
  readonly name: string;
  readonly type: string;
  readonly body: unknown;
  readonly query: string;
}

/** What a server makes of a patch of a new object: status, body and warnings, without what differs between servers. */
async function answer(
  { url }: TestEnv,
  { path, object }: typeof CONFIG_MAP | typeof DEPLOYMENT,
  { name, type, body, query }: Sent,
): Promise<unknown> {
  const create = { ...object, metadata: { ...object.metadata, name } };
  await send(`${url}${path}`, 'POST', 'application/json', create);
  const response = await send(`${url}${path}/${name}${query}`, 'PATCH', type, body);
  return [response.status, comparable(await response.text()), fieldWarnings(response)];
}

function send(url: string, method: string, type: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': type, 'user-agent': 'twins/1' };
  return fetch(url, { method, headers, body: JSON.stringify(body) });
}

/** The warnings about fields of the patch, without those about templates of Pods. */
function fieldWarnings({ headers }: Response): readonly string[] {
  const warnings = (headers.get('warning') ?? '').split(/, (?=299)/);
  return warnings.filter((warning) => warning.includes(' field '));
}

function comparable(text: string): unknown {
  return JSON.parse(
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replace(/(resourceVersion\\*":\\*")\d+/g, '$1RV')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      // A build of one's own names the file in which it keeps its types by another path.
      .replace(/in scheme \\*"[^"]*"/g, 'in scheme'),
  );
}

const QUERIES = fc.constantFrom(
  '',
  '?fieldValidation=Ignore',
  '?fieldValidation=Strict',
  '?fieldManager=m',
);

test.each([
  ['JSON patches', CONFIG_MAP, JSON_PATCH, operations],
  ['merge patches', CONFIG_MAP, MERGE, merge],
  ['strategic merge patches', DEPLOYMENT, STRATEGIC, strategic],
] as const)(
  '%s have the same result as on a real API server',
  { timeout: 300_000 },
  async (what, sample, type, bodies) => {
    const [real, embedded] = await Promise.all([start('kubebuilder'), start('embedded')]);
    let count = 0;

    await fc.assert(
      fc.asyncProperty(bodies as fc.Arbitrary<unknown>, QUERIES, async (body, query) => {
        const name = `${what.slice(0, 1).toLowerCase()}-${count++}`;
        const sent = { name, type, body, query };
        const [expected, found] = await Promise.all([
          answer(real, sample, sent),
          answer(embedded, sample, sent),
        ]);

        expect(found).toEqual(expected);
      }),
    );
  },
);
