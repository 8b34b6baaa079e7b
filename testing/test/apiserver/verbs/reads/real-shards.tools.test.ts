/**
 * `shardSelector`, asked of a real API server and of the embedded one: the same objects, the same answers. It needs etcd,
 * too, in the folder that KUBEBUILDER_ASSETS names.
 *
 * @module-tag kube-apiserver
 * @module-tag kubectl
 */
import type { KubernetesObject } from 'chancery';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { CollectionSnapshot } from '../../../../src/apiserver/storage/collection.ts';
import { StorageSnapshot } from '../../../../src/apiserver/storage/snapshot.ts';
import { startTestEnv } from '../../../../src/env/start-test-env.ts';
import type { TestEnv } from '../../../../src/env/test-env.ts';
import { BAD, END, FIRST, GOOD, MIDDLE, NO_CEL, range } from './shard-selector-texts.ts';
import { THINGS } from './things.ts';

const NAMESPACE = 'shards';
const COLLECTIONS = {
  configmaps: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  events: `/api/v1/namespaces/${NAMESPACE}/events`,
  things: `/apis/example.com/v1/namespaces/${NAMESPACE}/things`,
  storageClasses: '/apis/storage.k8s.io/v1/storageclasses',
} as const;
const FORMS = [
  'application/json',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
] as const;
const OBJECTS_OF_EACH = 23;

/** Starts both with the same objects, uids included. */
async function twins(
  featureGates: object,
): Promise<{ readonly real: TestEnv; readonly embedded: TestEnv }> {
  const real = await start({ backend: 'kubebuilder', featureGates });
  const embedded = await start({
    backend: 'embedded',
    featureGates,
    embedded: { workloads: false },
  });
  const uids = new Map<string, string>();
  for (const env of [real, embedded]) {
    await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await env.apply(THINGS);
  }
  for (let at = 0; at < OBJECTS_OF_EACH; at++) {
    const name = `o-${String(at).padStart(2, '0')}`;
    const metadata = { name, namespace: NAMESPACE };
    const objects = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata },
      { apiVersion: 'v1', kind: 'Event', metadata, involvedObject: { namespace: NAMESPACE } },
      { apiVersion: 'example.com/v1', kind: 'Thing', metadata },
      {
        ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
        metadata: { name },
        provisioner: 'x',
      },
    ] as KubernetesObject[];
    for (const object of objects) {
      await embedded.create(object);
      uids.set(`${object.kind} ${name}`, (await real.create(object)).metadata.uid ?? '');
    }
  }
  const { server } = embedded;
  const { revision, collections } = server.snapshot();
  server.restore(new StorageSnapshot(revision, withUids(collections, uids)));
  return { real, embedded };
}

async function start(options: Parameters<typeof startTestEnv>[0]): Promise<TestEnv> {
  const env = await startTestEnv(options);
  onTestFinished(() => env.stop());
  return env;
}

function withUids(
  collections: ReadonlyMap<string, CollectionSnapshot>,
  uids: ReadonlyMap<string, string>,
): ReadonlyMap<string, CollectionSnapshot> {
  return new Map(
    [...collections].map(([resource, { objects, floor }]) => {
      const changed = [...objects].map(([key, object]) => {
        const uid = uids.get(`${object.kind} ${object.metadata.name}`);
        const metadata = { ...object.metadata, ...(uid !== undefined && { uid }) };
        return [key, { ...object, metadata }] as const;
      });
      return [resource, { objects: new Map(changed), events: [], floor }];
    }),
  );
}

/**
 * An answer without what differs between two servers: revisions and times, `null` for no items, and the slash in front of
 * the key in a token.
 */
async function answer(env: TestEnv, path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(env.url + path, init);
  const body = (await response.json()) as List;
  if (body.kind === 'Status') return [response.status, body];
  const rows = body.items ?? body.rows ?? [];
  const { resourceVersion: _, ...metadata } = body.metadata;
  return [
    response.status,
    body.kind,
    { ...metadata, ...(metadata.continue && { continue: startOf(metadata.continue) }) },
    rows.map(identityOf),
  ];
}

interface List {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Item[];
  readonly rows?: readonly { readonly object: Item }[];
}

async function listOf(env: TestEnv, path: string): Promise<List> {
  return (await (await fetch(env.url + path)).json()) as List;
}

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** Of an object, or of the object of a row. */
function identityOf(row: Item | { readonly object: Item }): readonly string[] {
  const { metadata } = 'object' in row ? row.object : row;
  return [metadata.name, metadata.uid];
}

function startOf(token: string): string {
  return JSON.parse(Buffer.from(token, 'base64url').toString()).start.replace(/^\//, '');
}

async function expectSame(
  { real, embedded }: Awaited<ReturnType<typeof twins>>,
  path: string,
  init?: RequestInit,
): Promise<void> {
  const [expected, found] = [await answer(real, path, init), await answer(embedded, path, init)];
  expect(found, `${init?.method ?? 'GET'} ${decodeURIComponent(path)}`).toEqual(expected);
}

const parameter = (text: string): string => `shardSelector=${encodeURIComponent(text)}`;

/** Selectors that are good for the most part: bounds that meet, cross and are too short, a field that is another. */
const digits = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(FIRST, MIDDLE, END, '4000000000000000', 'c123456789abcdef'),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[0-9a-fG]{0,18}$/) },
);
const field = fc.oneof(
  { weight: 12, arbitrary: fc.constant('object.metadata.uid') },
  { weight: 3, arbitrary: fc.constant('object.metadata.namespace') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('object.metadata.name', 'object', 'metadata.uid', 'object.uid()'),
  },
);
const ranges = fc
  .tuple(
    field,
    fc.array(fc.tuple(digits, digits, field, fc.boolean()), { minLength: 1, maxLength: 4 }),
  )
  .map(([common, all]) =>
    all.map(([a, b, own, mixed]) => {
      const [start, end] = a.length === b.length && a > b ? [b, a] : [a, b];
      return range(start, end, mixed && own.length === common.length ? own : common);
    }),
  );
