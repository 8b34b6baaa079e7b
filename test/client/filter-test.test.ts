/** Who answered the requests that the ambassador must refuse: by its answers alone. */

import { FakeClock } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { filterOpen, testFences, testFilter } from '../../operator/client/filter-test.ts';
import { AmbassadorError, UnsafeSetupError } from '../../operator/core/errors.ts';
import { type CannedAnswer, cannedTransport } from './canned-transport.ts';

const REFUSED: CannedAnswer = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'Forbidden\n',
};
const status = (code: number, reason: string): CannedAnswer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason },
});
const text = (code: number, body: string, headers = {}): CannedAnswer => ({
  status: code,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body,
});
const VERSION: CannedAnswer = { body: { gitVersion: 'v1.36.2' } };

const UNDECLARED = 'GET /chancery-self-test';
const REJECTED = 'OPTIONS /version';

/** An ambassador that refuses, but for what is given. */
function ambassador(answers: Readonly<Record<string, CannedAnswer | Error>>) {
  return cannedTransport(({ method, path }) => {
    const answer = answers[`${method} ${path}`] ?? REFUSED;
    if (answer instanceof Error) throw answer;
    return answer;
  });
}

const options = { clock: new FakeClock(), signal: new AbortController().signal };

test('if the filter refuses both test requests, the state is `closed`', async () => {
  const transport = ambassador({ 'GET /version': VERSION });

  expect(await testFences(transport, options)).toEqual({ state: 'closed' });
  expect(await testFilter(transport, options)).toEqual({ state: 'closed' });
  expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    ...[UNDECLARED, REJECTED],
    ...[UNDECLARED, REJECTED],
    'GET /version',
    'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  ]);
});

test('if the filter also refuses required requests, the state is `shut`', async () => {
  expect(await testFilter(ambassador({}), options)).toEqual({ state: 'shut' });
});

test.each([
  ['/version', { 'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews': VERSION }],
  ['reviews', { 'GET /version': VERSION }],
  [
    '/version and has no answer about reviews',
    {
      'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews': text(500, 'dial tcp: refused'),
    },
  ],
])('if the filter refuses only %s, the state is not `shut`', async (_, answers) => {
  expect(await testFilter(ambassador(answers), options)).toEqual({ state: 'closed' });
});

describe('how to recognise that a test request reached the API server', () => {
  test.each([
    ['a Status: forbidden', status(403, 'Forbidden')],
    ['a Status: unknown token', status(401, 'Unauthorized')],
    ['a Status: not found', status(404, 'NotFound')],
    ['a Status: it failed', status(500, 'InternalError')],
    ['JSON', { body: { paths: [] } }],
    ['any answer with a number in its audit log', text(404, 'no', { 'audit-id': '1' })],
    ['a plain-text refusal with such a number', text(403, 'no', { 'audit-id': '1' })],
  ])('a request that reached the API server is recognised by %s', async (_, answer) => {
    const paths = await testFences(ambassador({ [UNDECLARED]: answer }), options);
    const methods = await testFences(ambassador({ [REJECTED]: answer }), options);
    const both = { [UNDECLARED]: answer, [REJECTED]: answer };

    expect(paths).toEqual({ state: 'open', missing: ['--accept-paths'] });
    expect(methods).toEqual({ state: 'open', missing: ['--reject-methods'] });
    expect(await testFilter(ambassador(both), options)).toEqual({
      state: 'open',
      missing: ['--accept-paths', '--reject-methods'],
    });
  });

  test('a plain-text 404 shows that a request reached the API server, if /version is served', async () => {
    const absent = text(404, '404 page not found\n');

    const served = ambassador({ [UNDECLARED]: absent, 'GET /version': VERSION });
    const outside = ambassador({ [UNDECLARED]: absent, 'GET /version': absent });

    expect(await testFences(served, options)).toEqual({
      state: 'open',
      missing: ['--accept-paths'],
    });
    expect(await testFences(outside, options)).toEqual({
      state: 'undecided',
      why: '/chancery-self-test is not served',
    });
  });

  test('the state is `open` if one test request reached the API server and the other request failed', async () => {
    const transport = ambassador({
      [UNDECLARED]: text(500, 'dial tcp: refused'),
      [REJECTED]: status(405, 'MethodNotAllowed'),
    });

    expect(await testFences(transport, options)).toMatchObject({ state: 'open' });
  });
});

test.each([
  ['AMBASSADOR_UPSTREAM', text(500, 'dial tcp 10.0.0.1:443: connect: connection refused')],
  ['the API server answers 429', text(429, 'Too many requests, please try again later.')],
  ['the API server answers 503', status(503, 'ServiceUnavailable')],
  ['NOT_KUBERNETES', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ['NOT_KUBERNETES', { status: 301, headers: { location: '/' }, body: '' }],
  [
    'AMBASSADOR_UNREACHABLE',
    new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' }),
  ],
  [
    'AMBASSADOR_TIMEOUT',
    new AmbassadorError('no answer', { code: 'AMBASSADOR_TIMEOUT', fate: 'unknown' }),
  ],
])('the state is `undecided` because of %s: %j', async (why, answer) => {
  for (const asked of [UNDECLARED, REJECTED]) {
    expect(await testFilter(ambassador({ [asked]: answer }), options)).toEqual({
      state: 'undecided',
      why,
    });
  }
});

test('the reason of an abort, and an unexpected error, are thrown unchanged', async () => {
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  const aborted = testFilter(ambassador({}), { ...options, signal: stop.signal });
  const broken = testFilter(ambassador({ [REJECTED]: new TypeError('a bug') }), options);

  await expect(aborted).rejects.toThrow('stopped');
  await expect(broken).rejects.toThrow('a bug');
});

test('the error for an open filter says which flag is missing, and what the likely cause is', () => {
  const error = filterOpen(['--accept-paths']);

  expect(error).toBeInstanceOf(UnsafeSetupError);
  expect(error).toMatchObject({ code: 'FILTER_OPEN', layer: 'ambassador' });
  expect(error.message).toContain('GET /chancery-self-test');
  expect(error.message).toContain('a comma at the end is enough');
  expect(error.message).toContain('chancery generate proxy');
  expect(error.message).not.toContain('--reject-methods');
});
