/** Lists that fail, hang, lie or come in pieces. */
import { gzipSync } from 'node:zlib';
import {
  eventually,
  failure,
  json,
  ScriptedCollection,
  silence,
  stream,
  text,
} from '@chancery/testing';
import { expect, test } from 'vitest';
import { listWatch } from '../../operator/client/source.ts';
import { type Pod, pods } from '../../operator/model/builtin.ts';
import { Informer } from '../../operator/store/informer.ts';
import { gapsOf, PATH, type Scenario, scenario } from './support/scenario.ts';

const LIST = { path: PATH, watch: false } as const;
const GONE = { code: 410, reason: 'Expired', message: 'too old resource version: 1 (2)' } as const;

/** A synced informer whose watch has just broken off, and whose resourceVersion has expired. */
async function expired(it: Scenario, meanwhile: () => void = () => {}): Promise<void> {
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.disconnects();
  meanwhile();
  it.collection.expire();
}

test('[H16] five responses of the ambassador with status 500 and plain text are retried with growing delays', async () => {
  const it = await scenario();
  it.collection.put('a');
  const refused = text('dial tcp 10.96.0.1:443: connect: connection refused\n', 500);
  it.server.on({ ...LIST, nth: [1, 5] }, refused);
  it.serve();

  void it.run();
  await it.converges();

  const gaps = gapsOf(it.server.reads);
  expect(it.server.reads).toHaveLength(6);
  expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
  expect(gaps[0]).toBeGreaterThanOrEqual(800);
  expect(it.statuses.map(({ reason }) => reason)).toContain('upstream-unreachable');
});

test('[H17] a port that opens after ten seconds is tried soon after the start, and again soon after it opens', async () => {
  const it = await scenario({ proxied: true });
  it.collection.put('a');
  it.serve();
  it.proxy.refuse();

  void it.run();
  await it.passes(10_000);
  const [failing] = it.statuses;
  await it.proxy.accept();
  await it.converges(6_000);

  expect(failing).toMatchObject({ health: 'failing', reason: 'unreachable' });
  expect(failing?.retryInMs).toBeLessThan(1_000);
  expect(it.server.reads).toHaveLength(1);
});

test('[H18] a request that gets no response at all is sent again after a time limit', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.server.on({ ...LIST, nth: 1 }, silence());
  it.server.on({ watch: true, nth: 1 }, silence());
  it.serve();

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  const [listGap = 0] = gapsOf(it.server.reads);
  const [watchGap = 0] = gapsOf(it.server.watches);
  expect(it.asked()).toEqual(['list', 'list', 'watch@101', 'watch@101']);
  expect(listGap).toBeGreaterThanOrEqual(20_000);
  expect(watchGap).toBeGreaterThanOrEqual(30_000);
  expect(Math.max(listGap, watchGap)).toBeLessThan(120_000);
  // The server hears of a close a little later than the client.
  await eventually(() => it.server.openConnections <= 2);
});

test('[H31] if an object is recreated while the watch is disconnected, a delete of the old object and an add of the new object are delivered', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();

  await expired(it, () => {
    it.collection.remove('a');
    it.collection.put('a');
  });
  await it.converges();

  expect(it.deliveries.told).toEqual(['add a@101', 'delete a@101?', 'add a@103']);
  expect(it.server.reads).toHaveLength(2);
});

test('[H32] if an object is deleted while the watch is disconnected, one delete with its last known state is delivered', async () => {
  const it = await scenario();
  it.collection.put('a', { data: { key: 'last' } });
  it.collection.put('b');
  it.serve();

  await expired(it, () => it.collection.remove('a'));
  await it.converges();

  const last = it.deliveries.changes.at(-1);
  expect(last).toMatchObject({ type: 'delete', finalStateUnknown: true });
  expect(last?.object.data).toEqual({ key: 'last' });
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102', 'delete a@101?']);
});

test('[H33] the old objects stay readable during a failing relist, and none is deleted', async () => {
  const it = await scenario();
  it.collection.put('a');
  const broken = failure({ code: 500, reason: 'InternalError', message: 'etcd is away' });
  it.server.on({ ...LIST, nth: [2, 4] }, broken);
  it.serve();

  await expired(it, () => it.collection.put('b'));
  await it.until(() => it.server.reads.length === 4);
  const during = {
    names: it.informer.store.list().map(({ metadata }) => metadata.name),
    told: [...it.deliveries.told],
    health: it.informer.status.health,
  };
  await it.converges();

  expect(during).toEqual({ names: ['a'], told: ['add a@101'], health: 'failing' });
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102']);
  expect(it.server.reads).toHaveLength(5);
});

test('[H34] `items: null` is read as an empty list', async () => {
  const it = await scenario();
  it.server.on(
    { ...LIST, nth: 1 },
    json({
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '100' },
      items: null,
    }),
  );
  it.serve();

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  expect(it.informer.store.list()).toEqual([]);
  expect(it.asked()).toEqual(['list', 'watch@100']);
});

const LONGER = { 'content-type': 'application/json', 'content-length': '5000' };
const CUT =
  '{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"200"},"items":[';

