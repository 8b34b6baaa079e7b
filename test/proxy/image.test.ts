/** Dockerfile.proxy: its entry point on a real kubectl. test/images/ has the image itself. */
import { expect, test } from 'vitest';
import {
  AMBASSADOR_ENVIRONMENT,
  AMBASSADOR_FLAGS,
} from '../../operator/access/filter/ambassador-image.ts';
import { REJECT_PATHS } from '../../operator/access/filter/proxy-filter.ts';
import { entryPoint, environment } from './support/image.ts';
import { split } from './support/requests.ts';

test('[security 4] [security 18] the proxy image sets every flag that decides about access, and no credential', () => {
  const [program, command, ...flags] = entryPoint();

  expect([program, command]).toEqual(['/kubectl', 'proxy']);
  expect(Object.fromEntries(flags.map((flag) => split(flag.replace('=', ' '))))).toEqual({
    '--address': '127.0.0.1',
    '--port': '8001',
    '--unix-socket': '',
    '--api-prefix': '/',
    '--append-server-path': 'false',
    '--www': '',
    '--disable-filter': 'false',
    '--accept-hosts': '^127[.]0[.]0[.]1$,^localhost$',
    '--accept-paths': '',
    '--reject-paths': REJECT_PATHS.join(','),
    '--reject-methods': '^(CONNECT|HEAD|OPTIONS|TRACE)$',
    '--v': '0',
  });
});

test('[security 25] [I-5] a Deployment with another image sets the same flags and variables', () => {
  const filter = ['--accept-paths', '--reject-paths', '--reject-methods'];
  const fixed = entryPoint()
    .slice(2)
    .filter((flag) => !filter.includes(flag.split('=', 1)[0] ?? ''));

  expect([...AMBASSADOR_FLAGS].toSorted()).toEqual(fixed.toSorted());
  expect(AMBASSADOR_ENVIRONMENT).toEqual(environment());
});

test('[security 23] the proxy image reads no configuration and no HTTP proxy from its environment', () => {
  expect(environment()).toEqual({
    HOME: '/nonexistent',
    KUBERC: 'off',
    NO_PROXY: '*',
    HTTP2_READ_IDLE_TIMEOUT_SECONDS: '10',
    HTTP2_PING_TIMEOUT_SECONDS: '5',
  });
});
