import { expect, test } from 'vitest';
import type { ApiServerOptions } from '../../../src/apiserver/api-server.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { settle } from '../../../src/time/settle.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';

/** A server whose cache is two seconds behind, on a clock that the test moves. */
async function lagging(options: ApiServerOptions = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock, ...options });
  const old = cluster.server.create(configMap('old', {}, { k: 'before' }));
  cluster.server.setCacheLag(2_000);
  return { clock, ...cluster, old: revisionOf(old) };
}

function revisionOf({ metadata }: { metadata: object }): number {
  return Number((metadata as { resourceVersion?: string }).resourceVersion);
}

const names = ({ body }: { body: { items: { metadata: { name: string } }[] } }): string[] =>
  body.items.map(({ metadata }) => metadata.name);

test('[F-3] a list at resourceVersion 0 has the objects and the resourceVersion of a lagging cache', async () => {
  const { clock, server, send, old } = await lagging();
  server.create(configMap('new'));

  const behind = await send('GET', `${CONFIG_MAPS}?resourceVersion=0`);
  clock.advance(2_000);
  const later = await send('GET', `${CONFIG_MAPS}?resourceVersion=0`);

  expect(names(behind)).toEqual(['old']);
  expect(behind.body.metadata.resourceVersion).toBe(String(old));
  expect(names(later)).toEqual(['new', 'old']);
});

test('[F-3] a GET at resourceVersion 0 may be stale, and a GET without a resourceVersion is never stale', async () => {
  const { server, send } = await lagging();
  server.patch('v1', 'ConfigMap', 'default', 'old', { data: { k: 'after' } });
  server.create(configMap('new'));

  const any = await send('GET', `${CONFIG_MAPS}/old?resourceVersion=0`);
  const latest = await send('GET', `${CONFIG_MAPS}/old`);
  const unseen = await send('GET', `${CONFIG_MAPS}/new?resourceVersion=0`);

  expect([any.body.data.k, latest.body.data.k, unseen.status]).toEqual(['before', 'after', 404]);
});

test('[F-2] a watch of a lagging cache gets its events with the delay of the cache', async () => {
  const { clock, server, old, ...rest } = await lagging();
  const watched = await watch({ server, ...rest }, `${CONFIG_MAPS}?watch=1&resourceVersion=${old}`);
  server.create(configMap('new'));
  let heard = false;
  const line = watched.next().finally(() => {
    heard = true;
  });

  await clock.advanceAndSettle(1_999);
  const early = heard;
  await clock.advanceAndSettle(1);

  expect(early).toBe(false);
  expect(summary((await line) as never)).toBe('ADDED new');
});

test('[F-2] a watch that resumes while the cache lags gets each event once, after the lag', async () => {
  const { clock, server, old, ...rest } = await lagging();
  server.create(configMap('a'));

  const watched = await watch({ server, ...rest }, `${CONFIG_MAPS}?watch=1&resourceVersion=${old}`);
  let heard = false;
  const first = watched.next().finally(() => {
    heard = true;
  });
  // An answer that has come and gone has given this one the time to come.
  await rest.send('GET', `${CONFIG_MAPS}/a`);
  const early = heard;
  clock.advance(2_000);
  server.create(configMap('b'));
  clock.advance(2_000);

  expect(early).toBe(false);
  expect([await first, await watched.next()].map((line) => summary(line as never))).toEqual([
    'ADDED a',
    'ADDED b',
  ]);
});

test.each([
  '1.33',
  '1.36',
] as const)('[F-3] a list of the latest state of Kubernetes %s waits for the lagging cache', async (generation) => {
  const { clock, server, send } = await lagging({ generation });
  server.create(configMap('new'));
  let answered = false;
  const listing = send('GET', CONFIG_MAPS).finally(() => {
    answered = true;
  });
  await expect.poll(() => clock.pending).toBe(2);

  await clock.advanceAndSettle(1_999);
  const early = answered;
  clock.advance(1);

  expect(early).toBe(false);
  expect(names(await listing)).toEqual(['new', 'old']);
});

test('[F-3] a list of the latest state is read from etcd when the cache lags for more than 3 s', async () => {
  const { clock, server, send } = await lagging();
  server.setCacheLag(60_000);
  server.create(configMap('new'));
  const listing = send('GET', CONFIG_MAPS);
  await expect.poll(() => clock.pending).toBe(2);

  clock.advance(3_000);

  expect(names(await listing)).toEqual(['new', 'old']);
});

test.each([
  '1.24',
  '1.30',
] as const)('[F-16] Kubernetes %s lists the latest state from etcd without waiting for the cache', async (generation) => {
  const { server, send } = await lagging({ generation });
  server.create(configMap('new'));

  expect(names(await send('GET', CONFIG_MAPS))).toEqual(['new', 'old']);
});

test('a cache that stops lagging sends the events that it held back', async () => {
  const { server, old, ...rest } = await lagging();
  const watched = await watch({ server, ...rest }, `${CONFIG_MAPS}?watch=1&resourceVersion=${old}`);
  server.create(configMap('a'));

  server.setCacheLag(0);
  server.create(configMap('b'));
  await settle();

  expect((await watched.take(2)).map(summary)).toEqual(['ADDED a', 'ADDED b']);
});
