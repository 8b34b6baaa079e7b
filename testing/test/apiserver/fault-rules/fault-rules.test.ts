import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../src/apiserver/fault-rules/fault-rule.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';

const LEASES = '/apis/coordination.k8s.io/v1/leases';

/** A server with one rule. */
function withFault(...faults: readonly FaultRule[]): Promise<TestCluster> {
  return startCluster({ faults });
}

/** The codes of some requests, one after the other. */
async function codes({ send }: TestCluster, requests: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ');
    const body = method === 'POST' ? configMap(`c${answers.length}`) : undefined;
    answers.push(
      await send(method, path, body).then(
        ({ status }) => status,
        () => 'reset',
      ),
    );
  }
  return answers;
}

describe('a fault rule selects requests', () => {
  const all = [
    `GET ${CONFIG_MAPS}`,
    `GET ${CONFIG_MAPS}/a`,
    `POST ${CONFIG_MAPS}`,
    `DELETE ${CONFIG_MAPS}`,
    `GET ${LEASES}`,
    'GET /version',
  ];

  test.each<[FaultRule, readonly number[]]>([
    [{ status: 418 }, [418, 418, 418, 418, 418, 418]],
    [{ status: 418, verbs: ['list'] }, [418, 404, 201, 200, 418, 200]],
    [{ status: 418, verbs: ['get', 'create'] }, [200, 418, 418, 200, 200, 418]],
    [{ status: 418, verbs: ['deletecollection'] }, [200, 404, 201, 418, 200, 200]],
    [{ status: 418, path: '/api/v1/namespaces/*/configmaps' }, [418, 404, 418, 418, 200, 200]],
    [{ status: 418, path: '/api/**' }, [418, 418, 418, 418, 200, 200]],
    [{ status: 418, path: '/apis/coord*/v1/*' }, [200, 404, 201, 200, 418, 200]],
    [{ status: 418, path: `${CONFIG_MAPS}/**` }, [200, 418, 201, 200, 200, 200]],
    [{ status: 418, path: '/version', verbs: ['list'] }, [200, 404, 201, 200, 200, 200]],
  ])('the fault rule %j applies to the expected requests only', async (rule, expected) => {
    expect(await codes(await withFault(rule), all)).toEqual(expected);
  });

  test('a fault rule matches a path with encoded letters or a trailing slash', async () => {
    const cluster = await withFault({ status: 418, path: '/api/v1/namespaces/default/configmaps' });

    const answers = await codes(cluster, [
      'GET /api/v1/namespaces/def%61ult/configmaps',
      `GET ${CONFIG_MAPS}/`,
    ]);

    expect(answers).toEqual([418, 418]);
  });

  test('a fault rule skips the first `skip` matching requests, and then applies to `count` requests', async () => {
    const cluster = await withFault({ status: 418, verbs: ['list'], skip: 2, count: 3 });

    const answers = await codes(
      cluster,
      Array.from({ length: 7 }, () => `GET ${LEASES}`),
    );

    expect(answers).toEqual([200, 200, 418, 418, 418, 200, 200]);
    expect(cluster.server.faults.applied).toEqual([3]);
  });

  test('the first matching fault rule applies until its count is used up, and then the next rule applies', async () => {
    const cluster = await withFault({ status: 418, count: 1 }, { status: 503 });

    expect(await codes(cluster, [`GET ${LEASES}`, `GET ${LEASES}`])).toEqual([418, 503]);
    expect(cluster.server.faults.applied).toEqual([1, 1]);
  });
});

