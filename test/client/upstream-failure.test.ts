/** What `kubectl proxy` says when it gets no answer from the API server, and what a person reads. */
import { expect, test } from 'vitest';
import { responseFailure, upstreamFailure } from '../../operator/client/response-failure.ts';

const AUTHORITY =
  'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "kubernetes")';
const TURNED_AWAY =
  'http2: Transport: cannot retry err [stream error: stream ID 3; REFUSED_STREAM] after Request.Body was written; define Request.GetBody to avoid this error';

test.each([
  ['dial tcp [::1]:8080: connect: connection refused', 'no-credentials', /token and ca\.crt/],
  ['dial tcp 127.0.0.1:8080: connect: connection refused', 'no-credentials', /no credentials/],
  ['dial tcp 10.0.0.1:443: connect: connection refused', 'unreachable', /NetworkPolicy/],
  ['dial tcp 10.0.0.1:443: i/o timeout', 'unreachable', /is the API server up/],
  ['dial tcp: lookup kubernetes.default.svc: no such host', 'unreachable', /is the API server up/],
  ['net/http: TLS handshake timeout', 'silent', /takes connections .* and does not answer/],
  [AUTHORITY, 'certificate', /ca\.crt .* restart the container/],
  ['x509: certificate signed by unknown authority', 'certificate', /ca\.crt/],
  ['x509: certificate has expired or is not yet valid', 'certificate', /dates, and at the clock/],
  ['remote error: tls: bad certificate', 'certificate', /a certificate does not pass/],
])('the failure "%s" is classified as %s, and the error contains a remedy', (text, upstream, remedy) => {
  const error = upstreamFailure(500, `${text}\n`);

  expect(error).toMatchObject({ code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador' });
  expect(error).toMatchObject({ fate: 'not-sent', context: { status: 500, upstream } });
  expect(error.message).toContain(text.slice(0, 60));
  expect(error.message).toMatch(remedy);
});

test.each([
  [TURNED_AWAY, 'turned-away', 'not-sent'],
  ['EOF', 'broken', 'unknown'],
  ['http2: client connection lost', 'broken', 'unknown'],
  ['failed calling webhook: dial tcp 10.0.0.9:443: connect: refused', 'broken', 'unknown'],
])('the failure "%s" is classified as %s, and the error contains no remedy', (text, upstream, fate) => {
  const error = upstreamFailure(500, text);

  expect(error).toMatchObject({ fate, context: { upstream } });
  expect(error.message).toBe(`the ambassador did not get an answer from the API server: ${text}`);
});

test('an answer 502 that reports a refused connection is not attributed to the ambassador', () => {
  const error = upstreamFailure(502, 'dial tcp 10.0.0.1:443: connect: connection refused');

  expect(error).toMatchObject({ fate: 'unknown', context: { status: 502, upstream: 'broken' } });
});

test('the error for a 401 says whose token was refused, and the error for a 403 of the filter contains the remedy', () => {
  const unauthorized =
    '{"kind":"Status","code":401,"reason":"Unauthorized","message":"Unauthorized"}';

  const [refused, filtered] = [
    responseFailure(
      { status: 401, headers: { 'content-type': 'application/json' }, text: unauthorized },
      0,
    ),
    responseFailure({ status: 403, headers: { 'content-type': 'text/plain' }, text: '' }, 0),
  ];

  expect(refused).toMatchObject({ code: 'API_STATUS', layer: 'api-server', status: 401 });
  expect(refused.message).toMatch(/^401 Unauthorized: Unauthorized \(.*the ambassador’s token/);
  expect(filtered).toMatchObject({ code: 'AMBASSADOR_FORBIDDEN', layer: 'ambassador' });
  expect(filtered.message).toContain('open the path in --accept-paths');
});
