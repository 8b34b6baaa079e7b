import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  type GateConfigOptions,
  gateConfig,
  readGateConfig,
} from '../../../operator/generate/gate/gate-config.ts';

const NAMES = { path: '/validate/names.websites.example.com', timeoutSeconds: 7 };
const CONVERT = { path: '/convert', timeoutSeconds: 30 };

/** The locations that pass to the operator, with their time limits. */
function passed(options: GateConfigOptions): readonly (readonly string[])[] {
  const location =
    /location = (\S+) \{[^}]*proxy_read_timeout (\d+)s;[^}]*proxy_pass http:\/\/operator;/g;
  return [...gateConfig(options).matchAll(location)].map(([, path = '', limit = '']) => [
    path,
    limit,
  ]);
}

test("the gate's configuration accepts exactly the declared paths, each with its time limit", () => {
  expect(passed({ paths: [NAMES, CONVERT] })).toEqual([
    ['/convert', '30'],
    ['/validate/names.websites.example.com', '7'],
  ]);
});

test("the order of the declarations does not change the gate's configuration", () => {
  expect(gateConfig({ paths: [CONVERT, NAMES] })).toBe(gateConfig({ paths: [NAMES, CONVERT] }));
});

test("a request line may have only the API server's query, and a dot in a path is escaped", () => {
  const [, expression = ''] =
    /"~(\^POST [^"]*)" review;/.exec(gateConfig({ paths: [NAMES] })) ?? [];
  const passes = new RegExp(expression.replace('\\z', '$'));

  expect(passes.test(`POST ${NAMES.path} HTTP/1.1`)).toBe(true);
  expect(passes.test(`POST ${NAMES.path}?timeout=7s HTTP/1.1`)).toBe(true);
  expect(passes.test(`POST ${NAMES.path}?timeout=7s&x HTTP/1.1`)).toBe(false);
  expect(passes.test(`POST ${NAMES.path.replace('.', 'x')} HTTP/1.1`)).toBe(false);
  expect(passes.test(`POST ${NAMES.path} HTTP/1.0`)).toBe(false);
});

test("every location in the gate's configuration is a declared path, or returns a fixed response", () => {
  const text = gateConfig({ paths: [NAMES, CONVERT] });

  const locations = [...text.matchAll(/location (?:= )?(\S+) \{([^}]*)\}/g)];
  const neither = locations.filter(([, , block = '']) => !/^\s*return \d+ "/.test(block));
  expect(neither.map(([, path]) => path)).toEqual([CONVERT.path, NAMES.path]);
});

test("by default the gate listens on IPv4 and IPv6, and uses the operator's default address", () => {
  const text = gateConfig({ paths: [NAMES] });

  expect(text).toContain('listen [::]:9443 ssl ipv6only=off;\n');
  expect(text).toContain('server 127.0.0.1:9440;\n');
});

test("the operator's socket and the gate's addresses can be set", () => {
  const text = gateConfig({
    paths: [],
    operator: 'unix:/run/operator/reviews.sock',
    listen: ['10.1.2.3:9443', '127.0.0.1:9443'],
  });

  expect(text).toContain('server unix:/run/operator/reviews.sock;\n');
  expect(text.match(/listen .*/g)).toEqual([
    'listen 10.1.2.3:9443 ssl;',
    'listen 127.0.0.1:9443 ssl;',
  ]);
});

test.each([
  '',
  'convert',
  '/',
  '/convert/',
  '/a//b',
  '/a/../b',
  '/a/.b',
  '/a%2fb',
  '/a b',
  '/a?b',
  '/a#b',
  '/a;b',
  '/a{1,2}',
  '/a"b',
  '/a$request',
  '/a\n',
  '/ä',
  '/healthz',
])("a path such as %j is refused in the gate's configuration", (path) => {
  expect(() => gateConfig({ paths: [{ path, timeoutSeconds: 10 }] })).toThrow(
    /^the gate cannot pass /,
  );
});

test.each([
  0,
  31,
  1.5,
  Number.NaN,
  -1,
])("a time limit of %d s is refused in the gate's configuration", (timeoutSeconds) => {
  expect(() => gateConfig({ paths: [{ path: '/convert', timeoutSeconds }] })).toThrow(
    'not 1 to 30 seconds',
  );
});

