import { getEventListeners } from 'node:events';
import { eventually } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { listWatch } from '../../operator/client/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { WatchEvent } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { plain } from '../stream/decoded.ts';
import { collect, recordedWatches, watchText } from '../support/recorded-stream.ts';
import {
  answerOf,
  CHUNKED_HEAD,
  chunkOf,
  rawServer,
  transportTo,
} from '../transport/raw-server.ts';
import { cannedTransport, parsePath } from './canned-transport.ts';

const { signal } = new AbortController();
const nodes = defineResource<KubernetesObject>({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
});
const list = (metadata: object): object => ({
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata,
  items: [{ metadata: { name: 'a', uid: 'u' } }],
});
const latest = { consistency: { kind: 'latest' }, limit: 500, signal } as const;
const fresh = { resourceVersion: '100', timeoutSeconds: 300, signal } as const;
const line = (type: string, name: string): string =>
  `${JSON.stringify({ type, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } })}\n`;

test('[P-5] lists and watches request JSON', async () => {
  const transport = cannedTransport(({ path }) => ({
    body: path.includes('watch=') ? line('ADDED', 'a') : list({ resourceVersion: '9' }),
  }));
  const source = listWatch(transport, configMaps);

  await source.listPage(latest);
  await source.watch(fresh);

  const accepted = transport.requests.map(({ headers }) => headers?.accept);
  expect(accepted).toEqual(['application/json', 'application/json']);
});

describe('a page of a list', () => {
  const scope = { namespace: 'demo', labelSelector: 'app=web', fieldSelector: 'metadata.name=a' };
  const selectors = { labelSelector: 'app=web', fieldSelector: 'metadata.name=a' };

  test.each([
    ['of the latest state', latest, { limit: '500' }],
    ['with everything', { ...latest, limit: 0 }, {}],
    [
      'not older than a resourceVersion',
      { ...latest, consistency: { kind: 'not-older-than', resourceVersion: '7' }, limit: 0 },
      { resourceVersion: '7', resourceVersionMatch: 'NotOlderThan' },
    ],
    [
      'with a continue token, without a resourceVersion',
      {
        ...latest,
        consistency: { kind: 'not-older-than', resourceVersion: '7' },
        continueToken: 'a b=',
      },
      { limit: '500', continue: 'a b=' },
    ],
  ] as const)('a page is requested: %s', async (_, request, query) => {
    const transport = cannedTransport(() => ({ body: list({ resourceVersion: '9' }) }));

    const page = await listWatch(transport, configMaps, scope).listPage(request);

    const { items, itemBytes, ...frame } = page;
    expect(items.map(({ object }) => object)).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u' } },
    ]);
    expect(itemBytes).toBe('{"metadata":{"name":"a","uid":"u"}}'.length);
    expect(frame).toEqual({ resourceVersion: '9', continueToken: undefined });
    expect(parsePath(transport.requests[0])).toEqual({
      path: '/api/v1/namespaces/demo/configmaps',
      query: { ...selectors, ...query },
    });
    expect(transport.requests[0]).toMatchObject({ method: 'GET', purpose: 'call' });
  });

  const half = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";

  test('a page is requested with `shardSelector`, and has the selector that the server applied', async () => {
    const applied = `${half} || ${half}`;
    const metadata = { resourceVersion: '9', shardInfo: { selector: applied } };
    const transport = cannedTransport(() => ({ body: list(metadata) }));

    const page = await listWatch(transport, configMaps, { shardSelector: half }).listPage(latest);

    expect(page.shardSelector).toBe(applied);
    expect(parsePath(transport.requests[0]).query).toEqual({ limit: '500', shardSelector: half });
  });

  test.each([
    undefined,
    null,
    'x',
    {},
    { selector: '' },
    { selector: 7 },
  ])('a page with the shardInfo %j has no `shardSelector`', async (shardInfo) => {
    const body = list({ resourceVersion: '9', shardInfo });
    const transport = cannedTransport(() => ({ body }));

    const page = await listWatch(transport, configMaps, { shardSelector: half }).listPage(latest);

    expect(page).toMatchObject({ resourceVersion: '9', shardSelector: undefined });
  });

  test.each([
    {},
    { resourceVersion: '' },
    { resourceVersion: '0' },
  ])('a page with the metadata %o is refused, because no watch can start from it', async (metadata) => {
    const transport = cannedTransport(() => ({ body: list(metadata) }));

    const reading = listWatch(transport, configMaps).listPage(latest);

    await expect(reading).rejects.toMatchObject({ code: 'DECODE' });
  });

  test('if the server refuses a page, its error is thrown', async () => {
    const body = { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' };
    const transport = cannedTransport(() => ({ status: 410, body }));

    const reading = listWatch(transport, configMaps).listPage(latest);

    await expect(reading).rejects.toMatchObject({ status: 410, reason: 'Expired' });
  });

  test('listing a cluster-scoped resource with a namespace is refused', () => {
    const transport = cannedTransport(() => ({}));

    expect(() => listWatch(transport, nodes, { namespace: 'demo' })).toThrow(
      expect.objectContaining({ code: 'CONFIG' }),
    );
  });
});

