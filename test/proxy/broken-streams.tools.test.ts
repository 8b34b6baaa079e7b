/**
 * Watches and connections that end in every way there is, seen through a real `kubectl proxy`.
 *
 * @module-tag kubectl
 */
import { text } from 'node:stream/consumers';
import { ApiServer, eventually, FakeClock, KubectlProxy } from '@chancery/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { intercept } from '../../operator/client/client-of.ts';
import { retry } from '../../operator/client/interceptors/retry.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { decodeEvents } from '../../operator/stream/decode.ts';
import type { Transport } from '../../operator/transport/transport.ts';
import { collect } from '../support/recorded-stream.ts';
import { pathOf } from '../tools/tools.ts';
import {
  answerOf,
  CHUNKED_HEAD,
  chunkOf,
  rawServer,
  request,
  transportTo,
  type WireRequest,
} from '../transport/raw-server.ts';
import { startAmbassador } from './support/ambassador.ts';

const { signal } = new AbortController();
const target = { namespace: 'default', name: 'a' };
const event = (name: string): string =>
  `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } })}\n`;

/** Opens a watch and reads it to its end; `end` is what the upstream does after one whole event. */
async function watchThatEnds(end: (upstream: WireRequest) => void) {
  const server = await rawServer(() => CHUNKED_HEAD + chunkOf(event('first')));
  const transport = transportTo(await startAmbassador(server.url));
  const { body } = await transport.send(request({ purpose: 'watch', path: '/watch' }));
  const reading = collect(decodeEvents(body));
  end(server.requests[0] ?? expect.unreachable());
  const { items, error } = await reading;
  return {
    names: items.flat().map((found) => 'entry' in found && found.entry.metadata.name),
    error,
  };
}

test('proxy 13: if the API server ends a watch, the whole watch arrives', async () => {
  const { names, error } = await watchThatEnds(({ socket }) => socket.write(chunkOf('')));

  expect(names).toEqual(['first']);
  expect(error).toBeUndefined();
});

test.each<[string, (upstream: WireRequest) => void]>([
  ['FIN', ({ socket }) => socket.end()],
  ['RST', ({ socket }) => socket.resetAndDestroy()],
  ['FIN after a whole chunk', ({ socket }) => socket.end(chunkOf(event('second')))],
])('proxy 13: if a %s ends a watch, the watch counts as broken off', async (_, end) => {
  const { names, error } = await watchThatEnds(end);

  expect(names[0]).toBe('first');
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', fate: 'unknown' });
});

test.each([
  ['cut in the middle', event('second').slice(0, -10)],
  ['complete except for its newline', event('second').slice(0, -1)],
])('[W-12] proxy 14: a last line that is %s becomes no event', async (_, part) => {
  const { names, error } = await watchThatEnds(({ socket }) => socket.end(chunkOf(part)));

  expect(names).toEqual(['first']);
  expect(error).toMatchObject({ code: 'CONNECTION_LOST' });
});

test('proxy 20: a hanging proxy is reported as a timeout of the ambassador, and is used again once it answers', async () => {
  // A stopped process may pass on what arrives in the same moment: then the server is the one that hangs.
  let hangs = true;
  const server = await rawServer(() => (hangs ? undefined : answerOf(200)));
  const proxy = new KubectlProxy({ kubectl: pathOf('kubectl'), server: server.url });
  onTestFinished(() => proxy.kill());
  await proxy.start();
  const clock = new FakeClock();
  const transport = transportTo(proxy.url, { clock });

  proxy.freeze();
  const sending = transport.send(request());
  sending.catch(() => {});
  await eventually(() => clock.nextInMs === 40_000 && clock.pending === 2);
  await clock.advanceAndSettle(40_000);
  const failure = await sending.catch((error: unknown) => error);
  hangs = false;
  proxy.thaw();
  const { status } = await transport.send(request());

  expect(failure).toMatchObject({
    code: 'AMBASSADOR_TIMEOUT',
    layer: 'ambassador',
    fate: 'unknown',
  });
  expect(status).toBe(200);
});

test('proxy 21: after SIGKILL of the proxy 50 watches and a write all report a failure, and the write is done once', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const proxy = new KubectlProxy({ kubectl: pathOf('kubectl'), server: server.url });
  onTestFinished(() => proxy.kill());
  await proxy.start();
  const transport = transportTo(proxy.url);
  const plain = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  const watches = await openWatches(transport, 50);

  const ends = watches.map((body) => text(body).catch((error: unknown) => error));
  await proxy.kill();
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };
  const meanwhile = await plain.create(configMaps, object, { signal }).catch((e: unknown) => e);
  const creating = intercept(plain, retry({ clock: systemClock })).create(configMaps, object, {
    signal,
  });
  await proxy.start();

  expect(await Promise.all(ends)).toMatchObject(Array(50).fill({ code: 'CONNECTION_LOST' }));
  expect(meanwhile).toMatchObject({ code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
  expect(await creating).toEqual(server.get('v1', 'ConfigMap', 'default', 'a'));
  await openWatches(transport, 50);
});

async function openWatches(transport: Transport, count: number) {
  const path = '/api/v1/configmaps?watch=1&resourceVersion=1&timeoutSeconds=300';
  const opening = Array.from({ length: count }, () =>
    transport.send(request({ purpose: 'watch', path })),
  );
  return (await Promise.all(opening)).map(({ status, body }) => {
    expect(status).toBe(200);
    return body;
  });
}

test('proxy 33: a watch without events for more than 300 s continues', async () => {
  const server = await rawServer(() => CHUNKED_HEAD + chunkOf('first\n'));
  const ambassador = await startAmbassador(server.url);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { body } = await transportTo(ambassador).send(request({ purpose: 'watch' }));

  await vi.advanceTimersByTimeAsync(320_000);
  server.requests[0]?.socket.write(chunkOf('last\n') + chunkOf(''));

  expect(await text(body)).toBe('first\nlast\n');
});

test('[P-6] proxy 13: a watch that the operator stops reading is closed at the API server', async () => {
  const server = await rawServer(() => CHUNKED_HEAD + chunkOf('first\n'));
  const transport = transportTo(await startAmbassador(server.url));
  const { body } = await transport.send(request({ purpose: 'watch' }));

  body.destroy();

  await eventually(() => server.sockets[0]?.destroyed);
});
