import { describe, expect, test } from 'vitest';
import { freePort } from '../../../src/ports/free-port.ts';
import { startCluster } from '../support/cluster.ts';
import { watch } from '../support/watched.ts';
import { type Review, startRawWebhook, startWebhook } from '../support/webhook-server.ts';

const V1 = '/apis/a.example/v1/namespaces/default/foos';
const V2 = '/apis/a.example/v2/namespaces/default/foos';

const VERSION = {
  served: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  subresources: { status: {} },
};

/** A definition whose v1 is stored and whose v2 has `size` in words. */
function definition(url: string, more: object = {}): never {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.a.example' },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      versions: [
        { ...VERSION, name: 'v1', storage: true },
        { ...VERSION, name: 'v2', storage: false },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] },
      },
      ...more,
    },
  } as never;
}

const WORDS = ['none', 'one', 'two', 'three'];

function convert({ objects, desiredAPIVersion }: Review): object {
  const convertedObjects = objects.map((object: Review) => ({
    ...object,
    apiVersion: desiredAPIVersion,
    spec: {
      size: desiredAPIVersion.endsWith('v2')
        ? WORDS[object.spec.size]
        : WORDS.indexOf(object.spec.size),
    },
  }));
  return { convertedObjects, result: { status: 'Success' } };
}

const foo = (version: string, name: string, size: unknown): object => ({
  apiVersion: `a.example/${version}`,
  kind: 'Foo',
  metadata: { name, namespace: 'default' },
  spec: { size },
});

