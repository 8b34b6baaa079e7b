import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RequestHeaders } from '../../operator/transport/transport.ts';
import { requestHeaders } from '../../operator/transport/undici-transport.ts';

const fixed = { userAgent: 'x/1', host: undefined };

test.each([
  'Authorization',
  'Proxy-Authorization',
  'Proxy-Connection',
  'X-Remote-Group',
  'X-Remote-Extra-Scopes',
  'X-Forwarded-Host',
  'Impersonate-Uid',
  'Cookie',
  'Impersonate-User',
  'Impersonate-Group',
  'Impersonate-Extra-scopes',
  'X-Forwarded-For',
  'X-Remote-User',
  'X-Real-Ip',
  'Forwarded',
  'Host',
  'Connection',
  'Upgrade',
  'Content-Length',
  'Transfer-Encoding',
  'Accept-Encoding',
  'User-Agent',
])('proxy 29: the caller may not set the header %s, in upper or lower case', (name) => {
  for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
    expect(() => requestHeaders({ [spelled]: 'x' }, fixed)).toThrow(
      expect.objectContaining({ code: 'CONFIG', context: { header: spelled } }),
    );
  }
});

test('[P-8] headers that the caller may set are sent unchanged', () => {
  const headers = requestHeaders({ accept: 'application/json', traceparent: '00-1' }, fixed);

  expect(headers).toEqual({
    accept: 'application/json',
    traceparent: '00-1',
    'user-agent': 'x/1',
    'accept-encoding': 'identity',
  });
});

test('[P-2] the caller may replace the default Host header, which the server would refuse', () => {
  const headers = requestHeaders({}, { ...fixed, host: 'localhost' });

  expect(headers).toMatchObject({ host: 'localhost' });
});

const REFUSED_NAMES = fc.oneof(
  fc.constantFrom('authorization', 'cookie'),
  fc
    .tuple(
      fc.constantFrom('impersonate-', 'x-remote-', 'x-forwarded-', 'proxy-'),
      fc.stringMatching(/^[a-z-]{1,12}$/),
    )
    .map(([prefix, rest]) => prefix + rest),
);

test('[security 9] proxy 29: no spelling and no space lets a credential header through', () => {
  const capitals = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });
  const blank = fc.constantFrom('', ' ', '\t', '\0', '\r\n', '\u00a0');

  fc.assert(
    fc.property(REFUSED_NAMES, capitals, blank, blank, (name, upper, before, after) => {
      const spelled = [...name].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter));
      const headers = { [before + spelled.join('') + after]: 'x' };

      expect(() => requestHeaders(headers, fixed)).toThrow(
        expect.objectContaining({ code: 'CONFIG' }),
      );
    }),
  );
});

test('the type of request headers contains no credential header', () => {
  const accepted: RequestHeaders = { accept: 'application/json', 'content-type': 'text/plain' };
  const refused: RequestHeaders[] = [
    // @ts-expect-error -- would replace the token that the ambassador adds
    { authorization: 'Bearer x' },
    // @ts-expect-error -- the same, as people write it
    { Authorization: 'Bearer x' },
    // @ts-expect-error -- another user
    { 'Impersonate-User': 'admin' },
    // @ts-expect-error -- another group
    { 'impersonate-group': 'system:masters' },
    // @ts-expect-error -- who an authenticating proxy says somebody is
    { 'X-Remote-User': 'admin' },
    // @ts-expect-error -- where the audit log says that it came from
    { 'x-forwarded-for': '9.9.9.9' },
    // @ts-expect-error -- credentials of another kind
    { cookie: 'a=b' },
    // @ts-expect-error -- for the proxy
    { 'Proxy-Authorization': 'Basic x' },
  ];

  for (const headers of refused) expect(() => requestHeaders(headers, fixed)).toThrow();
  expect(requestHeaders(accepted, fixed)).toMatchObject(accepted);
});
