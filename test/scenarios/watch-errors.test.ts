/** What a server says on a watch when it refuses, ends or misleads it. */

import { errorEvent, failure, settleSockets, stream } from '@chancery/testing';
import { expect, test } from 'vitest';
import { gapsOf, scenario } from './support/scenario.ts';

const GONE = { code: 410, reason: 'Expired', message: 'too old resource version: 1 (2)' } as const;

test('[H05] an HTTP 410 for a watch causes one list and a new watch, and missed deletes are delivered', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.collection.put('b');
  it.server.on({ watch: true, nth: 1 }, (exchange) => {
    it.collection.remove('a');
    return failure(GONE)(exchange);
  });
  it.serve();

  void it.run();
  await it.converges();
  await it.until(() => it.collection.openWatches.length === 1);

  expect(it.asked()).toEqual(['list', 'watch@102', 'list>=102', 'watch@103']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102', 'delete a@101?']);
  expect(it.server.openWatches).toHaveLength(1);
});

test('[H07] an ERROR event of 410 before the end of the watch causes exactly one list', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.disconnects();
  it.collection.remove('a');
  it.collection.put('b');
  it.collection.expire();
  await it.converges();
  await it.until(() => it.collection.openWatches.length === 1);
  await it.passes(60_000);

  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@101', 'list>=101', 'watch@103']);
  expect(it.deliveries.told).toEqual(['add a@101', 'delete a@101?', 'add b@103']);
  expect(it.server.openWatches).toHaveLength(1);
});

test('[H08] an ERROR event of 500 on an open watch is reported, and the watch is closed and resumed', async () => {
  const it = await scenario();
  it.collection.put('a');
  const status = { code: 500, reason: 'InternalError', message: 'etcd is away' };
  it.server.on({ watch: true, nth: [1, 2] }, stream([errorEvent(status)], { end: 'hang' }));
  it.serve();

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.put('b');
  await it.converges();

  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@101', 'watch@101']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102']);
  expect(it.statuses.map(({ reason }) => reason)).toContain('server-error');
  expect(Math.min(...gapsOf(it.server.watches))).toBeGreaterThanOrEqual(800);
  expect(it.server.openWatches).toHaveLength(1);
});

test('[H09] after an ERROR event of 429, the watch waits, and then resumes without a list', async () => {
  const it = await scenario();
  it.collection.put('a');
  const details = { retryAfterSeconds: 4 };
  const status = { code: 429, reason: 'TooManyRequests', message: 'busy', details };
  it.server.on({ watch: true, nth: 1 }, stream([errorEvent(status)]));
  it.serve();

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.put('b');
  await it.converges();

  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@101']);
  expect(gapsOf(it.server.watches)[0]).toBeGreaterThanOrEqual(4_000);
});

test('[H11] a server that ends every watch at once gets few requests, at irregular intervals', async () => {
  let turn = 0;
  const it = await scenario({ random: () => (turn++ * 0.37) % 1 });
  it.collection.put('a');
  it.server.on({ watch: true }, stream([]));
  it.serve();

  void it.run();
  await it.passes(600_000);

  const late = it.server.requests.filter(({ atMs }) => atMs > it.startedAtMs + 300_000);
  const gaps = gapsOf(late.filter(({ isWatch }) => isWatch)).map(Math.round);
  expect(late.length).toBeLessThan(60);
  expect(late.length).toBeGreaterThan(5);
  expect(new Set(gaps).size).toBe(gaps.length);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  expect(it.deliveries.told).toEqual(['add a@101']);
});

test('[H13] a Retry-After in seconds is respected three times, without a list', async () => {
  const it = await scenario();
  const busy = failure({ code: 429, reason: 'TooManyRequests' }, { 'retry-after': '2' });
  it.server.on({ watch: true, nth: [1, 3] }, busy);
  it.serve();

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.put('a');
  await it.converges();

  expect(it.asked()).toEqual(['list', 'watch@100', 'watch@100', 'watch@100', 'watch@100']);
  expect(Math.min(...gapsOf(it.server.watches))).toBeGreaterThanOrEqual(2_000);
});

test('[H14] a Retry-After with a date is respected', async () => {
  const it = await scenario();
  it.server.on({ watch: true, nth: 1 }, (exchange) => {
    const until = new Date(exchange.clock.now() + 3_000).toUTCString();
    return failure({ code: 429, reason: 'TooManyRequests' }, { 'retry-after': until })(exchange);
  });
  it.serve();

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  const [gap = 0] = gapsOf(it.server.watches);
  expect(gap).toBeGreaterThanOrEqual(3_000);
  expect(gap).toBeLessThan(4_500);
  expect(it.asked()).toEqual(['list', 'watch@100', 'watch@100']);
});