describe('a conversion webhook', () => {
  test('[F-18] a conversion webhook converts reads and writes of a version that is not stored', async () => {
    const { server, send } = await startCluster();
    const { url, reviews } = await startWebhook(convert);
    server.create(definition(url));

    const created = await send('POST', V2, foo('v2', 'a', 'two'));
    const stored = await send('GET', `${V1}/a`);
    const patched = await send('PATCH', `${V2}/a`, { spec: { size: 'three' } });
    const read = await send('GET', `${V2}/a`);
    const inStored = await send('GET', `${V1}/a`);
    const removed = await send('DELETE', `${V2}/a`);

    expect([created.status, created.body.apiVersion, created.body.spec]).toEqual([
      201,
      'a.example/v2',
      { size: 'two' },
    ]);
    expect(stored.body.spec).toEqual({ size: 2 });
    expect([patched.body.spec, read.body.spec]).toEqual([{ size: 'three' }, { size: 'three' }]);
    expect(read.body.metadata.generation).toBe(2);
    expect(inStored.body).toMatchObject({ apiVersion: 'a.example/v1', spec: { size: 3 } });
    expect(removed.status).toBe(200);
    expect(reviews[0].objects).toMatchObject([{ apiVersion: 'a.example/v2' }]);
    expect(reviews[0].desiredAPIVersion).toBe('a.example/v1');
  });

  test('server-side apply and status updates work in both versions of a converted resource', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(({ objects, desiredAPIVersion }) => ({
      convertedObjects: objects.map((one: object) => ({ ...one, apiVersion: desiredAPIVersion })),
      result: { status: 'Success' },
    }));
    server.create(definition(url));
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const path = `${V2}/a?fieldManager=me`;

    const created = await send('PATCH', path, foo('v2', 'a', 'x'), apply);
    const again = await send('PATCH', path, foo('v2', 'a', 'x'), apply);
    const status = await send('PATCH', `${V2}/a/status`, { status: { ready: true } });
    const read = await send('GET', `${V1}/a`);

    expect([created.status, again.status, status.status]).toEqual([201, 200, 200]);
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    expect(read.body).toMatchObject({ spec: { size: 'x' }, status: { ready: true } });
  });

  test('a conversion webhook gets all objects of a list in one review', async () => {
    const { server, send } = await startCluster();
    const { url, reviews } = await startWebhook(convert);
    server.create(definition(url));
    for (const [at, name] of ['a', 'b', 'c'].entries()) server.create(foo('v1', name, at) as never);

    const { body } = await send('GET', V2);

    expect(body.items.map(({ spec }: Review) => spec.size)).toEqual(['none', 'one', 'two']);
    expect(body.apiVersion).toBe('a.example/v2');
    expect(reviews.map(({ objects }) => objects.length)).toEqual([3]);
  });

  test('the events of a watch are converted, and stay in order', async () => {
    const cluster = await startCluster();
    const { server } = cluster;
    const { url } = await startWebhook(convert);
    server.create(definition(url));
    server.create(foo('v1', 'a', 1) as never);

    const stream = await watch(cluster, `${V2}?watch=true`);
    const [first] = await stream.take(1);
    server.patch('a.example/v1', 'Foo', 'default', 'a', { spec: { size: 2 } });
    server.delete('a.example/v1', 'Foo', 'default', 'a');
    const events = [first as Review, ...(await stream.take(2))];

    expect(events.map(({ type, object }) => [type, object.apiVersion, object.spec.size])).toEqual([
      ['ADDED', 'a.example/v2', 'one'],
      ['MODIFIED', 'a.example/v2', 'two'],
      ['DELETED', 'a.example/v2', 'two'],
    ]);
  });

  test('[F-18] while a conversion webhook is down, only requests that need a conversion fail, and a watch continues once the webhook is back', async () => {
    const cluster = await startCluster();
    const { server, send } = cluster;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/convert`;
    server.create(definition(url));
    server.create(foo('v1', 'a', 1) as never);

    const read = await send('GET', `${V2}/a`);
    const list = await send('GET', V2);
    const written = await send('POST', V2, foo('v2', 'b', 'two'));
    const other = await send('GET', V1);
    await startWebhook(convert, { port });
    const back = await send('GET', V2);
    const { resourceVersion } = back.body.metadata;
    const stream = await watch(cluster, `${V2}?watch=true&resourceVersion=${resourceVersion}`);
    server.patch('a.example/v1', 'Foo', 'default', 'a', { spec: { size: 3 } });
    const event = await stream.next();

    const post = `Post "${url}?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    const inV1 = `conversion webhook for a.example/v1, Kind=Foo failed: ${post}`;
    expect([read.status, read.body.message, list.body.message]).toEqual([500, inV1, inV1]);
    expect(written.body.message).toBe(
      `conversion webhook for a.example/v2, Kind=Foo failed: ${post}`,
    );
    expect([other.status, back.status]).toEqual([200, 200]);
    expect(event?.object.spec).toEqual({ size: 'three' });
  });

  test.each<[string, (object: Review) => object | undefined, string]>([
    [
      'name',
      (object) => ({ ...object, metadata: { ...object.metadata, name: 'b' } }),
      'returned invalid object: must have the same name: a != b',
    ],
    [
      'uid',
      (object) => ({ ...object, metadata: { ...object.metadata, uid: 'u' } }),
      'must have the same UID: ',
    ],
    [
      'kind',
      (object) => ({ ...object, kind: 'Bar' }),
      'returned invalid object at index 0: invalid kind (expected Foo, received Bar)',
    ],
    [
      'version',
      (object) => ({ ...object, apiVersion: 'a.example/v9' }),
      'returned invalid object at index 0: invalid groupVersion (expected a.example/v2, received a.example/v9)',
    ],
    ['number', () => undefined, 'returned 0 objects, expected 1'],
  ])('a conversion webhook cannot change the %s of an object', async (_what, change, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(({ objects, desiredAPIVersion }) => ({
      convertedObjects: objects
        .map((one: Review) => change({ ...one, apiVersion: desiredAPIVersion }))
        .filter((one: unknown) => one !== undefined),
      result: { status: 'Success' },
    }));
    server.create(definition(url));
    server.create(foo('v1', 'a', 1) as never);

    const { status, body } = await send('GET', `${V2}/a`);

    expect(status).toBe(500);
    expect(body.message).toContain('conversion webhook for a.example/v1, Kind=Foo ');
    expect(body.message).toContain(words);
  });

  test('a conversion webhook can change labels and annotations, and no other metadata', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(({ objects, desiredAPIVersion }) => ({
      convertedObjects: objects.map((one: Review) => ({
        ...one,
        apiVersion: desiredAPIVersion,
        metadata: {
          ...one.metadata,
          labels: { new: 'yes' },
          finalizers: ['a.example/mine'],
          resourceVersion: '1',
        },
      })),
      result: { status: 'Success' },
    }));
    server.create(definition(url));
    const { metadata } = server.create(foo('v1', 'a', 1) as never) as Review;

    const { body } = await send('GET', `${V2}/a`);

    expect(body.metadata).toEqual({ ...metadata, labels: { new: 'yes' } });
  });

  test('a conversion webhook gets and returns integers above 2^53 exactly', async () => {
    const { server, send } = await startCluster();
    const seen: string[] = [];
    const { url } = await startRawWebhook((text) => {
      seen.push(text);
      const { uid } = JSON.parse(text).request;
      const objects = /"objects":(\[.*\])/.exec(text)?.[1] ?? '';
      return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"${uid}",
        "result":{"status":"Success"},"convertedObjects":${objects.replaceAll('a.example/v1', 'a.example/v2')}}}`;
    });
    server.create(definition(url));
    const large = '9007199254740993';
    const body = JSON.stringify(foo('v1', 'a', 1)).replace('"size":1', `"size":${large}`);
    await send('POST', V1, body);

    const { status, text } = await send('GET', `${V2}/a`);

    expect([status, seen[0]]).toEqual([200, expect.stringContaining(`"size":${large}`)]);
    expect(text).toContain(`"size":${large}`);
  });

  test('the API server passes on the failure message of a conversion webhook', async () => {
    const { server, send } = await startCluster();
    const result = { status: 'Failure', message: 'size is no number' };
    const { url } = await startWebhook(() => ({ convertedObjects: [], result }));
    server.create(definition(url));
    server.create(foo('v1', 'a', 1) as never);

    const { body } = await send('GET', `${V2}/a`);

    expect(body.message).toBe(
      'conversion webhook for a.example/v1, Kind=Foo failed: size is no number',
    );
  });
});
