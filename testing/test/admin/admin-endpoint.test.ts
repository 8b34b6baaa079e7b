import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, configMap } from '../apiserver/support/cluster.ts';
import { summary, watch } from '../apiserver/support/watched.ts';
import { startAdministered } from './support.ts';

describe('faults through the admin endpoint', () => {
  test('the admin endpoint sets, reads and clears faults, and counts how often each fault applied', async () => {
    const { ask, send } = await startAdministered();
    const faults = [
      { verbs: ['list'], status: 503, count: 5 },
      { path: '/healthz', reset: true },
    ];

    const set = await ask('PUT', '/faults', { faults });
    const hit = await send('GET', CONFIG_MAPS);
    const read = await ask('GET', '/faults');
    const ended = await ask('DELETE', '/faults');
    const after = await send('GET', CONFIG_MAPS);

    expect([set.status, set.body]).toEqual([200, { faults, applied: [0, 0] }]);
    expect(hit.status).toBe(503);
    expect(read.body).toEqual({ faults, applied: [1, 0] });
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect(after.status).toBe(200);
  });

  test('the admin endpoint refuses an invalid list of faults, reports the path of the problem, and keeps the old list', async () => {
    const { ask, server } = await startAdministered({ faults: [{ status: 500 }] });

    const unknown = await ask('PUT', '/faults', { faults: [{ verb: ['list'] }] });
    const contrary = await ask('PUT', '/faults', { faults: [{ reset: true, cutWatch: 'clean' }] });

    expect(unknown.status).toBe(400);
    expect(unknown.body.message).toMatch(
      /^the body: faults\[0\]\.verb is not known; did you mean verbs\? known: name, /,
    );
    expect(contrary.body.message).toMatch(/^the body: faults\[0\] has reset and cutWatch/);
    expect(server.faults.rules).toEqual([{ status: 500 }]);
  });
});

describe('the clock through the admin endpoint', () => {
  test('through the admin endpoint, the clock can be read and advanced, and timers that become due run', async () => {
    const { ask, clock } = await startAdministered();
    const rung: string[] = [];
    clock.schedule(3_600_000, () => rung.push('hour'));
    const { body: before } = await ask('GET', '/clock');

    const { status, body: after } = await ask('POST', '/clock/advance', { ms: 7_200_000 });

    expect(status).toBe(200);
    const movedMs = Date.parse(after.now) - Date.parse(before.now);
    // Times are whole milliseconds, and the machine's clock may be set back by some meanwhile.
    expect(movedMs).toBeGreaterThan(7_199_000);
    expect(rung).toEqual(['hour']);
  });

  test.each([
    [{ ms: -1 }],
    [{ ms: 30 * 86_400_000 + 1 }],
    [{ ms: 'hour' }],
    [{ seconds: 3 }],
    [{}],
    [[]],
    [null],
  ])('the admin endpoint refuses to advance the clock by %j', async (body) => {
    const { ask } = await startAdministered();

    const refused = await ask('POST', '/clock/advance', body);

    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringMatching(/^the body: /),
    ]);
  });

  test('a Deployment with slow Pods becomes available when the clock is advanced', async () => {
    const { ask, server } = await startAdministered({ workloads: { podReadyMs: 3_600_000 } });
    server.applyManifest(DEPLOYMENT);
    const available = (): unknown => {
      const found = server.get('apps/v1', 'Deployment', 'default', 'web');
      return (found as { status?: { availableReplicas?: number } }).status?.availableReplicas;
    };
    await expect.poll(() => server.list('v1', 'Pod', 'default').length).toBe(1);
    const before = available();

    await ask('POST', '/clock/advance', { ms: 4_000_000 });

    expect(before).toBeUndefined();
    await expect.poll(available).toBe(1);
  });
});

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: c, image: i }] }
`;

describe('watches through the admin endpoint', () => {
  test.each([
    [undefined, []],
    [{}, []],
    [{ how: 'clean' }, []],
    [{ how: 'reset' }, 'broken'],
  ])('for the body %j, the admin endpoint cuts watches and counts them', async (body, end) => {
    const cluster = await startAdministered();
    cluster.server.create(configMap('a'));
    const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1`);
    await watched.next();

    const { status, body: answer } = await cluster.ask('POST', '/watches/cut', body);

    expect([status, answer]).toEqual([200, { cut: 1 }]);
    expect(await watched.rest().catch(() => 'broken')).toEqual(end);
  });

  test.each([
    ['everything', 410],
    ['pages', undefined],
  ])('after a compaction of %s, a watch from an earlier revision gets the code %j', async (what, code) => {
    const cluster = await startAdministered();
    const { metadata } = cluster.server.create(configMap('a')) as {
      metadata: { resourceVersion?: string };
    };
    cluster.server.create(configMap('b'));

    const { status } = await cluster.ask('POST', '/compact', { what });

    expect(status).toBe(204);
    const watched = await watch(
      cluster,
      `${CONFIG_MAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`,
    );
    expect((await watched.next())?.object.code).toBe(code);
  });
});

