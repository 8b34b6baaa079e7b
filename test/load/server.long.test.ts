import { expect, onTestFinished, test } from 'vitest';
import { listWatch } from '../../operator/client/source.ts';
import type { WatchEvent } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { isGone } from '../../operator/model/status.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';
import { ENDLESS_NAMESPACE, NAMESPACE, type Profile } from '../support/load/profile.ts';
import { PROFILES } from '../support/load/profiles.ts';
import { LoadServer } from '../support/load/server.ts';

const OBJECTS = 50;

interface Served {
  readonly server: LoadServer;
  readonly source: ListWatch<KubernetesObject>;
  readonly sourceOf: (namespace: string) => ListWatch<KubernetesObject>;
  readonly signal: AbortSignal;
}

async function serve(profile: Profile = PROFILES.pod, objects = OBJECTS): Promise<Served> {
  const server = new LoadServer({ profile, objects });
  const transport = undiciTransport(`http://127.0.0.1:${await server.listen()}`);
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await transport.close();
    await server.close();
  });
  const resource = defineResource({ ...profile, namespaced: true });
  const sourceOf = (namespace: string): ListWatch<KubernetesObject> =>
    listWatch(transport, resource, { namespace });
  return { server, source: sourceOf(NAMESPACE), sourceOf, signal: stop.signal };
}

interface Listed {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
}

async function list({ source, signal }: Served, limit: number): Promise<Listed> {
  const items: KubernetesObject[] = [];
  const request = { consistency: { kind: 'latest' }, limit, signal } as const;
  let page = await source.listPage(request);
  items.push(...page.items.map(({ object }) => object));
  while (page.continueToken !== undefined) {
    page = await source.listPage({ ...request, continueToken: page.continueToken });
    items.push(...page.items.map(({ object }) => object));
  }
  return { items, resourceVersion: page.resourceVersion };
}

/** All events until the object of that name. */
async function eventsUntil(
  name: string,
  events: AsyncIterable<readonly WatchEvent<KubernetesObject>[]>,
): Promise<readonly WatchEvent<KubernetesObject>[]> {
  const seen: WatchEvent<KubernetesObject>[] = [];
  for await (const batch of events) {
    seen.push(...batch);
    if (batch.some((event) => nameOf(event) === name)) break;
  }
  return seen;
}

function nameOf(event: WatchEvent<KubernetesObject>): string {
  return event.type === 'BOOKMARK' ? 'bookmark' : event.entry.metadata.name;
}

function versionOf(event: WatchEvent<KubernetesObject>): string | undefined {
  return event.type === 'BOOKMARK' ? event.resourceVersion : event.entry.resourceVersion;
}

test('the pages of a list contain each object once, whatever the page size is', async () => {
  const served = await serve();

  const pages = await list(served, 7);
  const whole = await list(served, 0);

  expect(whole.items).toHaveLength(OBJECTS);
  expect(new Set(whole.items.map(({ metadata }) => metadata.uid)).size).toBe(OBJECTS);
  expect(pages).toEqual(whole);
});

test('a watch receives a burst of events completely and in order, and the marker object last', async () => {
  const served = await serve();
  const { resourceVersion } = await list(served, 0);
  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const events = eventsUntil('marker-1', await served.source.watch(request));
  await served.server.watched();

  served.server.prepare({ events: 1_000, keys: 10, marker: 'marker-1' });
  await served.server.send();
  const seen = await events;

  const versions = seen.map((event) => Number(versionOf(event)));
  expect(versions).toEqual(versions.map((_, index) => Number(resourceVersion) + 1 + index));
  expect(seen).toHaveLength(1_000);
  expect(new Set(seen.map(nameOf)).size).toBe(11);
  expect([seen.at(-1)?.type, seen.map(nameOf).at(-1)]).toEqual(['ADDED', 'marker-1']);
});

test('a list contains the objects as the events reported them', async () => {
  const served = await serve();
  served.server.prepare({ events: 120, keys: OBJECTS, marker: 'marker-1' });

  const { items, resourceVersion } = await list(served, 7);

  const versions = items.map(({ metadata }) => Number(metadata.resourceVersion));
  expect(items).toHaveLength(OBJECTS + 1);
  expect(Math.max(...versions)).toBe(Number(resourceVersion));
  expect(Math.min(...versions)).toBeGreaterThan(Number(resourceVersion) - 120);
});

test('a streamed list has every object, then its final bookmark, and then new events', async () => {
  const served = await serve();
  const { items, resourceVersion } = await list(served, 0);
  const request = { sendInitialEvents: true, timeoutSeconds: 60, signal: served.signal } as const;
  const watch = await served.source.watch({ ...request, resourceVersion: '' });
  const events = eventsUntil('marker-1', watch);

  served.server.prepare({ events: 10, keys: 5, marker: 'marker-1' });
  await served.server.watched();
  await served.server.send();
  const seen = await events;

  const initial = seen.slice(0, OBJECTS);
  expect(initial.map(nameOf)).toEqual(items.map(({ metadata }) => metadata.name));
  expect(seen[OBJECTS]).toMatchObject({ type: 'BOOKMARK', resourceVersion });
  expect(seen.slice(OBJECTS + 1)).toHaveLength(10);
});

