/** Settings that look right and are wide open, on a real `kubectl proxy`: why the rules are rules. */
import { expect, test } from 'vitest';
import { REJECT_PATHS } from '../../operator/generate/proxy-filter.ts';
import type { AmbassadorFilter } from '../../operator/testing/kubectl-proxy.ts';
import { startAmbassador } from './support/ambassador.ts';
import { split } from './support/requests.ts';
import { isTidied, send } from './support/send.ts';
import { startUpstream } from './support/upstream.ts';

const accepting = (...acceptPaths: string[]): AmbassadorFilter => ({
  acceptPaths,
  rejectPaths: REJECT_PATHS,
  rejectMethods: ['^(PUT|TRACE)$'],
});

test('one comma at the end accepts every path', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url, accepting('^/version$', ''));

  const answer = await send(ambassador, 'GET', '/api/v1/secrets');

  expect(answer.status).toBe(200);
});

test('a comma between braces breaks a pattern into two that match nothing', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url, accepting('^/api/v[0-9]{1,2}$'));

  const answer = await send(ambassador, 'GET', '/api/v1');

  expect(answer.status).toBe(403);
});

test('a pattern that is not anchored matches in the middle of another path', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url, accepting('/namespaces/demo'));

  const answer = await send(ambassador, 'DELETE', '/api/v1/namespaces/demo/secrets/a');

  expect(answer.status).toBe(200);
});

test('a name pattern that takes any character but a slash lets encoded dots through', async () => {
  const upstream = await startUpstream();
  const filter = { ...accepting('^/api/v1/namespaces/[^/]+/secrets$'), rejectPaths: ['^$x'] };
  const ambassador = await startAmbassador(upstream.url, filter);

  const line = 'GET /api/v1/namespaces/%2e%2e/secrets';
  const answer = await send(ambassador, ...split(line));

  expect(upstream.seen).toEqual(isTidied(line, answer) ? [] : [line]);
});

test('a method pattern that is not anchored rejects every method that contains it', async () => {
  const upstream = await startUpstream();
  const filter = { ...accepting('^/version$'), rejectMethods: ['T'] };
  const ambassador = await startAmbassador(upstream.url, filter);

  const answer = await send(ambassador, 'GET', '/version');

  expect(answer.status).toBe(403);
});

test("kubectl's defaults let tunnels and tokens through", async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url);
  const tunnels = [
    '/api/v1/namespaces/demo/pods/web/portforward',
    '/api/v1/namespaces/demo/services/web/proxy/',
    '/api/v1/namespaces/demo/serviceaccounts/default/token',
  ];

  for (const path of tunnels) await send(ambassador, 'POST', path);

  expect(upstream.seen).toEqual(tunnels.map((path) => `POST ${path}`));
});
