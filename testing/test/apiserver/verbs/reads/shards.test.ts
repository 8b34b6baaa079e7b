/** `shardSelector` of lists and watches, as a real kube-apiserver 1.36.2 with `ShardedListAndWatch` answers it. */
import type { KubernetesObject } from 'chancery';
import { fieldHash } from 'chancery/internal-objects';
import { describe, expect, test } from 'vitest';
import { startTestEnv } from '../../../../src/env/start-test-env.ts';
import {
  type Answer,
  CONFIG_MAPS,
  configMap,
  startCluster,
  type TestCluster,
} from '../../support/cluster.ts';
import { summary, watch } from '../../support/watched.ts';
import { BAD, END, FIRST, GOOD, MIDDLE, NO_CEL, range } from './shard-selector-texts.ts';
import { THINGS } from './things.ts';

const ON = { featureGates: { ShardedListAndWatch: true } } as const;
const LOWER = range(FIRST, MIDDLE);
const UPPER = range(MIDDLE, END);

function query(selector: string, ...more: readonly string[]): string {
  return [`shardSelector=${encodeURIComponent(selector)}`, ...more].join('&');
}

/** Parameters of a watch that begins with the state. */
const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

/** Enough ConfigMaps that each half has several, with the names of those in the lower half. */
async function filled(
  cluster: TestCluster,
): Promise<{ readonly lower: readonly string[]; readonly upper: readonly string[] }> {
  const lower: string[] = [];
  const upper: string[] = [];
  for (let at = 0; lower.length < 4 || upper.length < 4; at++) {
    const name = `c-${String(at).padStart(3, '0')}`;
    const { metadata } = cluster.server.create(configMap(name));
    (fieldHash(metadata.uid ?? '') < MIDDLE ? lower : upper).push(name);
  }
  return { lower, upper };
}

const EVENTS = '/api/v1/namespaces/default/events';

