import { describe, expect, test } from 'vitest';
import { parseRetryAfter, responseFailure } from '../../operator/client/response-failure.ts';
import { isUnserved } from '../../operator/model/not-found.ts';
import { isAdmissionDenied } from '../../operator/model/refusal.ts';
import { recording } from '../support/recorded-stream.ts';

const text = { 'content-type': 'text/plain; charset=utf-8' };
const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const status = (code: number, reason: string, more: object = {}): string =>
  JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message: 'no', ...more });

describe('the layer to which a failure is attributed', () => {
  test.each([
    // the API server
    ['a conflict', 409, json, status(409, 'Conflict'), { code: 'API_STATUS', status: 409 }],
    ['RBAC', 403, json, status(403, 'Forbidden'), { code: 'API_STATUS', reason: 'Forbidden' }],
    [
      'a Status with 500',
      500,
      json,
      status(500, 'InternalError'),
      { code: 'API_STATUS', status: 500 },
    ],
    [
      'a failure with status 200',
      200,
      json,
      status(410, 'Expired'),
      { code: 'API_STATUS', status: 410 },
    ],
    ['a Status without code', 404, json, '{"kind":"Status"}', { code: 'API_STATUS', status: 404 }],
    [
      'media type parameters',
      409,
      { 'content-type': 'Application/JSON;as=x' },
      status(409, 'Conflict'),
      { status: 409 },
    ],
    [
      'an unserved path',
      404,
      text,
      '404 page not found\n',
      { code: 'API_STATUS', reason: 'NotFound' },
    ],
    [
      'load shedding, in plain text',
      429,
      text,
      'Too many requests, please try again later.\n',
      { code: 'API_STATUS', status: 429, reason: 'TooManyRequests' },
    ],
    ['load shedding, in HTML', 429, html, '<html>', { code: 'API_STATUS', status: 429 }],
    [
      'an unavailable API, in plain text',
      503,
      text,
      'service unavailable\n',
      { code: 'API_STATUS', status: 503, reason: 'ServiceUnavailable' },
    ],
    // the ambassador
    [
      'its filter',
      403,
      text,
      'Forbidden\n',
      { code: 'AMBASSADOR_FORBIDDEN', layer: 'ambassador', fate: 'not-sent' },
    ],
    ['its upstream', 500, text, 'EOF\n', { code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador' }],
    [
      'a load balancer',
      502,
      html,
      '<html>Bad Gateway',
      { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' },
    ],
    [
      'an HTML page of a gateway',
      503,
      html,
      '<html>',
      { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' },
    ],
    [
      'a gateway timeout',
      504,
      text,
      'dial tcp 1.2.3.4:443: i/o timeout',
      { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' },
    ],
    [
      'JSON that is not a Status, with 500',
      500,
      json,
      '{"error":"x"}',
      { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' },
    ],
    [
      'a truncated Status',
      500,
      json,
      '{"kind":"Status","mess',
      { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' },
    ],
    // nobody we know
    ['a redirect', 301, html, '', { code: 'NOT_KUBERNETES', layer: 'protocol' }],
    ['a login page', 200, html, '<html>', { code: 'NOT_KUBERNETES' }],
    ['text with status 200', 200, text, 'ok', { code: 'NOT_KUBERNETES' }],
    ['no content type', 200, {}, '{}', { code: 'NOT_KUBERNETES' }],
    ['an HTML page with 403', 403, html, '<html>', { code: 'NOT_KUBERNETES' }],
    ['an HTML page with 404', 404, html, '<html>', { code: 'NOT_KUBERNETES' }],
    ['Go’s own 400', 400, text, '400 Bad Request', { code: 'NOT_KUBERNETES' }],
    ['JSON that is not a Status, with 400', 400, json, '{"error":"x"}', { code: 'NOT_KUBERNETES' }],
  ])('[P-11] the failure is attributed correctly: %s (%i)', (_, httpStatus, headers, body, expected) => {
    const error = responseFailure({ status: httpStatus, headers, text: body }, 0);

    expect(error).toMatchObject(expected);
  });

  test('[P-11] a pretty-printed Status is recognised', () => {
    const body = JSON.stringify(JSON.parse(status(409, 'Conflict')), null, 2);

    const error = responseFailure({ status: 409, headers: json, text: body }, 0);

    expect(error).toMatchObject({ status: 409, reason: 'Conflict' });
  });

  test('[P-11] every recorded failure is attributed to the layer that sent it', () => {
    const failures = ['errors', 'server-restart', 'crd', 'list-paging']
      .flatMap((name) => recording(name))
      .map(({ response }) => response)
      .filter((response) => response.status >= 300 && response.body !== undefined);

    const found = failures.map(({ status: httpStatus, headers, body = '' }) => ({
      body,
      httpStatus,
      error: responseFailure({ status: httpStatus, headers, text: body }, 0),
    }));

    expect(found.length).toBeGreaterThan(40);
    for (const { body, httpStatus, error } of found) {
      if (body === 'Forbidden\n') expect(error).toMatchObject({ code: 'AMBASSADOR_FORBIDDEN' });
      else if (httpStatus === 500 && !body.startsWith('{'))
        expect(error).toMatchObject({ code: 'AMBASSADOR_UPSTREAM' });
      else expect(error).toMatchObject({ code: 'API_STATUS', status: httpStatus });
    }
  });
});

describe('whether a request reached the API server, if kubectl proxy could not answer it', () => {
  test.each([
    ['dial tcp 127.0.0.1:6443: connect: connection refused', 'not-sent'],
    ['dial tcp 10.96.0.1:443: i/o timeout', 'not-sent'],
    ['dial tcp: lookup kubernetes.default on 10.0.0.10:53: no such host', 'not-sent'],
    ['proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused', 'not-sent'],
    ['net/http: TLS handshake timeout', 'not-sent'],
    [
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      'not-sent',
    ],
    ['x509: certificate has expired or is not yet valid', 'not-sent'],
    ['remote error: tls: bad certificate', 'not-sent'],
    [
      'http2: Transport: cannot retry err [http2: Transport received Server’s graceful shutdown GOAWAY] after Request.Body was written; define Request.GetBody to avoid this error',
      'not-sent',
    ],
    [
      'http2: Transport: cannot retry err [stream error: stream ID 5; REFUSED_STREAM] after Request.Body was written; define Request.GetBody to avoid this error',
      'not-sent',
    ],
    ["http2: Transport received Server's graceful shutdown GOAWAY", 'not-sent'],
    ['net/http: cannot rewind body after connection loss', 'not-sent'],
    [
      'http2: Transport: cannot retry err [stream error: stream ID 5; PROTOCOL_ERROR; received from peer] after Request.Body was written; define Request.GetBody to avoid this error',
      'unknown',
    ],
    ['EOF', 'unknown'],
    ['unexpected EOF', 'unknown'],
    ['read tcp 127.0.0.1:53772->127.0.0.1:6443: read: connection reset by peer', 'unknown'],
    ['write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe', 'unknown'],
    ['http2: client connection lost', 'unknown'],
    [
      'http2: server sent GOAWAY and closed the connection; LastStreamID=7, ErrCode=NO_ERROR',
      'unknown',
    ],
    ['context canceled', 'unknown'],
    // An API server that reports somebody else's refused connection has seen the request.
    [
      'Internal Server Error: failed calling webhook: dial tcp 10.1.1.1:443: connect: refused',
      'unknown',
    ],
    ['', 'unknown'],
  ])('[P-12] after the proxy\'s error "%s", the field `fate` of the error is %s', (message, fate) => {
    const error = responseFailure({ status: 500, headers: text, text: `${message}\n` }, 0);

    expect(error).toMatchObject({ code: 'AMBASSADOR_UPSTREAM', fate });
    expect(error.message).toContain(message.slice(0, 100));
  });

  test('[P-11] the message of a failure quotes one short line without control characters', () => {
    const body = `EOF \u001b[31m${'x'.repeat(1_000)}\nsecond line`;

    const { message } = responseFailure({ status: 500, headers: text, text: body }, 0);

    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/\p{Cc}|second/u);
  });
});

test('[P-19] a refusal by the filter of kubectl proxy is distinguished from one by RBAC', () => {
  const filter = responseFailure({ status: 403, headers: text, text: 'Forbidden\n' }, 0);
  const rbac = responseFailure({ status: 403, headers: json, text: status(403, 'Forbidden') }, 0);

  expect(filter).toMatchObject({
    code: 'AMBASSADOR_FORBIDDEN',
    layer: 'ambassador',
    fate: 'not-sent',
    message: expect.stringContaining('kubectl proxy refused the request'),
  });
  expect(rbac).toMatchObject({ code: 'API_STATUS', layer: 'api-server', status: 403 });
});

test('the error for a refusal by the filter contains the request (without its query) and the remedy', () => {
  const asked = { method: 'PATCH', path: '/api/v1/namespaces/a/secrets/b?fieldManager=x' };

  const failure = responseFailure({ status: 403, headers: text, text: 'Forbidden\n', asked }, 0);

  expect(failure).toMatchObject({
    layer: 'ambassador',
    context: { status: 403, method: 'PATCH', path: '/api/v1/namespaces/a/secrets/b' },
  });
  expect(failure.message).toMatch(/refused PATCH \/api\/v1\/namespaces\/a\/secrets\/b: /);
  expect(failure.message).toMatch(/Declare it in the controller .*chancery generate proxy/);
});

describe('the error for the status 401', () => {
  const failed = (message: string) =>
    responseFailure(
      { status: 401, headers: json, text: status(401, 'Unauthorized', { message }) },
      0,
    );

  test.each([
    "services \"shop\" is forbidden: ValidatingAdmissionPolicy 'badges' with binding 'all' denied request: no badge",
    'admission webhook "badges.example.com" denied the request: no badge',
  ])('[real R-1] the error for a 401 of admission says that the token was accepted: %s', (message) => {
    const error = failed(message);

    expect(error.message).toContain(message);
    expect(error.message).toMatch(/token was accepted: a policy or a webhook .* denied/);
    expect(error.message).not.toMatch(/does not accept|expired/);
    expect(isAdmissionDenied(error)).toBe(true);
  });

  test.each([
    'Unauthorized',
    "a token for ValidatingAdmissionPolicy 'x' denied request: y",
  ])('[real R-1] the error for a 401 of authentication says that the token is not accepted: %s', (message) => {
    expect(failed(message).message).toMatch(/does not accept the ambassador’s token/);
  });
});

describe('the error for a path that is not served', () => {
  test('[P-11] an unserved path is distinguished from a missing object', () => {
    const unserved = responseFailure(
      { status: 404, headers: text, text: '404 page not found\n' },
      0,
    );
    const absent = responseFailure(
      { status: 404, headers: json, text: status(404, 'NotFound', { details: { name: 'a' } }) },
      0,
    );

    expect([isUnserved(unserved), isUnserved(absent)]).toEqual([true, false]);
  });
});

describe('the delay in Retry-After', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0);

  test.each([
    ['7', 7_000],
    [' 7 ', 7_000],
    ['0', undefined],
    ['-1', undefined],
    ['-2050', undefined],
    ['2050', 2_050_000],
    ['2100-01-01', undefined],
    ['Sat, 32 Nov 2026 12:00:30 GMT', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:59:30 GMT', undefined],
  ])('[P-14] the Retry-After %j means %j ms', (value, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected);
  });

  test.each([
    ['the header alone', { 'retry-after': '5' }, {}, 5_000],
    ['the body alone', {}, { details: { retryAfterSeconds: 3 } }, 3_000],
    ['the larger of both', { 'retry-after': '2' }, { details: { retryAfterSeconds: 3 } }, 3_000],
    ['neither', {}, {}, undefined],
  ])('[P-14] the delay before a retry is taken from %s', (_, headers, more, expected) => {
    const answer = {
      status: 429,
      headers: { ...json, ...headers },
      text: status(429, 'TooManyRequests', more),
    };

    expect(responseFailure(answer, nowMs)).toMatchObject({ retryAfterMs: expected });
  });

  test.each([
    429, 503,
  ])('[P-14] Retry-After is also used for a %i with a plain-text body', (httpStatus) => {
    const headers = { ...text, 'retry-after': '1' };

    const error = responseFailure({ status: httpStatus, headers, text: 'later' }, nowMs);

    expect(error).toMatchObject({ retryAfterMs: 1_000 });
  });
});
