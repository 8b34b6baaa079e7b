/** From annotations to an Ingress: pure, without a server. */
import type { Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { exposedUrl } from '../annotation/exposed-url.ts';
import { wantedIngress } from '../annotation/wanted-ingress.ts';

const PORTS = [
  { name: 'dns', protocol: 'UDP', port: 53 },
  { name: 'http', port: 8080 },
  { name: 'admin', port: 9090 },
] as const;

function service(annotations: Record<string, string>, spec: Service['spec'] = { ports: PORTS }) {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', annotations }, spec };
}

function ingressOf(annotations: Record<string, string>) {
  const ingress = wantedIngress(service({ expose: '/', ...annotations }))?.ingress;
  return ingress ?? expect.unreachable('refused');
}

const firstPath = (annotations: Record<string, string>) =>
  ingressOf(annotations).spec?.rules?.[0]?.http?.paths[0];

test('a Service without the annotation needs no Ingress', () => {
  expect(wantedIngress(service({ 'expose.host': 'example.org' }))).toBeUndefined();
});

test.each([
  ['/', '/'],
  ['/mdn', '/mdn'],
  ['/a/b.c~d_e-f%20g@h:i+j/', '/a/b.c~d_e-f%20g@h:i+j/'],
])('the path %s is used unchanged', (expose, path) => {
  expect(firstPath({ expose })).toMatchObject({ path, pathType: 'Prefix' });
});

test.each([
  '',
  'true',
  'shop',
  '//',
  '/a/../b',
  '/a/.',
  '/a%2fb',
  '/a;b',
  '/a{b}',
  '/a\nb',
])('the path %j is refused', (expose) => {
  expect(wantedIngress(service({ expose }))).toEqual({ refusal: expect.any(String) });
});

test('a path of more than 1,000 characters is refused, and the message shortens it', () => {
  const { refusal = '' } = wantedIngress(service({ expose: `/${'a'.repeat(1_000)}` })) ?? {};

  expect(refusal).toMatch(/^annotation expose must be a path .{0,120}$/);
});

test('EX4: a value that could change a document it is pasted into is refused, and quoted in messages', () => {
  const wanted = wantedIngress(service({ expose: '/a","pathType":"Exact' }));

  expect(wanted?.ingress).toBeUndefined();
  expect(wanted?.refusal).toContain(String.raw`not "/a\",\"pathType\":\"Exact"`);
});

test('EX5: the first TCP port is the default, and a number or name chooses another port', () => {
  expect(firstPath({})?.backend.service?.port).toEqual({ number: 8080 });
  expect(firstPath({ 'expose.port': '9090' })?.backend.service?.port).toEqual({ number: 9090 });
  expect(firstPath({ 'expose.port': 'admin' })?.backend.service?.port).toEqual({ number: 9090 });
});

test('EX5: there are annotations for host, TLS, class and path type', () => {
  const ingress = ingressOf({
    'expose.host': 'shop.example.org',
    'expose.tlsSecret': 'shop-tls',
    'expose.ingressClass': 'nginx',
    'expose.pathType': 'Exact',
  });

  expect(ingress.spec).toMatchObject({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['shop.example.org'], secretName: 'shop-tls' }],
    rules: [{ host: 'shop.example.org', http: { paths: [{ path: '/', pathType: 'Exact' }] } }],
  });
});

test.each([
  ['no port', {}, { ports: [] }],
  ['no TCP port', {}, { ports: PORTS.slice(0, 1) }],
  ['type ExternalName', {}, { type: 'ExternalName', externalName: 'example.org', ports: PORTS }],
  ['a port that it does not have', { 'expose.port': '53' }, { ports: PORTS }],
  ['an invalid host', { 'expose.host': 'a b' }, { ports: PORTS }],
  ['an unknown path type', { 'expose.pathType': 'Regex' }, { ports: PORTS }],
  ['an invalid class name', { 'expose.ingressClass': 'Nginx!' }, { ports: PORTS }],
  ['a Secret in another namespace', { 'expose.tlsSecret': 'other/tls' }, { ports: PORTS }],
] as const)('EX5: a Service with %s is refused, with a reason', (_, annotations, spec) => {
  const wanted = wantedIngress(service({ expose: '/', ...annotations }, spec));

  expect(wanted).toEqual({ refusal: expect.any(String) });
});

test('EX6: a path with spaces and an asterisk is refused, and the message quotes it unchanged', () => {
  const wanted = wantedIngress(service({ expose: '/a  *' }));

  expect(wanted?.refusal).toContain('"/a  *"');
});

test.each([
  [{ 'expose.host': 'a.example.org', expose: '/x' }, [], 'http://a.example.org/x'],
  [{ 'expose.host': 'a.example.org', 'expose.tlsSecret': 's' }, [], 'https://a.example.org/'],
  [{}, [{ ip: '192.0.2.1' }], 'http://192.0.2.1/'],
  [{}, [{ ip: '2001:db8::1' }], 'http://[2001:db8::1]/'],
  [{}, [{ hostname: 'lb.example.org' }], 'http://lb.example.org/'],
  [{}, [], undefined],
  [{ 'expose.host': '*.example.org' }, [{ ip: '192.0.2.1' }], undefined],
])('the address for %j with %j is %s', (annotations, addresses, url) => {
  const status = { loadBalancer: { ingress: addresses } };

  expect(exposedUrl(ingressOf(annotations), { status })).toBe(url);
});
