/**
 * Who failed, the API server or a real `kubectl proxy` in front of it, and what became of the request.
 *
 * @module-tag kubectl
 */

import { freePort } from '@chancery/testing';
import { expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { intercept } from '../../operator/client/client-of.ts';
import { retry } from '../../operator/client/interceptors/retry.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { TransportRequest } from '../../operator/transport/transport.ts';
import { answerOf, rawServer, request, transportTo } from '../transport/raw-server.ts';
import { startAmbassador } from './support/ambassador.ts';
import { send } from './support/send.ts';
import { startUpstream } from './support/upstream.ts';

const { signal } = new AbortController();
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const JSON_HEADERS = { 'content-type': 'application/json' };

/** A URL where nobody listens, but where somebody may later. */
async function deserted(): Promise<{ url: string; port: number }> {
  const port = await freePort();
  return { url: `http://127.0.0.1:${port}`, port };
}

async function failureOf(ambassador: string, parts: Partial<TransportRequest>): Promise<unknown> {
  const response = await transportTo(ambassador).send(request(parts));
  return readAnswer(response, systemClock).catch((error: unknown) => error);
}

test.each(
  METHODS,
)('proxy 15: a %s to an API server that refuses connections is reported as "not-sent"', async (method) => {
  const ambassador = await startAmbassador((await deserted()).url);

  const failure = await failureOf(ambassador, {
    method,
    ...(method === 'GET' ? {} : { body: '{}' }),
  });

  expect(failure).toMatchObject({
    code: 'AMBASSADOR_UPSTREAM',
    layer: 'ambassador',
    fate: 'not-sent',
    context: { status: 500 },
    message: expect.stringMatching(/dial tcp .*connection refused/),
  });
});

test('proxy 15: a create with generateName is retried, and done once, when the API server is back', async () => {
  const { url, port } = await deserted();
  const transport = transportTo(await startAmbassador(url));
  const plain = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  const metadata = { namespace: 'demo', name: '', generateName: 'a-' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

  const creating = intercept(plain, retry({ clock: systemClock })).create(configMaps, object, {
    signal,
  });
  const server = await rawServer(() => answerOf(201, JSON.stringify(object)), {
    host: '127.0.0.1',
    port,
  });

  expect(await creating).toEqual(object);
  expect(server.requests).toHaveLength(1);
});

test.each([
  401, 403, 404, 409, 410, 422, 429, 500, 503, 504,
])('proxy 16: a Status with %i passes kubectl proxy unchanged, after one request', async (code) => {
  const body = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    code,
    reason: 'R',
    message: 'm',
  });
  const server = await rawServer(() =>
    answerOf(code, body, { ...JSON_HEADERS, 'retry-after': '7' }),
  );
  const ambassador = await startAmbassador(server.url);

  const failure = await failureOf(ambassador, { method: 'PUT', body: '{}' });

  expect(failure).toMatchObject({ code: 'API_STATUS', status: code, retryAfterMs: 7_000 });
  expect(server.requests).toHaveLength(1);
});

test('[P-19] proxy 16: the client distinguishes a 403 of kubectl proxy from a 403 of the API server', async () => {
  const body = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    code: 403,
    reason: 'Forbidden',
  });
  const server = await rawServer(() => answerOf(403, body));
  const ambassador = await startAmbassador(server.url, {
    acceptPaths: ['^/version$'],
    rejectPaths: ['^$x'],
    rejectMethods: ['^$x'],
  });

  const failures = [
    await failureOf(ambassador, { path: '/version' }),
    await failureOf(ambassador, { path: '/api/v1/secrets' }),
  ];

  expect(failures).toMatchObject([
    { code: 'API_STATUS', layer: 'api-server' },
    { code: 'AMBASSADOR_FORBIDDEN', layer: 'ambassador', fate: 'not-sent' },
  ]);
  expect(server.requests).toHaveLength(1);
});

test.each([
  [301, { location: '/elsewhere' }],
  [304, {}],
  [307, { location: '/elsewhere' }],
])('proxy 16: proxy 34: a response with %i is not followed as a redirect, and fails with NOT_KUBERNETES', async (code, headers) => {
  const server = await rawServer(() => answerOf(code, '', headers));
  const ambassador = await startAmbassador(server.url);

  const failure = await failureOf(ambassador, {});

  expect(failure).toMatchObject({ code: 'NOT_KUBERNETES', context: { status: code } });
  expect(server.requests).toHaveLength(1);
});

test('proxy 34: the client does not send a path with a double slash, which kubectl proxy would redirect', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url);

  const failure = await failureOf(ambassador, { path: '/api//v1/pods' }).catch((e: unknown) => e);
  const { status } = await send(ambassador, 'GET', '/api//v1/pods');

  expect(failure).toMatchObject({ code: 'CONFIG' });
  expect(status).toBe(301);
  expect(upstream.seen).toEqual([]);
});