test('[H25] a bookmark reaches no handler, and the next watch starts from it', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.skipTo(900);
  it.collection.bookmark();
  void it.collection.openWatches[0]?.end();
  await it.until(() => it.server.watches.length === 2);

  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@900']);
  expect(it.deliveries.told).toEqual(['add a@101']);
});

const HALF_EVENTS: readonly (readonly [string, unknown])[] = [
  ['a bookmark without metadata', { type: 'BOOKMARK', object: bare() }],
  ['a bookmark without resourceVersion', { type: 'BOOKMARK', object: bare({}) }],
  ['an ADDED without resourceVersion', { type: 'ADDED', object: bare({ name: 'b', uid: 'u' }) }],
  [
    'a MODIFIED without resourceVersion',
    { type: 'MODIFIED', object: bare({ name: 'b', uid: 'u' }) },
  ],
  ['a DELETED without resourceVersion', { type: 'DELETED', object: bare({ name: 'b', uid: 'u' }) }],
];

test.each(
  HALF_EVENTS,
)('[H26] %s leaves the last resourceVersion unchanged, without a list', async (_, event) => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.openWatches[0]?.sendEvents(event);
  await settleSockets();
  void it.collection.openWatches[0]?.end();
  await it.until(() => it.server.watches.length === 2);

  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@101']);
  expect(it.server.openWatches).toHaveLength(1);
});

const NAMELESS_EVENTS: readonly (readonly [string, unknown])[] = [
  ['an ADDED without metadata', { type: 'ADDED', object: bare() }],
  ['a MODIFIED without a name', { type: 'MODIFIED', object: bare({ resourceVersion: '900' }) }],
  ['a DELETED whose metadata is null', { type: 'DELETED', object: bare(null) }],
  ['a bookmark without an object', { type: 'BOOKMARK' }],
];

test.each(
  NAMELESS_EVENTS,
)('[W-13] [H26] %s is not applied to any object, and causes one list', async (_, event) => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.openWatches[0]?.sendEvents(event);
  await it.until(() => it.server.watches.length === 2, 5_000); // not when the watch has run out

  expect(it.asked()).toEqual(['list', 'watch@101', 'list', 'watch@101']);
  expect(it.deliveries.told).toEqual(['add a@101']);
});

test('[H27] an older state of an object is not delivered', async () => {
  const it = await scenario();
  it.collection.skipTo(106);
  const old = it.collection.put('a'); // 107
  it.collection.skipTo(109);
  it.collection.put('a'); // 110
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.openWatches[0]?.sendEvents({ type: 'MODIFIED', object: old });
  it.collection.put('b');
  await it.converges();
  it.disconnects();
  await it.until(() => it.server.watches.length === 2);

  expect(it.deliveries.told).toEqual(['add a@110', 'add b@111']);
  expect(it.asked()).toEqual(['list', 'watch@110', 'watch@111']);
});

const VERSIONS: readonly (readonly [string, (revision: number) => string])[] = [
  ['words', (revision) => `v${String.fromCharCode(97 + (revision % 26))}`],
  ['numbers beyond 2^53', (revision) => String(2n ** 60n + BigInt(revision))],
  ['numbers of 39 digits', (revision) => `${'9'.repeat(36)}${revision}`],
];

test.each(
  VERSIONS,
)('[H28] with resourceVersions that are %s, the cache converges over watch, resume and list', async (_, versionOf) => {
  const it = await scenario({ versionOf });
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.put('a');
  it.collection.put('b');
  await it.converges();
  it.disconnects();
  it.collection.put('a');
  await it.converges();
  it.disconnects();
  it.collection.remove('b');
  it.collection.put('c');
  it.collection.expire();
  await it.converges();
  await it.until(() => it.collection.openWatches.length === 1);

  expect(it.asked()).toEqual([
    'list',
    `watch@${versionOf(101)}`,
    `watch@${versionOf(103)}`,
    `watch@${versionOf(104)}`,
    `list>=${versionOf(104)}`,
    `watch@${versionOf(106)}`,
  ]);
});

test('[H65] a delete is delivered even if its object has only metadata', async () => {
  const it = await scenario();
  const a = it.collection.put('a', { data: { key: 'value' } });
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.loseEvents();
  it.collection.remove('a'); // 102
  const metadata = { ...a.metadata, resourceVersion: it.collection.resourceVersion };
  const trimmed = { apiVersion: a.apiVersion, kind: a.kind, metadata };
  it.collection.openWatches[0]?.sendEvents({ type: 'DELETED', object: trimmed });
  await it.converges();
  it.disconnects();
  await it.until(() => it.server.watches.length === 2);

  expect(it.deliveries.told).toEqual(['add a@101', 'delete a@102']);
  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@102']);
});

function bare(metadata?: object | null): unknown {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...(metadata !== undefined && { metadata }) };
}