test('two webhooks with the same path are refused', () => {
  expect(() => gateConfig({ paths: [NAMES, CONVERT, NAMES] })).toThrow(
    `two webhooks have the path ${NAMES.path}`,
  );
});

test.each([
  '10.0.0.1:9440',
  'example.com:80',
  '127.0.0.1',
  '127.0.0.1:0',
  'unix:relative',
  'unix:/a b;',
])("an operator address %s is refused, because others could read the gate's traffic", (operator) => {
  expect(() => gateConfig({ paths: [NAMES], operator })).toThrow(
    `the gate cannot pass reviews to ${operator}`,
  );
});

test.each([
  [[]],
  [['9443']],
  [['localhost:9443']],
  [['[::]:9443; x']],
])('a listen address %j of the gate is refused', (listen) => {
  expect(() => gateConfig({ paths: [NAMES], listen })).toThrow('the gate cannot listen on');
});

test('readGateConfig returns the options from which a configuration was generated', () => {
  const options = { paths: [CONVERT, NAMES], operator: 'unix:/a/b.sock', listen: ['10.0.0.1:443'] };

  expect(readGateConfig(gateConfig(options))).toEqual(options);
});

test('readGateConfig returns the options for metrics separately from the paths of webhooks', () => {
  const options = {
    ...{ paths: [NAMES], operator: '127.0.0.1:9440', listen: ['[::]:9443'] },
    metrics: { operator: '127.0.0.1:9090', listen: ['10.0.0.1:9445', '[::1]:9445'] },
  };

  expect(readGateConfig(gateConfig(options))).toEqual(options);
});

test('by default metrics are passed from 127.0.0.1:8080 to port 9444, and only if they are enabled', () => {
  const [plain, guarded] = [undefined, {}].map((metrics) =>
    gateConfig({ paths: [NAMES], ...(metrics && { metrics }) }),
  );

  expect(readGateConfig(guarded ?? '')?.metrics).toEqual({
    operator: '127.0.0.1:8080',
    listen: ['[::]:9444'],
  });
  expect(guarded?.match(/ssl_verify_client on;/g)).toHaveLength(1);
  expect(plain).not.toMatch(/metrics|ssl_verify_client/);
});

test.each([
  '10.0.0.1:8080',
  '0.0.0.0:8080',
  'unix:/run/metrics.sock',
  '127.0.0.1:8080/status',
])('metrics from %s are refused, because others could read the traffic', (operator) => {
  expect(() => gateConfig({ paths: [], metrics: { operator } })).toThrow(
    `the gate cannot pass scrapes to ${operator}`,
  );
});

test('metrics without a listen address are refused', () => {
  expect(() => gateConfig({ paths: [], metrics: { listen: [] } })).toThrow('such as [::]:9444');
});

test.each([
  ['no certificates', 'ssl_verify_client on', 'ssl_verify_client optional'],
  ['other certificate authorities', '/metrics-clients/ca.crt', '/tls/ca.crt'],
  ['another path', '(?:GET|HEAD) /metrics', '(?:GET|HEAD) /[a-z]+'],
])('a configuration is not recognised as generated if its metrics server has %s', (_what, from, to) => {
  const text = gateConfig({ paths: [NAMES], metrics: {} });

  expect(text).toContain(from);
  expect(readGateConfig(text.replaceAll(from, to))).toBeUndefined();
});

test.each([
  ['another time limit for bodies', 'client_body_timeout 5s', 'client_body_timeout 5h'],
  ['a location for everything', 'return 404', 'proxy_pass http://operator; return 404'],
  ['another address of the operator', '127.0.0.1:9440', '10.0.0.1:9440'],
  ['another probe', '/healthz', '/health'],
])('a configuration with %s is not recognised as generated', (_what, from, to) => {
  const text = gateConfig({ paths: [NAMES] });

  expect(text).toContain(from);
  expect(readGateConfig(text.replaceAll(from, to))).toBeUndefined();
});

test("the configuration in the gate's image is the one that is generated without paths", async () => {
  const text = await readFile(new URL('../../../gate/gate.conf', import.meta.url), 'utf8');

  expect(text).toBe(gateConfig({ paths: [] }));
});