describe('the watch of a source', () => {
  test('a watch requests events after a resourceVersion, with bookmarks and a timeout', async () => {
    const transport = cannedTransport(() => ({ body: '' }));

    await listWatch(transport, configMaps, { labelSelector: 'a in (b,c)' }).watch(fresh);

    expect(parsePath(transport.requests[0])).toEqual({
      path: '/api/v1/configmaps',
      query: {
        labelSelector: 'a in (b,c)',
        watch: '1',
        resourceVersion: '100',
        allowWatchBookmarks: 'true',
        timeoutSeconds: '300',
      },
    });
    expect(transport.requests[0]).toMatchObject({ purpose: 'watch' });
  });

  test('a watch is requested with `shardSelector`', async () => {
    const transport = cannedTransport(() => ({ body: '' }));
    const shardSelector =
      "shardRange(object.metadata.namespace, '0xf000000000000000', '0x10000000000000000')";

    await listWatch(transport, configMaps, { shardSelector }).watch(fresh);

    expect(parsePath(transport.requests[0]).query).toMatchObject({ watch: '1', shardSelector });
  });

  test.each(['', '0'])('a watch never starts from %j', async (resourceVersion) => {
    const transport = cannedTransport(() => ({ body: '' }));

    const opening = listWatch(transport, configMaps).watch({ ...fresh, resourceVersion });

    await expect(opening).rejects.toMatchObject({ code: 'DECODE' });
    expect(transport.requests).toEqual([]);
  });

  test('a watch is returned when the head of the response has arrived, before any event', async () => {
    const server = await rawServer(() => CHUNKED_HEAD);

    const events = await listWatch(transportTo(server.url), configMaps).watch(fresh);
    const reading = collect(events);
    server.sockets[0]?.end(chunkOf(line('ADDED', 'a')) + chunkOf(''));

    const { items } = await reading;
    expect(items.map((batch) => batch.map(plain))).toMatchObject([
      [{ object: { metadata: { name: 'a' } } }],
    ]);
  });

  test.each([
    [answerOf(410, '{"kind":"Status","code":410,"reason":"Expired"}'), { status: 410 }],
    [
      answerOf(403, 'Forbidden\n', { 'content-type': 'text/plain' }),
      { code: 'AMBASSADOR_FORBIDDEN' },
    ],
    [answerOf(200, '<html>', { 'content-type': 'text/html' }), { code: 'NOT_KUBERNETES' }],
    [answerOf(301, '', { location: '/' }), { code: 'NOT_KUBERNETES' }],
  ])('if the server refuses a watch, the call rejects before the watch opens (%#)', async (bytes, expected) => {
    const server = await rawServer(() => bytes);

    const opening = listWatch(transportTo(server.url), configMaps).watch(fresh);

    await expect(opening).rejects.toMatchObject(expected);
  });

  test('a watch ends when the server ends it normally', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf(line('ADDED', 'a')) + chunkOf(''));

    const events = await listWatch(transportTo(server.url), configMaps).watch(fresh);
    const { items, error } = await collect(events);

    expect(items.flat()).toHaveLength(1);
    expect(error).toBeUndefined();
  });

  test('if the connection of a watch breaks off, complete events are returned before the error', async () => {
    const server = await rawServer(({ socket }) => {
      socket.end(CHUNKED_HEAD + chunkOf(line('ADDED', 'a') + line('ADDED', 'b').slice(0, -1)));
      return undefined;
    });

    const events = await listWatch(transportTo(server.url), configMaps).watch(fresh);
    const { items, error } = await collect(events);

    expect(items.flat().map(plain)).toMatchObject([{ object: { metadata: { name: 'a' } } }]);
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', layer: 'ambassador' });
  });

  test('a watch skips and reports objects of another kind', async () => {
    const skipped: unknown[] = [];
    const foreign = line('ADDED', 'x').replace('"ConfigMap"', '"Secret"');
    const transport = cannedTransport(() => ({ body: foreign + line('ADDED', 'a') }));

    const source = listWatch(
      transport,
      configMaps,
      {},
      { onSkipped: (found) => skipped.push(found) },
    );
    const { items } = await collect(await source.watch(fresh));

    expect(items.flat().map(plain)).toMatchObject([{ object: { metadata: { name: 'a' } } }]);
    expect(skipped).toEqual([{ apiVersion: 'v1', kind: 'Secret' }]);
  });

  test('a watch calls `onActivity` whenever bytes arrive, even for an incomplete line', async () => {
    const server = await rawServer(() => CHUNKED_HEAD);
    let activity = 0;
    const events = await listWatch(transportTo(server.url), configMaps).watch({
      ...fresh,
      onActivity: () => activity++,
    });
    const reading = collect(events);

    server.sockets[0]?.write(chunkOf('{"type":'));
    await eventually(() => activity > 0);
    server.sockets[0]?.end(chunkOf(''));

    expect((await reading).items).toEqual([]);
    expect(activity).toBe(1);
  });

  test('a watch closes its connection when the reader leaves the loop', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf(line('ADDED', 'a')));
    const controller = new AbortController();
    const source = listWatch(transportTo(server.url), configMaps);

    for await (const batch of await source.watch({ ...fresh, signal: controller.signal })) {
      expect(batch).toHaveLength(1);
      break;
    }

    await eventually(() => server.sockets[0]?.destroyed);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('an aborted watch throws the reason, and closes its connection', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf(line('ADDED', 'a')));
    const controller = new AbortController();
    const reason = new Error('stopped');
    const source = listWatch(transportTo(server.url), configMaps);
    const events = await source.watch({ ...fresh, signal: controller.signal });
    const seen: WatchEvent[] = [];

    const reading = (async () => {
      for await (const batch of events) {
        seen.push(...batch);
        setImmediate(() => controller.abort(reason));
      }
    })();

    await expect(reading).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
    await eventually(() => server.sockets[0]?.destroyed);
  });

  test('a watch that is never read is closed by its signal', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf(line('ADDED', 'a')));
    const controller = new AbortController();
    await listWatch(transportTo(server.url), configMaps).watch({
      ...fresh,
      signal: controller.signal,
    });

    controller.abort();

    await eventually(() => server.sockets[0]?.destroyed);
  });

  test('for a recorded watch, all events are returned in order', async () => {
    const recorded = recordedWatches('watch-lifecycle')
      .filter(({ request }) => request.path.includes('/configmaps'))
      .map(watchText)
      .sort((a, b) => b.length - a.length)[0];
    const sent = (recorded ?? '').split('\n').slice(0, -1);
    const server = await rawServer(() => CHUNKED_HEAD);
    const events = await listWatch(transportTo(server.url), configMaps, {
      namespace: 'demo',
    }).watch(fresh);
    const reading = collect(events);
    const bytes = Buffer.from(recorded ?? '', 'utf8').toString('latin1');
    const [socket] = server.sockets;
    for (let at = 0; at < bytes.length; at += 1_000) {
      socket?.write(chunkOf(bytes.slice(at, at + 1_000)), 'latin1');
    }
    socket?.end(chunkOf(''));

    const { items, error } = await reading;

    expect(error).toBeUndefined();
    expect(sent.length).toBeGreaterThan(5);
    expect(items.flat().map(({ type }) => type)).toEqual(
      sent.map((text) => (JSON.parse(text) as { type: string }).type),
    );
  });
});

