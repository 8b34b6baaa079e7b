/** Watch caches that are not as far as a request needs them: after a start, and later. */
import { describe, expect, test } from 'vitest';
import type { ApiServerOptions } from '../../../src/apiserver/api-server.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';

describe('while the watch caches are filled after startup', () => {
  const WATCH = `${CONFIG_MAPS}?watch=1&resourceVersion=0`;
  const SELECTED = `${CONFIG_MAPS}?labelSelector=a`;

  test('Kubernetes 1.37 answers lists and watches with 429 while caches are filled, and serves gets and Events', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const { server, send } = await startCluster({ clock, generation: '1.37', cacheFillMs: 5_000 });
    server.create(configMap('a'));

    const refused = await Promise.all([send('GET', SELECTED), send('GET', WATCH)]);
    const answered = await Promise.all([
      send('GET', `${CONFIG_MAPS}/a`),
      send('GET', '/api/v1/events'),
      send('POST', CONFIG_MAPS, configMap('b')),
    ]);
    clock.advance(5_000);
    const after = await send('GET', SELECTED);

    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '1'],
      [429, '1'],
    ]);
    expect(refused[0]?.body.message).toBe('storage is (re)initializing');
    expect(answered.map(({ status }) => status)).toEqual([200, 200, 201]);
    expect(after.status).toBe(200);
  });

  test.each([
    ['1.35', 200, 200],
    ['1.36', 500, 500],
  ] as const)('while caches are filled, /readyz of Kubernetes %s and its check of the storage answer %i', async (generation, ready, check) => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const { send } = await startCluster({ clock, generation, cacheFillMs: 5_000 });
    const paths = [
      '/readyz',
      '/readyz/poststarthook/storage-readiness',
      '/readyz/ping',
      '/readyz?exclude=poststarthook/storage-readiness',
    ];

    const early = await Promise.all(paths.map((path) => send('GET', path)));
    clock.advance(5_000);
    const later = await Promise.all(paths.map((path) => send('GET', path)));

    expect(early.map(({ status }) => status)).toEqual([ready, check, 200, 200]);
    if (ready === 500) {
      expect(early[0]?.text).toContain(
        '[-]poststarthook/storage-readiness failed: reason withheld\n',
      );
      expect(early[0]?.text).toMatch(/\nreadyz check failed\n$/);
    }
    expect(later.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('the caches are filled again when the server listens again', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const { server, send } = await startCluster({ clock, cacheFillMs: 5_000 });
    clock.advance(5_000);
    const before = await send('GET', SELECTED);

    await server.stop();
    await server.listen();

    expect([before.status, (await send('GET', SELECTED)).status]).toEqual([200, 429]);
  });
});

describe('the feature gate ConsistentListFromCacheSkipTimeoutFallback', () => {
  /** A list of the latest state while the watch cache stays behind. */
  async function listBehind(options: ApiServerOptions) {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const { server, send } = await startCluster({ clock, generation: '1.37', ...options });
    server.create(configMap('old'));
    server.setCacheLag(60_000);
    const { metadata } = server.create(configMap('new')) as { metadata: object };
    const before = clock.pending;
    const listing = send('GET', CONFIG_MAPS);
    await expect.poll(() => clock.pending).toBe(before + 1);
    clock.advance(3_000);
    const { resourceVersion } = metadata as { resourceVersion?: string };
    return { answer: await listing, latest: Number(resourceVersion) };
  }

  test('with the feature gate on, a list that would be read from etcd is answered 429', async () => {
    const { answer, latest } = await listBehind({
      featureGates: { ConsistentListFromCacheSkipTimeoutFallback: true },
    });

    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.body).toMatchObject({
      reason: 'TooManyRequests',
      message: expect.stringMatching(
        new RegExp(`^Timeout: Too large resource version: ${latest}, current: \\d+$`),
      ),
      details: { retryAfterSeconds: 1 },
    });
  });

  test('with the feature gate off, as by default, the list is read from etcd', async () => {
    const { answer } = await listBehind({});

    expect(answer.body.items).toHaveLength(2);
  });

  test('the feature gate does not exist in Kubernetes 1.36', async () => {
    const featureGates = { ConsistentListFromCacheSkipTimeoutFallback: true };

    await expect(startCluster({ featureGates })).rejects.toMatchObject({
      code: 'CONFIG',
      message:
        'Kubernetes 1.36 has no feature gate ConsistentListFromCacheSkipTimeoutFallback: choose 1.37 or later',
    });
  });
});