test('events that happen during a streamed list are sent after the list', async () => {
  const served = await serve(PROFILES.big, 100);
  const request = { sendInitialEvents: true, timeoutSeconds: 60, signal: served.signal } as const;
  const watch = await served.source.watch({ ...request, resourceVersion: '' });

  // 20 MB that nobody has read: more than sockets hold, so that the list is still under way.
  served.server.prepare({ events: 3, keys: 2, marker: 'marker-1' });
  await served.server.send();
  const seen = await eventsUntil('marker-1', watch);

  expect(seen.slice(0, 100).every(({ type }) => type === 'ADDED')).toBe(true);
  expect(seen[100]).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
  expect(seen.slice(101).map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'ADDED']);
});

test('a client that missed an event gets the error 410, after which it lists again', async () => {
  const served = await serve();
  const { resourceVersion } = await list(served, 0);
  served.server.expire('marker-1', { streamed: false });

  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const failure = await eventsUntil('marker-1', await served.source.watch(request)).catch(
    (error: unknown) => error,
  );

  expect(isGone(failure)).toBe(true);
  expect((await list(served, 0)).items.at(-1)?.metadata.name).toBe('marker-1');
});

test('events sent at a steady rate contain the time at which they were sent, and a later list has their objects', async () => {
  const served = await serve();
  const { resourceVersion } = await list(served, 0);
  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const events = eventsUntil('marker-1', await served.source.watch(request));
  await served.server.watched();

  const startedAt = process.hrtime.bigint();
  await served.server.trickle(1_000, 0.02, 'marker-1');
  const seen = await events;

  const times = seen.slice(0, -1).map((event) => BigInt(nameOf(event).replace('at-', '')));
  expect(times).toHaveLength(20);
  expect(times.every((time) => time > startedAt && time < process.hrtime.bigint())).toBe(true);
  const { items } = await list(served, 0);
  expect(items.slice(OBJECTS).map(({ metadata }) => metadata.name)).toEqual(seen.map(nameOf));
  expect(new Set(items.map(({ metadata }) => metadata.uid)).size).toBe(items.length);
});

test('an event that is sent in several chunks arrives as one event', async () => {
  const served = await serve(PROFILES['config-map']);
  const { resourceVersion } = await list(served, 0);
  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const events = eventsUntil('marker-1', await served.source.watch(request));
  await served.server.watched();

  await served.server.sendInChunks(100_000, 16_384, 'marker-1');
  const seen = await events;

  const sent = seen.flatMap((event) =>
    event.type === 'BOOKMARK' ? [] : { type: event.type, object: event.entry.object },
  );
  expect(seen).toHaveLength(1);
  expect(JSON.stringify(sent).length).toBeGreaterThan(100_000);
});

test('deletions arrive in the order of the list, and the marker object is not deleted', async () => {
  const served = await serve();
  const { items, resourceVersion } = await list(served, 0);
  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const events = eventsUntil('marker-1', await served.source.watch(request));
  await served.server.watched();

  served.server.prepareDeletions('marker-1');
  await served.server.send();
  const seen = await events;

  const gone = seen.slice(0, -1);
  expect(gone.every(({ type }) => type === 'DELETED')).toBe(true);
  expect(gone.map(nameOf)).toEqual(items.map(({ metadata }) => metadata.name));
  const left = (await list(served, 0)).items;
  expect(left.map(({ metadata }) => metadata.name)).toEqual(['marker-1']);
  expect(items.map(({ metadata }) => metadata.uid)).not.toContain(left[0]?.metadata.uid);
});

test('only watches of one namespace get a line without end; other watches get objects, and then the marker', async () => {
  const served = await serve();
  const { resourceVersion } = await list(served, 0);
  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const events = eventsUntil('marker-1', await served.source.watch(request));
  const endless = served.sourceOf(ENDLESS_NAMESPACE);
  const failed = eventsUntil('marker-1', await endless.watch(request)).catch((error) => error);
  await served.server.watched(2);

  await served.server.sendEndlessLine(256 * 2 ** 20, 'marker-1');

  expect(await failed).toMatchObject({
    code: 'DECODE',
    message: expect.stringMatching(/too long/),
  });
  const names = (await events).map(nameOf);
  expect(names.at(-1)).toBe('marker-1');
  expect(names.length).toBeGreaterThan(1);
  expect(names.slice(0, -1)).toEqual(names.slice(0, -1).toSorted());
});

test('sendEndlessLine fails when a client reads the whole line', async () => {
  const served = await serve();
  const { resourceVersion } = await list(served, 0);
  const request = { resourceVersion, timeoutSeconds: 60, signal: served.signal };
  const watch = await served.sourceOf(ENDLESS_NAMESPACE).watch(request);
  const failed = eventsUntil('marker-1', watch).catch(() => {});
  await served.server.watched();

  const sent = served.server.sendEndlessLine(2 ** 20, 'marker-1');

  await expect(sent).rejects.toThrow(/has read a line of 1048576 bytes/);
  await served.server.close();
  await failed;
});

test.each([
  ['config-map', 1_000],
  ['widget', 2_000],
  ['pod', 7_700],
  ['big', 200_000],
  ['huge', 1_000_000],
] as const)('an object with the profile %s has about %d bytes', (name, bytes) => {
  const text = JSON.stringify(PROFILES[name].object(12, 'web-12', '1000000000'));

  expect(Math.abs(text.length - bytes) / bytes).toBeLessThan(0.1);
});