describe('the effect of a fault rule', () => {
  test('a fault with a status answers a Status, and the request is not executed', async () => {
    const { server, send } = await withFault({
      name: 'busy',
      status: 429,
      retryAfterSeconds: 4,
      count: 1,
    });

    const { status, headers, body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('4');
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'an injected fault: busy',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 4 },
      code: 429,
    });
    expect(server.get('v1', 'ConfigMap', 'default', 'a')).toBeUndefined();
  });

  test('a fault with status 404 answers a Status, not plain text', async () => {
    const { send } = await withFault({ status: 404, message: 'lost', reason: 'Lost' });

    const { body } = await send('GET', LEASES);

    expect(body).toMatchObject({ reason: 'Lost', message: 'lost', code: 404 });
  });

  test('a fault applies before the server checks the credentials of a request', async () => {
    const { send } = await withFault({ status: 503 });

    const { status } = await send('GET', LEASES, undefined, { authorization: 'Bearer guessed' });

    expect(status).toBe(503);
  });

  test('a fault with `reset` cuts the connection, and the request is not executed', async () => {
    const cluster = await withFault({ reset: true, verbs: ['create'] });

    const answers = await codes(cluster, [`POST ${CONFIG_MAPS}`, `GET ${CONFIG_MAPS}`]);

    expect(answers).toEqual(['reset', 200]);
    expect(cluster.server.list('v1', 'ConfigMap', 'default')).toEqual([]);
  });

  test('with a delay in a fault, the request is answered as usual after the delay', async () => {
    const clock = new FakeClock();
    const { server, send } = await startCluster({ clock, faults: [{ delayMs: 5_000, count: 1 }] });
    const sent = send('POST', CONFIG_MAPS, configMap('a'));
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(4_999);
    const early = server.get('v1', 'ConfigMap', 'default', 'a');

    clock.advance(1);

    expect(early).toBeUndefined();
    expect((await sent).status).toBe(201);
  });

  test('no timer is left when the client of a delayed request disconnects', async () => {
    const clock = new FakeClock();
    const { server } = await startCluster({ clock, faults: [{ delayMs: 5_000, status: 500 }] });
    const abort = new AbortController();
    const sent = fetch(server.url + CONFIG_MAPS, { signal: abort.signal });
    await expect.poll(() => clock.pending).toBe(1);

    abort.abort();

    await expect(sent).rejects.toThrow();
    await expect.poll(() => clock.pending).toBe(0);
  });

  test.each([
    'clean',
    'reset',
  ] as const)('a fault that cuts watches (%s) affects watches after they have started, and does not affect lists', async (cutWatch) => {
    const clock = new FakeClock();
    const cluster = await startCluster({ clock, faults: [{ cutWatch, delayMs: 1_000, count: 1 }] });
    const { server, send } = cluster;
    server.create(configMap('a'));
    expect((await send('GET', CONFIG_MAPS)).status).toBe(200);
    const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1`);
    const first = await watched.next();

    clock.advance(1_000);
    const end = await watched.rest().then(
      (lines) => lines.map(summary),
      () => 'broken',
    );

    expect(first && summary(first)).toBe('ADDED a');
    expect(end).toEqual(cutWatch === 'clean' ? [] : 'broken');
    const again = await watch(cluster, `${CONFIG_MAPS}?watch=1`);
    expect(await again.next()).toBeDefined();
    expect(server.openWatches).toBe(1);
  });
});

describe('the fault rules of a running server', () => {
  test('fault rules can be replaced and cleared', async () => {
    const cluster = await withFault({ status: 500 });
    const { faults } = cluster.server;
    const before = await codes(cluster, [`GET ${LEASES}`]);

    faults.replace([{ status: 503 }]);
    const replaced = await codes(cluster, [`GET ${LEASES}`]);
    faults.clear();
    const after = await codes(cluster, [`GET ${LEASES}`]);

    expect([before, replaced, after]).toEqual([[500], [503], [200]]);
    expect(faults.rules).toEqual([]);
  });

  test('when new fault rules are refused, the old rules stay in force', async () => {
    const { server } = await withFault({ status: 500 });

    expect(() => server.faults.replace([{ status: 200 }])).toThrow(/faults\[0\]\.status/);

    expect(server.faults.rules).toEqual([{ status: 500 }]);
  });
});
