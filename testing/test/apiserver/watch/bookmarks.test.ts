import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import type { ApiServerOptions } from '../../../src/apiserver/api-server.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { settle } from '../../../src/time/settle.ts';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';
import { type Line, watch } from '../support/watched.ts';

const START_MS = Date.UTC(2026, 0, 1);

async function cluster(
  options: ApiServerOptions = {},
): Promise<TestCluster & { clock: FakeClock }> {
  const clock = new FakeClock(START_MS);
  return { clock, ...(await startCluster({ clock, ...options })) };
}

/** The metadata of the bookmarks that a watch gets while the clock goes second by second. */
async function bookmarks(
  { clock, ...rest }: TestCluster & { clock: FakeClock },
  path: string,
  seconds: number,
  during: (second: number) => void = () => {},
): Promise<readonly unknown[]> {
  const watched = await watch(rest, path);
  const lines: Promise<readonly Line[]> = watched.rest();
  for (let second = 0; second < seconds; second++) {
    during(second);
    clock.advance(1_000);
    await settle();
  }
  return (await lines)
    .filter(({ type }) => type === 'BOOKMARK')
    .map(({ object }) => object.metadata);
}

/** Writes something. @returns its resourceVersion. */
function write({ server }: TestCluster): string {
  const object = configMap(`at-${server.list('v1', 'ConfigMap').length}`);
  return revisionOf(server.create(object)) ?? '';
}

test('[F-2] a watch gets a bookmark every 60 s, and a last bookmark 2 s before its end, if anything has happened', async () => {
  const world = await cluster();
  const from = write(world);
  const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=150&resourceVersion=${from}`;
  let created = '';

  const found = await bookmarks(world, path, 150, (second) => {
    if (second === 30) created = write(world);
  });

  expect(found).toEqual(Array(3).fill({ resourceVersion: created }));
});

test('[F-2] a watch of an idle resource gets no bookmarks, whatever happens to other resources', async () => {
  const world = await cluster();
  const from = write(world);
  const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=150&resourceVersion=${from}`;

  const found = await bookmarks(world, path, 150, (second) => {
    if (second === 10) {
      world.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    }
  });

  expect(found).toEqual([]);
});

test('[F-2] with progressIntervalMs, an idle resource gets bookmarks of the current revision', async () => {
  const world = await cluster({ progressIntervalMs: 5_000 });
  const from = write(world);
  const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=70&resourceVersion=${from}`;

  const found = await bookmarks(world, path, 70, (second) => {
    if (second === 10) {
      world.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    }
  });

  const revision = world.server.get('v1', 'Namespace', undefined, 'other')?.metadata
    .resourceVersion;
  expect(found).toEqual(Array(2).fill({ resourceVersion: revision }));
});

test('[F-2] a watch that begins with the existing objects gets its first bookmark after a second', async () => {
  const world = await cluster();
  const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=4`;
  let created = '';

  const found = await bookmarks(world, path, 4, (second) => {
    if (second === 0) created = write(world);
  });

  const after = { resourceVersion: created };
  expect(found.slice(1)).toEqual([after, after]);
});

test('[F-2] bookmarkIntervalMs sets the interval of bookmarks', async () => {
  const world = await cluster({ bookmarkIntervalMs: 10_000 });
  const from = write(world);
  const path = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=45&resourceVersion=${from}`;

  const found = await bookmarks(world, path, 45, (second) => {
    if (second === 1) write(world);
  });

  expect(found).toHaveLength(5); // at 10, 20, 30, 40 and 43 s
});

test('[F-2] a watch without allowWatchBookmarks or shorter than two seconds gets no bookmarks', async () => {
  const world = await cluster();
  const from = write(world);

  const unasked = await bookmarks(
    world,
    `${CONFIG_MAPS}?watch=1&timeoutSeconds=70&resourceVersion=${from}`,
    70,
    (second) => second === 1 && write(world),
  );
  const short = await bookmarks(
    world,
    `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=2&resourceVersion=${from}`,
    2,
  );

  expect([unasked, short]).toEqual([[], []]);
});

test('[F-2] a watch of core Events, which have no watch cache, gets no bookmarks', async () => {
  const world = await cluster();
  const path =
    '/api/v1/namespaces/default/events?watch=1&allowWatchBookmarks=1&timeoutSeconds=70&resourceVersion=1';

  const found = await bookmarks(world, path, 70);

  expect(found).toEqual([]);
});

const REPLICAS = { replicas: 0, selector: null };

test.each([
  ['1.36', 'apps/v1', 'deployments', {}, {}],
  ['1.35', 'apps/v1', 'deployments', {}, {}],
  ['1.33', 'apps/v1', 'deployments', { creationTimestamp: null }, { creationTimestamp: null }],
] as const)('[F-2] [F-16] Kubernetes %s sends bookmarks of Deployments with the fields that Go writes for an empty object', async (generation, group, plural, timestamp, templateTimestamp) => {
  const world = await startCluster({ generation, bookmarkIntervalMs: 10 });
  const path = `/apis/${group}/namespaces/default/${plural}?watch=1&allowWatchBookmarks=1`;
  const from = revisionOf(world.server.create(deployment('first')));
  const watched = await watch(world, `${path}&resourceVersion=${from}`);
  const second = world.server.create(deployment('second'));

  const [, line] = await watched.take(2);

  expect(line?.object).toEqual({
    kind: 'Deployment',
    apiVersion: group,
    metadata: { resourceVersion: revisionOf(second), ...timestamp },
    spec: {
      ...REPLICAS,
      template: { metadata: templateTimestamp, spec: { containers: null } },
      strategy: {},
    },
    status: {},
  });
});

function deployment(name: string) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'registry.example/app' }] },
      },
    },
  };
}

function revisionOf({ metadata }: KubernetesObject): string | undefined {
  return metadata.resourceVersion;
}