function event(name: string): KubernetesObject {
  const metadata = { name, namespace: 'default' };
  const involvedObject = { namespace: 'default' };
  return { apiVersion: 'v1', kind: 'Event', metadata, involvedObject } as KubernetesObject;
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** Of the objects of a list, or of the rows of a Table. */
function names({ body }: Answer): readonly string[] {
  const rows: readonly (Named | { readonly object: Named })[] = body.items ?? body.rows;
  return rows.map((row) => ('object' in row ? row.object : row).metadata.name);
}

describe('[F-19] a list with a shardSelector', () => {
  test('[sharding 2] a sharded list has the objects in its hash range, and the canonical selector', async () => {
    const cluster = await startCluster(ON);
    const { lower, upper } = await filled(cluster);

    const inLower = await cluster.send('GET', `${CONFIG_MAPS}?${query(`( ${LOWER} )`)}`);
    const inUpper = await cluster.send('GET', `${CONFIG_MAPS}?${query(UPPER)}`);

    expect([names(inLower), names(inUpper)]).toEqual([lower, upper]);
    expect(inLower.body.metadata.shardInfo).toEqual({ selector: LOWER });
    expect(inUpper.body.metadata.shardInfo).toEqual({ selector: UPPER });
  });

  test('[sharding 1] a shard range includes its start and excludes its end', async () => {
    const cluster = await startCluster(ON);
    const { metadata } = cluster.server.create(configMap('a'));
    const hash = BigInt(`0x${fieldHash(metadata.uid ?? '')}`);
    const hex = (value: bigint): string => value.toString(16).padStart(16, '0');
    const found = async (start: bigint, end: bigint): Promise<readonly string[]> =>
      names(await cluster.send('GET', `${CONFIG_MAPS}?${query(range(hex(start), hex(end)))}`));

    expect(await found(hash, hash + 1n)).toEqual(['a']);
    expect(await found(hash - 1n, hash)).toEqual([]);
    expect(await found(hash + 1n, hash + 2n)).toEqual([]);
  });

  test('a sharded list with overlapping ranges returns each object once', async () => {
    const cluster = await startCluster(ON);
    const { lower } = await filled(cluster);

    const answer = await cluster.send('GET', `${CONFIG_MAPS}?${query(`${LOWER} || ${LOWER}`)}`);

    expect(names(answer)).toEqual(lower);
  });

  test('a sharded list with a label selector returns the objects that match both selectors', async () => {
    const cluster = await startCluster(ON);
    const { lower } = await filled(cluster);
    const one = lower[1] ?? '';
    cluster.server.patch('v1', 'ConfigMap', 'default', one, { metadata: { labels: { a: 'b' } } });
    cluster.server.create(configMap('other', { labels: { a: 'b' } }));

    const both = await cluster.send('GET', `${CONFIG_MAPS}?${query(LOWER, 'labelSelector=a,!b')}`);
    const everywhere = await cluster.send(
      'GET',
      `${CONFIG_MAPS}?${query(range(FIRST, END), 'labelSelector=a')}`,
    );

    expect(names(both)).toContain(one);
    expect(names(both).every((name) => [one, 'other'].includes(name))).toBe(true);
    expect(names(everywhere)).toEqual([one, 'other']);
  });

  test('objects of one namespace are in one shard, and cluster-scoped objects are in the shard of the empty string', async () => {
    const cluster = await startCluster(ON);
    await filled(cluster);
    const path = '/api/v1/namespaces';
    const at = (text: string): string => {
      const hash = fieldHash(text);
      const next = (BigInt(`0x${hash}`) + 1n).toString(16).padStart(16, '0');
      return range(hash, next, 'object.metadata.namespace');
    };

    const own = await cluster.send('GET', `${CONFIG_MAPS}?${query(at('default'))}`);
    const other = await cluster.send('GET', `${CONFIG_MAPS}?${query(at('kube-system'))}`);
    const clusterWide = await cluster.send('GET', `${path}?${query(at(''))}`);
    const named = await cluster.send('GET', `${path}?${query(at('default'))}`);

    expect(names(own)).toEqual(
      cluster.server.list('v1', 'ConfigMap').map(({ metadata }) => metadata.name),
    );
    expect([names(other), names(named)]).toEqual([[], []]);
    expect(names(clusterWide)).toEqual(['default', 'kube-system']);
  });

  test.each([
    ['a Table', 'application/json;as=Table;g=meta.k8s.io;v=v1'],
    ['a list of metadata', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
  ])('%s has the objects of the shard and no shardInfo', async (_, accept) => {
    const cluster = await startCluster(ON);
    const { lower } = await filled(cluster);

    const answer = await cluster.send('GET', `${CONFIG_MAPS}?${query(LOWER)}`, undefined, {
      accept,
    });

    expect(names(answer)).toEqual(lower);
    expect(answer.body.metadata).not.toHaveProperty('shardInfo');
  });

  test('a sharded list of custom resources has the objects of the shard and no shardInfo', async () => {
    const cluster = await startCluster(ON);
    cluster.server.applyManifest(THINGS);
    const path = '/apis/example.com/v1/namespaces/default/things';
    const uids = new Map<string, string>();
    for (let at = 0; at < 12; at++) {
      const metadata: KubernetesObject['metadata'] = { name: `t-${at}`, namespace: 'default' };
      const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata };
      const created = cluster.server.create(thing);
      uids.set(metadata.name, created.metadata.uid ?? '');
    }

    const answer = await cluster.send('GET', `${path}?${query(LOWER)}`);

    const lower = [...uids].filter(([, uid]) => fieldHash(uid) < MIDDLE).map(([name]) => name);
    expect(names(answer)).toEqual(lower.toSorted());
    expect(answer.body.metadata).toEqual({ continue: '', resourceVersion: expect.any(String) });
  });
});

describe('[F-19] pages of a sharded list', () => {
  test('sharded pages return each object of the shard once, and remainingItemCount includes other objects', async () => {
    const cluster = await startCluster(ON);
    const { lower, upper } = await filled(cluster);
    const all = [...lower, ...upper].toSorted();

    const pages: (readonly string[])[] = [];
    for (let token = '', from = 0; ; ) {
      const page = await cluster.send(
        'GET',
        `${CONFIG_MAPS}?${query(LOWER, 'limit=2', `continue=${token}`)}`,
      );
      const { metadata } = page.body;
      pages.push(names(page));
      expect(metadata.shardInfo).toEqual({ selector: LOWER });
      token = metadata.continue ?? '';
      // Counted from the start of the page, and so too many: kube-apiserver 1.36 does not look at the selector.
      expect(metadata.remainingItemCount).toBe(token === '' ? undefined : all.length - from - 2);
      if (token === '') break;
      from = all.indexOf(names(page).at(-1) ?? '') + 1;
    }

    expect(pages.flat()).toEqual(lower);
  });

  test('sharded pages of Events are read in chunks of doubling size, and remainingItemCount depends on the chunks', async () => {
    const cluster = await startCluster(ON);
    const uids: string[] = [];
    for (let at = 0; at < 40; at++) {
      const { metadata } = cluster.server.create(event(`e-${String(at).padStart(2, '0')}`));
      uids.push(metadata.uid ?? '');
    }
    // The page ends with the event at `at`: parts begin at 0, 1, 3, 7, 15 and 31.
    const at = 9;
    const hash = fieldHash(uids[at] ?? '');
    const only = range(hash, (BigInt(`0x${hash}`) + 1n).toString(16).padStart(16, '0'));

    const page = await cluster.send('GET', `${EVENTS}?${query(only, 'limit=1')}`);

    expect(names(page)).toEqual(['e-09']);
    expect(page.body.metadata.remainingItemCount).toBe(40 - 7 - 1);
  });

  test('a sharded page uses the selector of its request, because the continue token contains no selector', async () => {
    const cluster = await startCluster(ON);
    const { lower, upper } = await filled(cluster);
    const first = await cluster.send('GET', `${CONFIG_MAPS}?${query(LOWER, 'limit=1')}`);

    const token = first.body.metadata.continue;
    const rest = await cluster.send('GET', `${CONFIG_MAPS}?${query(UPPER, `continue=${token}`)}`);

    expect(names(rest)).toEqual(upper.filter((name) => name > (lower[0] ?? '')));
  });
});

describe('[F-19] a watch with a shardSelector', () => {
  test('a sharded watch gets only the events of its shard, and bookmarks', async () => {
    const cluster = await startCluster(ON);
    const { lower, upper } = await filled(cluster);
    const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&${query(LOWER, INITIAL)}`);

    const begin = await watched.take(lower.length + 1);
    for (const name of [...upper, ...lower]) {
      cluster.server.patch('v1', 'ConfigMap', 'default', name, { data: { k: 'new' } });
    }
    for (const name of [...upper, ...lower]) {
      cluster.server.delete('v1', 'ConfigMap', 'default', name);
    }
    const then = await watched.take(2 * lower.length);

    expect(begin.map(summary)).toEqual([
      ...lower.map((name) => `ADDED ${name}`),
      expect.stringMatching(/^BOOKMARK \d+$/),
    ]);
    expect(then.map(summary)).toEqual([
      ...lower.map((name) => `MODIFIED ${name}`),
      ...lower.map((name) => `DELETED ${name}`),
    ]);
  });

  test('a sharded watch of Events gets all Events, unless it also has a label or field selector', async () => {
    const cluster = await startCluster(ON);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) cluster.server.create(event(name));
    const none = range(FIRST, '0000000000000001');

    const all = await watch(cluster, `${EVENTS}?watch=1&${query(none)}`);
    const few = await watch(
      cluster,
      `${EVENTS}?watch=1&${query(none, 'labelSelector=!a', INITIAL)}`,
    );

    expect((await all.take(6)).map(summary)).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `ADDED ${name}`),
    );
    expect((await few.take(1)).map(({ type }) => type)).toEqual(['BOOKMARK']);
  });

  test('a watch with an invalid shard selector is refused before it begins', async () => {
    const cluster = await startCluster(ON);

    const answer = await cluster.send(
      'GET',
      `${CONFIG_MAPS}?watch=1&${query('x', 'resourceVersion=y')}`,
    );

    expect(answer.status).toBe(500);
    expect(answer.body.message).toMatch(/^invalid shard selector: unexpected expression kind 3/);
  });
});

test('[F-19] deletecollection with a shardSelector deletes only the objects of the shard', async () => {
  const cluster = await startCluster(ON);
  const { lower, upper } = await filled(cluster);

  const refused = await cluster.send('DELETE', `${CONFIG_MAPS}?${query('x')}`);
  const answer = await cluster.send('DELETE', `${CONFIG_MAPS}?${query(LOWER)}`);

  expect([refused.status, names(answer)]).toEqual([500, lower]);
  expect(answer.body.metadata.shardInfo).toEqual({ selector: LOWER });
  const left = cluster.server.list('v1', 'ConfigMap', 'default');
  expect(left.map(({ metadata }) => metadata.name)).toEqual(upper);
});

describe('[F-19] parsing of shard selectors', () => {
  test.each(GOOD)('the shard selector %j is accepted', async (text, canonical) => {
    const { send } = await startCluster(ON);

    const answer = await send('GET', `${CONFIG_MAPS}?${query(text)}`);

    expect([answer.status, answer.body.metadata.shardInfo]).toEqual([200, { selector: canonical }]);
  });

  test.each(BAD)('the shard selector %j is refused with 500', async (text, problem) => {
    const { send } = await startCluster(ON);

    const { status, body } = await send('GET', `${CONFIG_MAPS}?${query(text)}`);

    expect([status, body]).toEqual([
      500,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `invalid shard selector: ${problem}`,
        code: 500,
      },
    ]);
  });

  test.each(NO_CEL)('the shard selector %j is not CEL and is refused with 500', async (text) => {
    const { send } = await startCluster(ON);

    const { status, body } = await send('GET', `${CONFIG_MAPS}?${query(text)}`);

    expect(status).toBe(500);
    expect(body.message).toMatch(/^invalid shard selector: CEL parse error: ./);
  });

  test('a shard selector is checked after label and field selectors, and before resourceVersion and continue', async () => {
    const { send } = await startCluster(ON);
    const statusOf = async (more: string): Promise<number> =>
      (await send('GET', `${CONFIG_MAPS}?${query('x', more)}`)).status;

    expect(await statusOf('labelSelector=a%20in')).toBe(400);
    expect(await statusOf('fieldSelector=spec.x%3D1')).toBe(400);
    expect(await statusOf('resourceVersionMatch=x')).toBe(422);
    expect(await statusOf('resourceVersion=x')).toBe(500);
    expect(await statusOf('continue=x')).toBe(500);
  });

  test('an empty shard selector selects every object', async () => {
    const cluster = await startCluster(ON);
    const { lower, upper } = await filled(cluster);

    const answer = await cluster.send('GET', `${CONFIG_MAPS}?shardSelector=`);

    expect(names(answer)).toEqual([...lower, ...upper].toSorted());
    expect(answer.body.metadata).not.toHaveProperty('shardInfo');
  });
});

describe('[F-19] the feature gate ShardedListAndWatch', () => {
  test.each([
    LOWER,
    'x',
    ' ',
  ])('the feature gate is off by default, and the shard selector %j is ignored', async (text) => {
    const cluster = await startCluster();
    const { lower, upper } = await filled(cluster);

    const answer = await cluster.send('GET', `${CONFIG_MAPS}?${query(text)}`);

    expect(names(answer)).toEqual([...lower, ...upper].toSorted());
    expect(answer.body.metadata).toEqual({ resourceVersion: expect.any(String) });
  });

  test('watches end when the feature gate is switched while the server runs', async () => {
    const cluster = await startCluster();
    const { server, send } = cluster;
    await filled(cluster);
    const shown = async (): Promise<unknown> =>
      (await send('GET', `${CONFIG_MAPS}?${query(LOWER, 'limit=1')}`)).body.metadata.shardInfo;
    const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&${query(UPPER)}`);
    await watched.next();

    const before = await shown();
    server.setFeatureGates({ ShardedListAndWatch: true });
    const on = await shown();
    await watched.rest();
    server.setFeatureGates({});
    const still = await shown();
    server.setFeatureGates({ ShardedListAndWatch: false });

    expect([before, on, still, await shown()]).toEqual([
      undefined,
      { selector: LOWER },
      { selector: LOWER },
      undefined,
    ]);
  });

  test('the feature gate does not exist before Kubernetes 1.36', async () => {
    const old = { ...ON, generation: '1.33' } as const;

    await expect(startCluster(old)).rejects.toMatchObject({
      code: 'CONFIG',
      message: 'Kubernetes 1.33 has no feature gate ShardedListAndWatch: choose 1.36 or later',
    });
    const { server, send } = await startCluster({ generation: '1.33' });
    expect(() => server.setFeatureGates(ON.featureGates)).toThrow('Kubernetes 1.33 has no');
    expect((await send('GET', `${CONFIG_MAPS}?${query('x')}`)).status).toBe(200);
  });

  test('an unknown feature gate is refused, and the error lists the known gates', async () => {
    const featureGates = { ShardedList: true } as object;

    await expect(startCluster({ featureGates })).rejects.toMatchObject({
      code: 'CONFIG',
      message:
        'the embedded API server has no feature gate ShardedList, but ShardedListAndWatch, ConsistentListFromCacheSkipTimeoutFallback, ManagedFieldsOptOut',
    });
  });

  test('the feature gate is an option of startTestEnv', async () => {
    await using env = await startTestEnv({ backend: 'embedded', ...ON });

    const answer = await fetch(`${env.url}/api/v1/nodes?${query(LOWER)}`);

    expect(await answer.json()).toMatchObject({ metadata: { shardInfo: { selector: LOWER } } });
  });
});