describe('snapshots through the admin endpoint', () => {
  test('the admin endpoint restores a snapshot with objects, uids and revision', async () => {
    const cluster = await startAdministered();
    const { ask, server, send } = cluster;
    const kept = server.create(configMap('kept'));
    const taken = await ask('GET', '/snapshot');
    server.delete('v1', 'ConfigMap', 'default', 'kept');
    server.create(configMap('lost'));
    const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1`);

    const restored = await ask('PUT', '/snapshot', taken.text);

    expect(taken.headers['content-type']).toBe('application/x-ndjson');
    expect([restored.status, restored.text]).toEqual([204, '']);
    expect((await watched.rest()).map(summary)).toEqual(['ADDED lost']);
    const { body } = await send('GET', CONFIG_MAPS);
    expect(body.items.map((each: typeof kept) => each.metadata)).toEqual([kept.metadata]);
    expect(body.metadata.resourceVersion).toBe(
      (kept.metadata as { resourceVersion?: string }).resourceVersion,
    );
  });

  test('the admin endpoint refuses a truncated snapshot and changes nothing', async () => {
    const { ask, server } = await startAdministered();
    const { text: taken } = await ask('GET', '/snapshot');
    server.create(configMap('a'));

    const { status, body } = await ask('PUT', '/snapshot', taken.slice(0, -10));

    expect([status, body.message]).toEqual([400, expect.stringMatching(/^it is cut off: /)]);
    expect(server.get('v1', 'ConfigMap', 'default', 'a')).toBeDefined();
  });
});

describe('requests that the admin endpoint refuses', () => {
  test.each([
    ['evil.example'],
    ['evil.example:80'],
    ['127.0.0.1.evil.example'],
    ['localhost.evil.example'],
    ['localhost@evil.example'],
    ['127.0.0.2'], // the endpoint listens on 127.0.0.1 alone
    ['169.254.169.254'],
    ['0.0.0.0'],
    ['[::2]'],
    ['loc alhost'],
  ])('the admin endpoint answers 403 to the Host %j', async (host) => {
    const { ask, server } = await startAdministered();

    const { status, body } = await ask('PUT', '/faults', { faults: [{ reset: true }] }, { host });

    expect([status, body.message]).toEqual([
      403,
      expect.stringContaining('the Host of the request'),
    ]);
    expect(server.faults.rules).toEqual([]);
  });

  test.each([
    ['http://evil.example'],
    ['https://127.0.0.1.evil.example'],
    ['null'],
    ['file://'],
    ['http://localhost@evil.example'],
    ['ftp://localhost'],
  ])('the admin endpoint answers 403 to the Origin %j, whatever the Host header is', async (origin) => {
    const { ask } = await startAdministered();

    const { status, body } = await ask('GET', '/snapshot', undefined, { origin });

    expect([status, body.message]).toEqual([403, 'the Origin of the request is not this machine']);
  });

  test.each([
    [{ host: 'localhost:1' }],
    [{ host: '[::1]:8080' }],
    [{ host: '127.0.0.1' }],
    [{ host: 'localhost', origin: 'http://localhost:3000' }],
    [{ origin: 'https://[::1]:3000' }],
  ])('the admin endpoint accepts the headers %j', async (headers) => {
    const { ask } = await startAdministered();

    expect((await ask('GET', '/clock', undefined, headers)).status).toBe(200);
  });

  test('the admin endpoint answers 403 to a request without a Host', async () => {
    const { url } = await startAdministered();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end('GET /clock HTTP/1.0\r\n\r\n');

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('the admin endpoint answers 413 to a body that is too large, with or without a content-length', async () => {
    const { ask } = await startAdministered();
    const body = JSON.stringify({ faults: [], more: 'x'.repeat(1_048_576) });

    const told = await ask('PUT', '/faults', body, { 'content-length': String(body.length) });
    const chunked = await ask('PUT', '/faults', body, { 'transfer-encoding': 'chunked' });

    for (const { status, body: answer } of [told, chunked]) {
      expect([status, answer.message]).toEqual([413, 'the body has more than 1048576 bytes']);
    }
  });

  test.each([
    '',
    '{',
    'faults: []',
    '\u0000',
  ])('the admin endpoint answers 400 to the body %j, which is not JSON', async (body) => {
    const { ask } = await startAdministered();

    const { status, body: answer } = await ask('PUT', '/faults', body);

    expect([status, answer.message]).toEqual([
      400,
      expect.stringMatching(/^the body is no JSON: /),
    ]);
  });

  test('the admin endpoint answers 404 to an unknown path, and lists the known paths', async () => {
    const { ask } = await startAdministered();

    const { status, body } = await ask('GET', '/fault');

    expect(status).toBe(404);
    expect(body.message).toMatch(/known: \/openapi\.json, \/faults, \/clock, /);
  });

  test.each([
    ['POST', '/faults', 'GET, PUT, DELETE'],
    ['GET', '/compact', 'POST'],
    ['PUT', '/openapi.json', 'GET'],
  ])('the admin endpoint answers 405 to %s %s', async (method, path, allow) => {
    const { ask } = await startAdministered();

    const { status, headers } = await ask(method, path);

    expect([status, headers.allow]).toEqual([405, allow]);
  });
});

test('a closed admin endpoint does not answer, and can be closed twice', async () => {
  const { AdminEndpoint } = await import('../../src/admin/admin-endpoint.ts');
  const { server, clock } = await startAdministered();
  const admin = await AdminEndpoint.start(server, { clock });

  await admin.close();
  await admin.close();

  await expect(fetch(`${admin.url}/clock`)).rejects.toThrow();
});