describe('metadata-only sources', () => {
  const managedFields = [{ manager: 'kubectl' }];
  const metadata = { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '7', managedFields };
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  const whole = {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '9' },
    items: [partial],
  };
  const transport = cannedTransport(({ path }) => ({
    body: path.includes('watch=')
      ? `${JSON.stringify({ type: 'ADDED', object: partial })}\n`
      : whole,
  }));
  const source = listWatch(transport, configMaps, { metadataOnly: true });
  const wanted = (drops: boolean): object => {
    const { managedFields: _, ...rest } = metadata;
    return { kind: 'ConfigMap', apiVersion: 'v1', metadata: drops ? rest : metadata };
  };

  test.each([
    true,
    false,
  ])('the objects of a metadata-only page or watch have their real kind, and no managedFields: %s', async (drops) => {
    const more = { dropManagedFields: drops };

    const page = await source.listPage({ ...latest, ...more });
    const { items } = await collect(await source.watch({ ...fresh, ...more }));

    expect(page.items.map(({ object }) => object)).toEqual([wanted(drops)]);
    expect(items.flat().map(plain)).toEqual([{ type: 'ADDED', object: wanted(drops) }]);
  });

  test('a metadata-only page reuses known objects that have not changed', async () => {
    const before = await source.listPage(latest);
    const known = (): (typeof before.items)[number] | undefined => before.items[0];

    const { items } = await source.listPage({ ...latest, known });

    expect(items[0]).toBe(before.items[0]);
  });
});
