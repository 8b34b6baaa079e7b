import { expect, test } from 'vitest';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';

const STREAMED = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

test('[F-2] a watch with sendInitialEvents gets the objects in key order, then the marker, then later events', async () => {
  const cluster = await startCluster();
  for (const name of ['b', 'c', 'a']) cluster.server.create(configMap(name));
  cluster.server.patch('v1', 'ConfigMap', 'default', 'b', { data: { k: 'w' } });

  const watched = await watch(cluster, `${CONFIG_MAPS}?${STREAMED}&allowWatchBookmarks=true`);
  const lines = await watched.take(4);
  const later = cluster.server.create(configMap('d'));

  const revision = cluster.server.get('v1', 'ConfigMap', 'default', 'b')?.metadata.resourceVersion;
  expect(lines.slice(0, 3).map(summary)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
  expect(lines[3]?.object.metadata).toEqual({
    resourceVersion: revision,
    annotations: { 'k8s.io/initial-events-end': 'true' },
  });
  expect((await watched.next())?.object.metadata.resourceVersion).toBe(
    later.metadata.resourceVersion,
  );
});

test('[F-2] a watch with sendInitialEvents from a future resourceVersion ends with 504 after 3 s', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  const opening = watch(
    cluster,
    `${CONFIG_MAPS}?${STREAMED}&allowWatchBookmarks=true&resourceVersion=99999`,
  );
  await expect.poll(() => clock.pending).toBe(2);

  clock.advance(2_999);
  const waiting = clock.pending;
  clock.advance(1);
  const watched = await opening;

  expect(waiting).toBe(2);
  expect(watched.status).toBe(200);
  expect(await watched.rest()).toMatchObject([
    {
      type: 'ERROR',
      object: {
        code: 504,
        reason: 'Timeout',
        message: expect.stringContaining('Too large resource version: 99999, current: '),
        details: { retryAfterSeconds: 1 },
      },
    },
  ]);
});

test('[F-2] a watch with sendInitialEvents from the next resourceVersion begins once that version is reached', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  const now = Number(cluster.server.create(configMap('a')).metadata.resourceVersion);
  const opening = watch(
    cluster,
    `${CONFIG_MAPS}?${STREAMED}&allowWatchBookmarks=true&resourceVersion=${now + 1}`,
  );
  await expect.poll(() => clock.pending).toBe(2);

  cluster.server.create(configMap('b'));
  const watched = await opening;

  expect((await watched.take(2)).map(summary)).toEqual(['ADDED a', 'ADDED b']);
  expect((await watched.next())?.object.metadata.resourceVersion).toBe(String(now + 1));
});

test.each([
  '',
  '&resourceVersion=0',
])('[F-2] a watch with sendInitialEvents=false%s begins with the next event', async (from) => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a'));

  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan${from}`,
  );
  cluster.server.create(configMap('b'));

  expect(summary((await watched.next()) as never)).toBe('ADDED b');
});

test('[F-2] a watch with sendInitialEvents that matches no object gets only the marker', async () => {
  const cluster = await startCluster();

  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?${STREAMED}&allowWatchBookmarks=true&labelSelector=no%3Dbody`,
  );

  expect((await watched.next())?.object.metadata.annotations).toEqual({
    'k8s.io/initial-events-end': 'true',
  });
});

const FORBIDDEN_FOR_WATCH =
  'Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
const REQUIRES_MATCH =
  'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
const UNLESS_PROVIDED =
  'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
const WITH_CONTINUE = 'Forbidden: resourceVersionMatch is forbidden when continue is provided';

test.each([
  ['1.36', 'watch=1&sendInitialEvents=true', [`resourceVersionMatch: ${REQUIRES_MATCH}`]],
  [
    '1.36',
    'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
    [
      `resourceVersionMatch: ${REQUIRES_MATCH}`,
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
  ],
  [
    '1.36',
    'watch=1&resourceVersionMatch=NotOlderThan',
    [`resourceVersionMatch: ${UNLESS_PROVIDED}`],
  ],
  ['1.36', `${STREAMED}&continue=x`, [`resourceVersionMatch: ${WITH_CONTINUE}`]],
  [
    '1.36',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1',
    ['sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ],
  ['1.33', STREAMED, [`sendInitialEvents: ${FORBIDDEN_FOR_WATCH}`]],
  ['1.30', STREAMED, [`sendInitialEvents: ${FORBIDDEN_FOR_WATCH}`]],
  [
    '1.24',
    `${STREAMED}&resourceVersion=1`,
    ['resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch'],
  ],
] as const)('[F-2] [F-16] Kubernetes %s refuses a watch or list with %s', async (generation, query, problems) => {
  const cluster = await startCluster({ generation });

  const { status, body } = await cluster.send('GET', `${CONFIG_MAPS}?${query}`);

  const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  expect(status).toBe(422);
  expect(body.message).toBe(`ListOptions.meta.k8s.io "" is invalid: ${text}`);
});

test.each([
  '1.24',
  '1.30',
  '1.33',
] as const)('[F-16] a watch of Kubernetes %s without a resourceVersion gets the existing objects and no marker', async (generation) => {
  const cluster = await startCluster({ generation });
  cluster.server.create(configMap('a'));

  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true`);
  const first = await watched.next();
  cluster.server.create(configMap('b'));

  expect([first, await watched.next()].map((line) => summary(line as never))).toEqual([
    'ADDED a',
    'ADDED b',
  ]);
});

test.each([
  '1.35',
  '1.38',
] as const)('[F-16] a watch of Kubernetes %s with sendInitialEvents gets the existing objects and then the marker', async (generation) => {
  const cluster = await startCluster({ generation });
  cluster.server.create(configMap('a'));

  const watched = await watch(cluster, `${CONFIG_MAPS}?${STREAMED}&allowWatchBookmarks=true`);
  const [first, marker] = await watched.take(2);

  expect(summary(first as never)).toBe('ADDED a');
  expect(marker?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
});

test('[F-16] Kubernetes 1.24 ignores sendInitialEvents', async () => {
  const cluster = await startCluster({ generation: '1.24' });
  const from = cluster.server.create(configMap('a')).metadata.resourceVersion;
  cluster.server.create(configMap('b'));

  const listed = await cluster.send('GET', `${CONFIG_MAPS}?sendInitialEvents=true`);
  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&sendInitialEvents=true&resourceVersion=${from}`,
  );

  expect(listed.status).toBe(200);
  expect(summary((await watched.next()) as never)).toBe('ADDED b');
});
