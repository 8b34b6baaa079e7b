/**
 * What goes wrong between an operator and the API server, on real sockets: each failure is told
 * apart, logged once, retried, and leaves the operator not ready until it is over.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { NAMESPACE, startCluster, startOperator, startProxy } from '../support/cluster.ts';

/** A controller that writes down the data of every ConfigMap that it is told to look at. */
function scribe() {
  const seen: string[] = [];
  const declaration = controller({
    name: 'scribe',
    for: source(configMaps),
    reconcile: async (object) => {
      if (object.data?.value !== undefined) seen.push(object.data.value);
    },
  });
  return { seen, controllers: [declaration] };
}

async function listen(handler: RequestListener, port = 0): Promise<string> {
  const server = createServer(handler).listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function put(server: ApiServer, value: string): void {
  const metadata = { name: 'settings', namespace: NAMESPACE };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
  if (server.get('v1', 'ConfigMap', NAMESPACE, 'settings') === undefined) server.create(object);
  else server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { data: { value } });
}

/** Code, layer and reason of every source failure that was logged. */
const failures = (lines: ReturnType<typeof startOperator>['lines']): unknown[] =>
  lines
    .filter(({ message }) => /^source is (failing|forbidden)/.test(message))
    .map(({ fields }) => {
      const { code, layer } = fields.err as { code: string; layer: string };
      return { code, layer, reason: fields.reason };
    });

test('[P-18] CM8 until the proxy has started, the operator waits without being ready, and does not exit', async () => {
  const { server, proxy } = await startCluster();
  put(server, 'first');
  await proxy.kill();
  const { seen, controllers } = scribe();
  const { manager, lines, logged } = startOperator(proxy.url, controllers);

  await eventually(() => logged('info').includes('waiting for the ambassador'));
  const early = manager.ready;
  await proxy.start();
  await eventually(() => manager.ready);
  await eventually(() => seen.length > 0);

  expect(early).toBe(false);
  expect(seen).toEqual(['first']);
  expect(failures(lines)).toEqual([]); // nothing was asked before somebody listened
});

test('[T-3] a change while the proxy restarts is delivered once, without a new list', async () => {
  const { server, proxy } = await startCluster();
  put(server, 'before');
  const { seen, controllers } = scribe();
  const { manager, lines } = startOperator(proxy.url, controllers);
  await eventually(() => seen.length === 1 && server.openWatches === 1);

  await proxy.kill();
  await eventually(() => failures(lines).length > 0);
  put(server, 'meanwhile');
  await proxy.start();
  await eventually(() => manager.ready && seen.length === 2);

  const lists = server.requests.filter(
    ({ path, query }) => path.endsWith('/configmaps') && !query.has('watch'),
  );
  expect(seen).toEqual(['before', 'meanwhile']);
  expect(lists).toHaveLength(1);
  // Cut (a reset is told, a clean end is not), and, unless it was back in time for the first retry,
  // unreachable: a line for each state.
  const told = failures(lines).map((failure) => (failure as { reason: string }).reason);
  expect(['broken', 'unreachable', 'broken,unreachable']).toContain(told.join());
});

test('while the proxy hangs, the operator is not ready; it starts when the proxy answers again', async () => {
  const { server, proxy } = await startCluster();
  put(server, 'first');
  proxy.freeze();
  const { seen, controllers } = scribe();
  const { manager, logged } = startOperator(proxy.url, controllers);
  await eventually(() => logged('info').includes('manager started'));

  const early = manager.ready;
  proxy.thaw();
  await eventually(() => manager.ready && seen.length === 1);

  expect(early).toBe(false);
});

test('after the API server behind the proxy restarts, a text/plain 500 is an ambassador error, and no change is lost', async () => {
  const { server, proxy } = await startCluster();
  put(server, 'before');
  const { seen, controllers } = scribe();
  const { manager, lines } = startOperator(proxy.url, controllers);
  await eventually(() => seen.length === 1 && server.openWatches === 1);

  await server.stop();
  put(server, 'meanwhile');
  await eventually(() =>
    failures(lines).some((failure) => (failure as { code: string }).code === 'AMBASSADOR_UPSTREAM'),
  );
  await server.listen();
  await eventually(() => manager.ready && seen.length === 2);

  expect(seen).toEqual(['before', 'meanwhile']);
});

test('a 403 from the ambassador’s filter is distinguished from a 403 from RBAC', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const filter = { acceptPaths: ['^/version$'], rejectPaths: ['^$'], rejectMethods: ['^$'] };
  const proxy = await startProxy(server.url, filter);
  const { controllers } = scribe();
  const { manager, lines } = startOperator(proxy.url, controllers);

  await eventually(() => failures(lines).length > 0);

  expect(failures(lines)).toEqual([
    { code: 'AMBASSADOR_FORBIDDEN', layer: 'ambassador', reason: 'filtered' },
  ]);
  expect(manager.ready).toBe(false);
});

const text = { 'content-type': 'text/plain; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const ANSWERS: readonly [string, RequestListener, object][] = [
  [
    'RBAC’s 403',
    (_request, response) =>
      response
        .writeHead(403, json)
        .end('{"kind":"Status","status":"Failure","reason":"Forbidden","code":403}'),
    { code: 'API_STATUS', layer: 'api-server', reason: 'forbidden' },
  ],
  [
    'an HTML login page',
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<form>Log in</form>'),
    { code: 'NOT_KUBERNETES', layer: 'protocol', reason: 'not-kubernetes' },
  ],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: '/login' }).end(),
    { code: 'NOT_KUBERNETES', layer: 'protocol', reason: 'not-kubernetes' },
  ],
  [
    'the proxy’s 500',
    (_request, response) =>
      response.writeHead(500, text).end('dial tcp 10.0.0.1:443: connect: connection refused'),
    { code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador', reason: 'upstream-unreachable' },
  ],
  [
    'a list that is cut short',
    (_request, response) => response.writeHead(200, json).end('{"kind":"ConfigMapList","items":[{'),
    { code: 'DECODE', layer: 'protocol', reason: 'undecodable' },
  ],
  [
    'a Status where a list is expected',
    (_request, response) =>
      response
        .writeHead(200, json)
        .end('{"kind":"Status","status":"Failure","reason":"InternalError","code":500}'),
    { code: 'API_STATUS', layer: 'api-server', reason: 'server-error' },
  ],
];

test.each(
  ANSWERS,
)('CW5 %s causes an error of its own type and one log line, and the operator recovers', async (_what, answer, expected) => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  put(server, 'first');
  let broken = true;
  const front = await listen((request, response) => {
    if (broken) return answer(request, response);
    const onward = new URL(request.url ?? '/', server.url);
    void fetch(onward, { signal: abortedWith(response) })
      .then(
        async (answered) => {
          response.writeHead(answered.status, json).flushHeaders();
          for await (const chunk of answered.body ?? []) response.write(chunk);
          response.end();
        },
        () => response.destroy(),
      )
      .catch(() => response.destroy());
  });
  const { seen, controllers } = scribe();
  const { manager, lines } = startOperator(front, controllers);

  await eventually(() => failures(lines).length > 0);
  const early = manager.ready;
  broken = false;
  await eventually(() => manager.ready && seen.length === 1, { timeoutMs: 15_000 });

  expect(early).toBe(false);
  expect(failures(lines)).toEqual([expected]);
});

function abortedWith(response: Parameters<RequestListener>[1]): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return gone.signal;
}
