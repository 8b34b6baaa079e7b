/** The generated filter of config-restart, on a real `kubectl proxy`. */
import { expect, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyFilter } from '../../operator/generate/proxy-filter.ts';
import { startAmbassador } from './support/ambassador.ts';
import { DECLARED, HOSTILE, split } from './support/requests.ts';
import { isTidied, REFUSED, send } from './support/send.ts';
import { startUpstream } from './support/upstream.ts';

const filter = proxyFilter([configRestart], { namespaces: ['demo'] });

test('lets through what is declared, as it was sent', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url, filter);

  for (const line of DECLARED) await send(ambassador, ...split(line));

  expect(upstream.seen).toEqual(DECLARED);
});

test('every accept pattern has a sample among what is declared', () => {
  const paths = DECLARED.map((line) => split(line)[1].split('?')[0] ?? '');

  const unused = filter.acceptPaths.filter(
    (pattern) => !paths.some((path) => new RegExp(pattern).test(path)),
  );
  expect(unused).toEqual([]);
});

test('refuses every hostile request before it reaches the API server', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url, filter);

  const answers = new Map<string, unknown>();
  for (const line of HOSTILE) {
    const answer = await send(ambassador, ...split(line));
    answers.set(line, isTidied(line, answer) ? REFUSED : answer);
  }

  expect(answers).toEqual(new Map(HOSTILE.map((line) => [line, REFUSED])));
  expect(upstream.seen).toEqual([]);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(35);
});

test('without a filter every hostile request does reach the API server', async () => {
  const upstream = await startUpstream();
  const open = { acceptPaths: ['.*', '^$'], rejectPaths: ['^$x'], rejectMethods: ['^$x'] };
  const ambassador = await startAmbassador(upstream.url, open);

  const forwarded: string[] = [];
  for (const line of HOSTILE) {
    if (!isTidied(line, await send(ambassador, ...split(line)))) forwarded.push(line);
  }

  expect(upstream.seen).toEqual(forwarded);
  expect(forwarded.length).toBeGreaterThanOrEqual(35);
});

test('dots and double slashes that are not encoded are answered with a redirect', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url, filter);

  const answers = [
    await send(ambassador, 'GET', '/api/v1/namespaces/demo/configmaps/../secrets'),
    await send(ambassador, 'POST', '/api/v1/namespaces/demo//pods'),
    await send(ambassador, 'GET', '/api/v1/namespaces/demo/configmaps/.'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([301, 301, 301]);
  expect(upstream.seen).toEqual([]);
});
