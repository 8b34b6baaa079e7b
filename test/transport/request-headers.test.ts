import { expect, test } from 'vitest';
import { requestHeaders } from '../../operator/transport/request-headers.ts';

const fixed = { userAgent: 'x/1', host: undefined };

test.each([
  'Authorization',
  'Proxy-Authorization',
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
])('proxy 29: %s is not the caller’s to set, in any case', (name) => {
  for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
    expect(() => requestHeaders({ [spelled]: 'x' }, fixed)).toThrow(
      expect.objectContaining({ code: 'CONFIG', context: { header: spelled } }),
    );
  }
});

test('P-8 others are sent as they are', () => {
  const headers = requestHeaders({ accept: 'application/json', traceparent: '00-1' }, fixed);

  expect(headers).toEqual({
    accept: 'application/json',
    traceparent: '00-1',
    'user-agent': 'x/1',
    'accept-encoding': 'identity',
  });
});

test('P-2 a Host is sent where the one of the origin would be refused', () => {
  const headers = requestHeaders({}, { ...fixed, host: 'localhost' });

  expect(headers).toMatchObject({ host: 'localhost' });
});
