import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../../src/time/fake-clock.ts';
import {
  type Answer,
  CONFIG_MAPS,
  configMap,
  startCluster,
  type TestCluster,
} from '../../support/cluster.ts';

async function filled(
  count: number,
  options: Parameters<typeof startCluster>[0] = {},
): Promise<TestCluster & { revision: string }> {
  const cluster = await startCluster(options);
  let revision = '';
  for (let i = 0; i < count; i++) {
    const labels = { parity: i % 2 === 0 ? 'even' : 'odd' };
    const created = cluster.server.create(configMap(`c-${String(i).padStart(3, '0')}`, { labels }));
    revision = (created.metadata as { resourceVersion?: string }).resourceVersion ?? '';
  }
  return { ...cluster, revision };
}

const names = ({ body }: Answer): string[] =>
  body.items.map((one: { metadata: { name: string } }) => one.metadata.name);

function decoded(token: string): unknown {
  return JSON.parse(Buffer.from(token, 'base64url').toString());
}

describe('[F-3] pages of a list', () => {
  test('pages return each item once, in key order, and all at the resourceVersion of the first page', async () => {
    const { send, server, revision } = await filled(7);

    const pages: Answer[] = [];
    let token = '';
    do {
      const page = await send('GET', `${CONFIG_MAPS}?limit=3&continue=${token}`);
      pages.push(page);
      token = page.body.metadata.continue ?? '';
      server.create(configMap(`c-000-${pages.length}`));
    } while (token !== '');

    expect(pages.map(names)).toEqual([
      ['c-000', 'c-001', 'c-002'],
      ['c-003', 'c-004', 'c-005'],
      ['c-006'],
    ]);
    expect(pages.map(({ body }) => body.metadata.resourceVersion)).toEqual(Array(3).fill(revision));
    expect(pages.map(({ body }) => body.metadata.remainingItemCount)).toEqual([4, 1, undefined]);
    expect(decoded(pages[0]?.body.metadata.continue)).toEqual({
      v: 'meta.k8s.io/v1',
      rv: Number(revision),
      start: '/c-002\u0000',
    });
  });

  test('pages with a selector have no remainingItemCount, and the last page may be empty', async () => {
    const { send } = await filled(4);

    const first = await send('GET', `${CONFIG_MAPS}?limit=2&labelSelector=parity%3Deven`);
    const token = first.body.metadata.continue;
    const last = await send(
      'GET',
      `${CONFIG_MAPS}?limit=2&labelSelector=parity%3Deven&continue=${token}`,
    );

    expect(names(first)).toEqual(['c-000', 'c-002']);
    expect(first.body.metadata.remainingItemCount).toBeUndefined();
    expect(names(last)).toEqual([]);
    expect(last.body.metadata.continue).toBeUndefined();
  });

  test('a page from compacted history is answered 410, with a token that continues with the latest state', async () => {
    const { send, server } = await filled(4);
    const first = await send('GET', `${CONFIG_MAPS}?limit=2`);
    server.create(configMap('c-004'));
    server.compact('pages');

    const gone = await send(
      'GET',
      `${CONFIG_MAPS}?limit=2&continue=${first.body.metadata.continue}`,
    );
    const token = gone.body.metadata.continue;
    const rest = await send('GET', `${CONFIG_MAPS}?limit=5&continue=${token}`);

    expect(gone.body).toMatchObject({ code: 410, reason: 'Expired' });
    expect(decoded(token)).toEqual({ v: 'meta.k8s.io/v1', rv: -1, start: 'c-001\u0000' });
    expect(names(rest)).toEqual(['c-002', 'c-003', 'c-004']);
    expect(Number(rest.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(first.body.metadata.resourceVersion),
    );
  });

  test('with the option `pages: moving`, each page of a list contains the latest state', async () => {
    const { send, server } = await filled(3, { pages: 'moving' });
    const first = await send('GET', `${CONFIG_MAPS}?limit=2`);
    server.create(configMap('c-003'));

    const second = await send(
      'GET',
      `${CONFIG_MAPS}?limit=2&continue=${first.body.metadata.continue}`,
    );

    expect(names(second)).toEqual(['c-002', 'c-003']);
    expect(Number(second.body.metadata.resourceVersion)).toBe(
      Number(first.body.metadata.resourceVersion) + 1,
    );
  });

  const token = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  test.each([
    [
      token({ v: 'meta.k8s.io/v9', rv: 1, start: '/a' }),
      'server does not recognize this encoded version meta.k8s.io/v9',
    ],
    [
      token({ v: 'meta.k8s.io/v1', start: '/a' }),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [token({ v: 'meta.k8s.io/v1', rv: 1 }), 'encoded start key empty (version meta.k8s.io/v1)'],
    [token({ v: 'meta.k8s.io/v1', rv: 1, start: '/../secrets/a' }), '/../secrets/a'],
    ['a*b', 'illegal base64 data at input byte 1'],
    ['e30', 'server does not recognize this encoded version '],
  ])('a page with the token %s is answered 400', async (bad, problem) => {
    const { send } = await filled(1);

    const { body } = await send(
      'GET',
      `${CONFIG_MAPS}?limit=1&continue=${encodeURIComponent(bad)}`,
    );

    expect(body).toMatchObject({
      code: 400,
      message: `invalid continue token: continue key is not valid: ${problem}`,
    });
  });

  test('a request with a continue token is refused if its resourceVersion is not 0', async () => {
    const { send } = await filled(3);
    const { body } = await send('GET', `${CONFIG_MAPS}?limit=1`);
    const path = `${CONFIG_MAPS}?limit=1&continue=${body.metadata.continue}`;

    const refused = await send('GET', `${path}&resourceVersion=5`);
    const any = await send('GET', `${path}&resourceVersion=0`);

    expect(refused.body).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
    expect(names(any)).toEqual(['c-001']);
  });
});

describe('[F-3] lists with a resourceVersion, after three objects and later a fourth object were created', () => {
  test.each([
    ['without a resourceVersion', '', 4, 'latest'],
    ['with a limit', 'limit=2', 2, 'latest'],
    ['at resourceVersion 0', 'resourceVersion=0', 4, 'latest'],
    [
      'at resourceVersion 0 with a limit, which is ignored',
      'resourceVersion=0&limit=2',
      4,
      'latest',
    ],
    [
      'not older than 0 with a limit, which is honoured',
      'resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=2',
      2,
      'latest',
    ],
    ['at a resourceVersion without a limit', 'resourceVersion=RV', 4, 'latest'],
    [
      'at a resourceVersion with a limit, which makes it exact',
      'resourceVersion=RV&limit=9',
      3,
      'then',
    ],
    [
      'not older than a resourceVersion',
      'resourceVersion=RV&resourceVersionMatch=NotOlderThan',
      4,
      'latest',
    ],
    [
      'not older than a resourceVersion with a limit',
      'resourceVersion=RV&resourceVersionMatch=NotOlderThan&limit=2',
      2,
      'latest',
    ],
    ['exact resourceVersion', 'resourceVersion=RV&resourceVersionMatch=Exact', 3, 'then'],
    [
      'exact resourceVersion with a limit',
      'resourceVersion=RV&resourceVersionMatch=Exact&limit=2',
      2,
      'then',
    ],
  ])('a list has the expected objects and resourceVersion: %s', async (_name, query, count, when) => {
    const { send, server, revision } = await filled(3);
    server.create(configMap('d'));

    const { status, body } = await send('GET', `${CONFIG_MAPS}?${query.replace('RV', revision)}`);

    expect(status).toBe(200);
    expect(body.items).toHaveLength(count);
    const expected = when === 'then' ? Number(revision) : Number(revision) + 1;
    expect(body.metadata.resourceVersion).toBe(String(expected));
  });

  test.each([
    ['exact resourceVersion', 'resourceVersion=RV&resourceVersionMatch=Exact'],
    ['with a limit', 'resourceVersion=RV&limit=2'],
  ])('a list at a compacted resourceVersion is answered 410: %s', async (_name, query) => {
    const { send, server, revision } = await filled(3);
    server.create(configMap('d'));
    server.compact('pages');

    const { body } = await send('GET', `${CONFIG_MAPS}?${query.replace('RV', revision)}`);

    expect(body).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });
});

const FUTURE = [
  'resourceVersion=99999',
  'resourceVersion=99999&resourceVersionMatch=Exact',
  'resourceVersion=99999&limit=1',
];

test.each(
  FUTURE,
)('[F-3] a list with %s, which is in the future, is answered 504 after 3 s', async (query) => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const { send, revision } = await filled(1, { clock });
  const listing = send('GET', `${CONFIG_MAPS}?${query}`);
  await expect.poll(() => clock.pending).toBe(1);

  clock.advance(3_000);
  const { status, headers, body } = await listing;

  expect([status, headers.get('retry-after')]).toEqual([504, '1']);
  expect(body).toMatchObject({
    reason: 'Timeout',
    message: `Timeout: Too large resource version: 99999, current: ${revision}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
});

test('[F-3] futureVersionWaitMs sets how long a read waits for a future resourceVersion', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const { send } = await filled(1, { clock, futureVersionWaitMs: 50 });
  const getting = send('GET', `${CONFIG_MAPS}/c-000?resourceVersion=99999`);
  await expect.poll(() => clock.pending).toBe(1);

  clock.advance(50);

  expect((await getting).status).toBe(504);
});

test('[F-3] a list that waits for a resourceVersion is answered once this version is reached', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const { send, server, revision } = await filled(1, { clock });
  const listing = send('GET', `${CONFIG_MAPS}?resourceVersion=${Number(revision) + 1}`);
  await expect.poll(() => clock.pending).toBe(1);

  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  const { status, body } = await listing;

  expect([status, body.metadata.resourceVersion]).toEqual([200, String(Number(revision) + 1)]);
  expect(clock.pending).toBe(0);
});

test('[F-3] a client that disconnects while its list waits leaves no timer', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const { server } = await filled(1, { clock });
  const abort = new AbortController();
  const listing = fetch(`${server.url}${CONFIG_MAPS}?resourceVersion=99999`, {
    signal: abort.signal,
  });
  await expect.poll(() => clock.pending).toBe(1);

  abort.abort();

  await expect(listing).rejects.toThrow();
  await expect.poll(() => clock.pending).toBe(0);
});

test.each([
  [
    'resourceVersionMatch=Exact',
    ['resourceVersionMatch is forbidden unless resourceVersion is provided'],
  ],
  [
    'resourceVersionMatch=Exact&resourceVersion=0',
    ['resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
  ],
  [
    'resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=x',
    ['resourceVersionMatch is forbidden when continue is provided'],
  ],
])('[F-3] a list with %s is answered 422', async (query, [problem]) => {
  const { send } = await filled(0);

  const { status, body } = await send('GET', `${CONFIG_MAPS}?${query}`);

  expect(status).toBe(422);
  expect(body.message).toBe(
    `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${problem}`,
  );
});

test('[F-3] items of built-in lists have no kind, and the last page has no continue token', async () => {
  const { send } = await filled(1);

  const { body } = await send('GET', CONFIG_MAPS);

  expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
  expect(Object.keys(body.metadata)).toEqual(['resourceVersion']);
  expect(body.items[0].kind).toBeUndefined();
});

describe('[F-3] reads while a watch cache is refilled', () => {
  test.each([
    '1.33',
    '1.36',
  ] as const)('during a cache refill, Kubernetes %s answers lists and watches with 429, and serves pages and GETs', async (generation) => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const { send, server } = await filled(2, { clock, generation });
    server.refillCache('v1', 'ConfigMap', 50);

    const listed = await send('GET', CONFIG_MAPS);
    const watched = await send('GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`);
    const paged = await send('GET', `${CONFIG_MAPS}?limit=1`);
    const got = await send('GET', `${CONFIG_MAPS}/c-000`);
    clock.advance(50);
    const later = await send('GET', CONFIG_MAPS);

    for (const { status, headers, body } of [listed, watched]) {
      expect([status, headers.get('retry-after')]).toEqual([429, '1']);
      expect(body).toMatchObject({
        reason: 'TooManyRequests',
        message: 'storage is (re)initializing',
        details: { retryAfterSeconds: 1 },
      });
    }
    expect([paged.status, got.status, later.status]).toEqual([200, 200, 200]);
  });

  test('[F-16] during a cache refill, Kubernetes 1.30 delays a list until the cache is ready', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const { send, server } = await filled(2, { clock, generation: '1.30' });
    server.refillCache('v1', 'ConfigMap', 50);
    const listing = send('GET', `${CONFIG_MAPS}?resourceVersion=0`);
    await expect.poll(() => clock.pending).toBe(1);

    clock.advance(100);

    expect(names(await listing)).toEqual(['c-000', 'c-001']);
  });
});

test('[F-3] a resource without a watch cache honours a limit at resourceVersion 0, and does not wait for a future resourceVersion', async () => {
  const { send, server } = await filled(0, { uncached: ['configmaps'] });
  for (const name of ['a', 'b', 'c']) server.create(configMap(name));

  const limited = await send('GET', `${CONFIG_MAPS}?resourceVersion=0&limit=2`);
  const future = await send('GET', `${CONFIG_MAPS}?resourceVersion=99999`);

  expect(names(limited)).toEqual(['a', 'b']);
  expect(future.status).toBe(504);
});
