import { expect, test } from 'vitest';
import { parseApiUrl } from '../../operator/transport/api-url.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';

test.each([
  ['http://127.0.0.1:8001', { origin: 'http://127.0.0.1:8001' }],
  ['http://127.0.0.1:8001/', { origin: 'http://127.0.0.1:8001' }],
  ['http://localhost:8001', { origin: 'http://localhost:8001' }],
  ['unix:/run/chancery/proxy.sock', { socketPath: '/run/chancery/proxy.sock' }],
  ['unix:///run/chancery/proxy.sock', { socketPath: '/run/chancery/proxy.sock' }],
])('%s is a valid address', (url, expected) => {
  expect(parseApiUrl(url)).toMatchObject(expected);
});

test('[P-2] an IPv6 loopback address is requested as localhost, because kubectl proxy refuses its brackets', () => {
  const address = parseApiUrl('http://[::1]:8001');

  expect(address).toEqual({
    origin: 'http://[::1]:8001',
    socketPath: undefined,
    host: 'localhost',
  });
});

test.each([
  'https://127.0.0.1:6443',
  'http://127.0.0.1:8001/base',
  'http://127.0.0.1:8001/?x=1',
  'http://127.0.0.1:8001/#x',
  'ws://127.0.0.1:8001',
  '127.0.0.1:8001',
  '',
  'unix:',
  'unix:relative.sock',
  'unix://host/run.sock',
  'unix:@abstract',
  'unix:/run/',
])('the address %j is refused, and the error contains the expected format', (url) => {
  expect(() => undiciTransport(url)).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      context: { expected: 'http://HOST:PORT or unix:/PATH', got: url },
    }),
  );
});

test('credentials in an address are refused and not repeated', () => {
  expect(() => parseApiUrl('http://admin:hunter2@127.0.0.1:8001')).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      context: expect.objectContaining({ got: 'http://***@127.0.0.1:8001' }),
    }),
  );
});

test.each([
  { maxInFlight: 0 },
  { callDeadlineMs: 0 },
  { leaseDeadlineMs: 0 },
  { maxInFlight: Number.NaN },
])('a transport with the limit %o is refused', (options) => {
  expect(() => undiciTransport('http://127.0.0.1:8001', options)).toThrow(
    expect.objectContaining({ code: 'CONFIG' }),
  );
});