const selector = fc
  .tuple(ranges, fc.constantFrom('||', ' || ', '\n||\t', ' && '), fc.boolean())
  .map(([all, or, inner]) => (inner ? `(${all.join(or)})` : all.join(or)));
const asked = fc.record({
  collection: fc.constantFrom(...Object.values(COLLECTIONS), '/apis/example.com/v1/things'),
  text: selector,
  more: fc.constantFrom(
    '',
    '&resourceVersion=0',
    '&labelSelector=!a',
    '&fieldSelector=metadata.name%3Do-03',
    '&limit=3',
    '&limit=9',
  ),
  accept: fc.constantFrom(...FORMS),
});

test('shard lists, pages, watches and errors are the same as on a real API server', async () => {
  const both = await twins({ ShardedListAndWatch: true });
  const { real, embedded } = both;

  for (const [text, canonical] of GOOD) {
    await expectSame(both, `${COLLECTIONS.configmaps}?${parameter(text)}`);
    const found = await answer(real, `${COLLECTIONS.configmaps}?${parameter(text)}&limit=1`);
    expect(found).toMatchObject({ 2: { shardInfo: { selector: canonical } } });
  }
  for (const [text, problem] of BAD) {
    await expectSame(both, `${COLLECTIONS.things}?${parameter(text)}`);
    const found = await answer(real, `${COLLECTIONS.configmaps}?${parameter(text)}`);
    expect(found).toMatchObject([500, { message: `invalid shard selector: ${problem}` }]);
  }
  for (const text of NO_CEL) {
    const path = `${COLLECTIONS.configmaps}?${parameter(text)}`;
    const message = expect.stringMatching(/^invalid shard selector: CEL parse error: ./);
    for (const env of [real, embedded])
      expect(await answer(env, path)).toMatchObject([500, { message }]);
  }
  for (const { collection, text, more, accept } of fc.sample(asked, 300)) {
    await expectSame(both, `${collection}?${parameter(text)}${more}`, { headers: { accept } });
  }
  for (const more of [
    '',
    '&resourceVersion=x',
    '&labelSelector=a%20b',
    '&resourceVersionMatch=x',
    '&watch=1',
    '&continue=x',
  ]) {
    await expectSame(both, `${COLLECTIONS.configmaps}?${parameter('x')}${more}`);
  }
  for (const collection of Object.values(COLLECTIONS)) {
    for (const limit of [1, 2, 5]) await expectSamePages(both, collection, limit);
    await expectSameWatch(both, collection);
    const lower = `${collection}?${parameter(range(FIRST, MIDDLE))}`;
    await expectSame(both, `${collection}?${parameter('x')}`, { method: 'DELETE' });
    await expectSame(both, lower, { method: 'DELETE' });
    await expectSame(both, collection);
  }
}, 180_000);

test('a real API server and the embedded server ignore shardSelector while the gate is off', async () => {
  const both = await twins({});

  for (const text of ['', ' ', 'x', range(FIRST, MIDDLE)]) {
    for (const path of Object.values(COLLECTIONS))
      await expectSame(both, `${path}?${parameter(text)}&limit=2`);
  }
}, 120_000);

type Both = Awaited<ReturnType<typeof twins>>;

/** Page after page, with the token of each server. */
async function expectSamePages(
  { real, embedded }: Both,
  collection: string,
  limit: number,
): Promise<void> {
  const pagesOf = async (env: TestEnv): Promise<readonly unknown[]> => {
    const pages: unknown[] = [];
    let token = '';
    do {
      const path = `${collection}?${parameter(range(MIDDLE, END))}&limit=${limit}&continue=${token}`;
      pages.push(await answer(env, path));
      token = (await listOf(env, path)).metadata.continue ?? '';
    } while (token !== '');
    return pages;
  };

  expect(await pagesOf(embedded), `pages of ${collection}`).toEqual(await pagesOf(real));
}

/** Initial events, and then the events of changes that were made before the watch of them began. */
async function expectSameWatch({ real, embedded }: Both, collection: string): Promise<void> {
  const linesOf = async (env: TestEnv): Promise<readonly unknown[]> => {
    const { metadata } = await listOf(env, `${collection}?limit=1`);
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await fetch(`${env.url}${collection}/o-0${at}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { labels: { changed: 'yes' } } }),
      });
    }
    const text = `watch=1&timeoutSeconds=2&${parameter(range(FIRST, MIDDLE))}`;
    const since = `allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`;
    const initial =
      'allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const watches = [since, initial].map((more) =>
      fetch(`${env.url}${collection}?${text}&${more}`),
    );
    const streams = await Promise.all(watches.map(async (watch) => (await watch).text()));
    return streams.map((stream) => stream.trim().split('\n').filter(Boolean).map(eventOf));
  };

  expect(await linesOf(embedded), `watch of ${collection}`).toEqual(await linesOf(real));
}

/** Bookmarks of the timer come or not; that behind the initial events always does. */
function eventOf(line: string): unknown {
  const { type, object } = JSON.parse(line);
  return [
    type,
    object.metadata?.name,
    object.metadata?.uid,
    object.metadata?.annotations,
    object.message,
  ];
}