test.each([
  ['whose JSON is cut', stream([CUT])],
  ['whose connection breaks off', stream([CUT], { end: 'cut' })],
  ['whose connection is reset', stream([CUT], { end: 'reset' })],
  ['that is shorter than announced', stream([CUT], { headers: LONGER, end: 'cut' })],
])('[H34] a list %s causes an error, and no object is deleted', async (_, reply) => {
  const it = await scenario();
  it.collection.put('a');
  it.collection.put('b');
  it.server.on({ ...LIST, nth: 2 }, reply);
  it.serve();

  await expired(it, () => it.collection.remove('b'));
  await it.until(() => it.server.reads.length === 2);
  await it.until(() => it.informer.status.health === 'failing');
  const told = [...it.deliveries.told];
  await it.converges();

  expect(told).toEqual(['add a@101', 'add b@102']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102', 'delete b@102?']);
  expect(it.server.reads).toHaveLength(3);
});

test('[H35] a token that expires on the third page starts a new list, and no object is wrongly deleted', async () => {
  const it = await scenario({ pageSize: 10 });
  for (let n = 0; n < 25; n++) it.collection.put(`o-${n}`);
  it.server.on({ ...LIST, nth: 6 }, failure(GONE)); // the third page of the second list
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.collection.loseEvents();
  it.collection.remove('o-24');
  it.collection.openWatches[0]?.send('garbage\n'); // what it takes to have the newest state listed
  await it.converges();

  const continued = it.server.reads.map(({ query }) => query.continue !== undefined);
  expect(continued.slice(0, 6)).toEqual([false, true, true, false, true, true]);
  expect(continued[6]).toBe(false);
  expect(it.deliveries.told.slice(25)).toEqual(['delete o-24@125?']);
});

test('[H36] thirty pages make up one list, with the resourceVersion of the first page', async () => {
  const it = await scenario({ pageSize: 10 });
  for (let n = 0; n < 300; n++) it.collection.put(`o-${n}`);
  it.serve();

  void it.run();
  await it.converges();
  await it.until(() => it.collection.openWatches.length === 1);

  expect(it.server.reads).toHaveLength(30);
  expect(it.server.reads.every(({ query }) => query.limit === '10')).toBe(true);
  expect(it.server.watches.map(({ query }) => query.resourceVersion)).toEqual(['400']);
  expect(it.deliveries.told).toHaveLength(300);
});

test('[H38] an endless list is abandoned, and does not disturb other sources', async () => {
  const it = await scenario();
  it.collection.put('a');
  const others = new ScriptedCollection({
    apiVersion: 'v1',
    kind: 'Pod',
    path: '/api/v1/namespaces/demo/pods',
  });
  others.put('p');
  it.server.on({ ...LIST, nth: 1 }, stream([CUT], { end: 'hang' }));
  it.server.on({ path: others.path }, others.reply);
  it.serve();
  const other = new Informer<Pod>(
    listWatch(it.transport, pods, { namespace: 'demo' }, { clock: it.clock }),
    { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
    { clock: it.clock, relistIntervalMs: 0 },
  );

  void it.run();
  it.runs(other);
  await it.until(() => others.openWatches.length === 1);
  others.put('q');
  await it.until(() => other.store.list().length === 2);
  const syncedBefore = it.informer.synced;
  await it.converges();

  const [gap = 0] = gapsOf(it.server.reads.filter(({ path }) => path === PATH));
  expect(syncedBefore).toBe(false);
  expect(gap).toBeLessThan(90_000);
  expect(it.server.openWatches.filter(({ path }) => path === others.path)).toHaveLength(1);
});

test('[H43] a login page instead of a list is reported, does not sync the source, and is retried less and less often', async () => {
  const it = await scenario();
  const page = text('<html>Sign in</html>', 200, { 'content-type': 'text/html' });
  it.server.on({ path: PATH }, page);

  void it.run();
  await it.passes(300_000);

  const gaps = gapsOf(it.server.reads);
  expect(it.informer.synced).toBe(false);
  expect(it.statuses).toEqual([
    expect.objectContaining({ health: 'failing', reason: 'not-kubernetes' }),
  ]);
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(30_000);
  expect(it.server.reads.length).toBeLessThan(20);
  expect(it.server.watches).toEqual([]);
});

test('[H53] if the server has not reached the resourceVersion of a list, the list is retried after the requested time, and then for any version', async () => {
  const it = await scenario();
  it.collection.put('a');
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  const ahead = failure({
    code: 504,
    reason: 'Timeout',
    message: 'Too large resource version: 101, current: 90',
    details: { causes, retryAfterSeconds: 1 },
  });
  it.server.on({ ...LIST, nth: [2, 5] }, ahead);
  it.serve();

  await expired(it, () => it.collection.put('b'));
  await it.converges();

  const lists = it.asked().filter((asked) => asked.startsWith('list'));
  expect(lists.slice(0, 2)).toEqual(['list', 'list>=101']);
  expect(lists.at(-1)).toBe('list');
  expect(lists.length).toBeLessThanOrEqual(6);
  expect(Math.min(...gapsOf(it.server.reads.slice(1)))).toBeGreaterThanOrEqual(1_000);
});

test('[H54] a server that could compress its responses is asked for uncompressed responses, so that no event is delayed', async () => {
  const it = await scenario();
  const compressing = (encoding: unknown): boolean => /gzip/.test(String(encoding ?? 'gzip'));
  it.server.on({ path: PATH }, (exchange) =>
    compressing(exchange.request.headers['accept-encoding'])
      ? stream([gzipSync('{}')], { headers: { 'content-encoding': 'gzip' } })(exchange)
      : it.collection.reply(exchange),
  );

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.put('a');
  await it.converges(0);

  expect(it.asked()).toEqual(['list', 'watch@100']);
  expect(it.deliveries.told).toEqual(['add a@101']);
});
