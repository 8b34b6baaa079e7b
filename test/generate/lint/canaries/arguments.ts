/** Overlays that give arguments, variables or addresses that are not allowed. */
import { plain, socket } from '../good.ts';
import { type Canary, OPERATOR, PROXY, withVariable } from './canary.ts';

const ARG = `${PROXY}.args[3]`;

export const ARGUMENTS: readonly Canary[] = [
  ...[
    '--token=abc',
    '--kubeconfig=/k',
    '--server=https://10.0.0.1',
    '--as=admin',
    '--insecure-skip-tls-verify',
    '-s=https://10.0.0.1',
  ].map((arg) => ({
    rule: 'no-credential-flags',
    does: `passes ${arg} to kubectl`,
    at: ARG,
    broken: () => plain().push('proxy.args', arg),
  })),
  {
    rule: 'no-credential-flags',
    does: 'passes --token and its value as two arguments',
    at: ARG,
    broken: () => plain().push('proxy.args', '--token').push('proxy.args', 'abc'),
  },
  {
    rule: 'no-secret-in-arguments',
    does: 'passes a password as an argument',
    at: `${OPERATOR}.args[1]`,
    broken: () =>
      withVariable('operator', {
        name: 'PASSWORD',
        valueFrom: { secretKeyRef: { name: 's', key: 'k' } },
      }).push('operator.args', '--password=$(PASSWORD)'),
  },
  ...['KUBERC', 'KUBECONFIG', 'HOME', 'DISABLE_HTTP2', 'KUBERNETES_SERVICE_HOST'].map((name) => ({
    rule: 'proxy-environment',
    does: `sets ${name} for the ambassador`,
    at: `${PROXY}.env[${name}]`,
    broken: () => withVariable('proxy', { name, value: 'on' }),
  })),
  {
    rule: 'proxy-environment',
    does: 'sets variables of the ambassador by envFrom',
    at: `${PROXY}.envFrom[0]`,
    broken: () => plain().push('proxy.envFrom', { configMapRef: { name: 'proxies' } }),
  },
  {
    rule: 'proxy-environment',
    does: 'sets HTTPS_PROXY for the ambassador',
    at: `${PROXY}.env[HTTPS_PROXY]`,
    level: 'warning',
    broken: () => withVariable('proxy', { name: 'HTTPS_PROXY', value: 'http://proxy' }),
  },
  {
    rule: 'proxy-environment',
    does: 'sets NO_PROXY to less than every address',
    at: `${PROXY}.env[NO_PROXY]`,
    level: 'warning',
    broken: () => plain().set('proxy.env.2.value', '.cluster.local'),
  },
  {
    rule: 'operator-environment',
    does: 'gives the operator a kubeconfig',
    at: `${OPERATOR}.env[KUBECONFIG]`,
    broken: () => withVariable('operator', { name: 'KUBECONFIG', value: '/k' }),
  },
  {
    rule: 'entry-point',
    does: 'replaces the entry point of the image',
    at: `${PROXY}.command`,
    broken: () => plain().set('proxy.command', ['/kubectl', 'proxy']),
    also: ['proxy-environment'],
  },
  {
    rule: 'entry-point',
    does: 'passes the arguments of a plain kubectl image to our own',
    at: `${PROXY}.args[0]`,
    broken: () => plain().set('proxy.args', ['proxy', ...(plain().get('proxy.args') as string[])]),
  },
  ...['--disable-filters=true', 'serve', '--www-dir=/x', '-x', '---port=1'].map((arg) => ({
    rule: 'known-arguments',
    does: `passes ${arg} to kubectl`,
    at: ARG,
    broken: () => plain().push('proxy.args', arg),
  })),
  ...[
    '--address=0.0.0.0',
    '--address=',
    '--api-prefix=/api',
    '--append-server-path=true',
    '--disable-filter=true',
    '--disable-filter',
    '-w/var/run',
  ].map((arg) => ({
    rule: 'fixed-flags',
    does: `passes ${arg} to kubectl`,
    at: ARG,
    broken: () => plain().push('proxy.args', arg),
  })),
  {
    rule: 'fixed-flags',
    does: 'passes --www=/var/run to kubectl [security 18]',
    at: ARG,
    broken: () => plain().push('proxy.args', '--www=/var/run'),
  },
  ...['.*', '^127[.]0[.]0[.]1$,', '^localhost', '^127.0.0.1$', ''].map((hosts) => ({
    rule: 'accept-hosts',
    does: `accepts the hosts ${JSON.stringify(hosts)}`,
    at: ARG,
    broken: () => plain().push('proxy.args', `--accept-hosts=${hosts}`),
  })),
  {
    rule: 'proxy-log-level',
    does: 'makes kubectl log every path',
    at: ARG,
    level: 'warning',
    broken: () => plain().push('proxy.args', '-v=6'),
  },
  {
    rule: 'operator-url',
    does: 'gives the operator the address of another server',
    at: `${OPERATOR}.env[CHANCERY_API_URL]`,
    broken: () => withVariable('operator', { name: 'CHANCERY_API_URL', value: 'http://10.0.0.1' }),
  },
  {
    rule: 'operator-url',
    does: 'makes the ambassador listen on another port than the operator uses',
    at: `${OPERATOR}.env[CHANCERY_API_URL]`,
    broken: () => plain().push('proxy.args', '--port=9001'),
    also: ['proxy-probes'],
  },
  {
    rule: 'operator-url',
    does: 'gives the operator a port although the ambassador has a socket',
    at: `${OPERATOR}.env[CHANCERY_API_URL]`,
    broken: () => socket().remove('operator.env.1.value'),
  },
];
