/** What jenkins-x' annotations mean for an Ingress: pure, without a server. */
import type { Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { type Config, configOf } from '../exposecontroller/config.ts';
import { exposureOf } from '../exposecontroller/exposure.ts';
import { planIngress } from '../exposecontroller/ingress-plan.ts';
import { isAsWanted, mergedIngress } from '../exposecontroller/merged-ingress.ts';
import { isToBeExposed } from '../exposecontroller/service-wish.ts';

function config(values: Record<string, unknown> = {}): Config {
  const parsed = configOf({ domain: 'example.org', ...values });
  return 'problem' in parsed ? expect.unreachable(parsed.problem) : parsed;
}

function service(
  annotations: Record<string, string> = {},
  { name = 'web', ports = [{ port: 80 }, { port: 9090 }], ...spec }: Record<string, unknown> = {},
): Service {
  const metadata = { name, namespace: 'ns', uid: `uid-${name}`, annotations };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports, ...spec } } as Service;
}

function planOf(annotations: Record<string, string>, values: Record<string, unknown> = {}) {
  const { plan } = planIngress(service(annotations), config(values));
  return plan ?? expect.unreachable('refused');
}

test.each([
  [{}, {}, 'http://web.ns.example.org'],
  [{ 'fabric8.io/ingress.name': 'shop' }, {}, 'http://shop.ns.example.org'],
  [{ 'fabric8.io/host.name': 'www' }, {}, 'http://www.ns.example.org'],
  [{ 'fabric8.io/use.internal.domain': 'true' }, { 'internal-domain': 'in' }, 'http://web.ns.in'],
  [{ 'fabric8.io/path.mode': 'path' }, {}, 'http://example.org/ns/web/'],
  [{ 'fabric8.io/ingress.path': '/api' }, { 'path-mode': 'path' }, 'http://example.org/ns/web/api'],
  [{ 'api.service.kubernetes.io/path': '/v1' }, {}, 'http://web.ns.example.org/v1'],
  [{}, { 'tls-acme': 'true' }, 'https://web.ns.example.org'],
  [{ 'jenkins-x.io/skip.tls': 'true' }, { 'tls-acme': true }, 'http://web.ns.example.org'],
  [{}, { urltemplate: '{{.Service}}-{{.Namespace}}.{{.Domain}}' }, 'http://web-ns.example.org'],
])('with the annotations %j and the settings %j, the URL is %s', (annotations, values, url) => {
  expect(planOf(annotations, values).url).toBe(url);
});

test('the requested port is used if the Service has it, and otherwise its first port', () => {
  expect(planOf({ 'fabric8.io/exposePort': '9090' }).port).toBe(9090);
  expect(planOf({ 'fabric8.io/exposePort': '1234' }).port).toBe(80);
  expect(planOf({ 'fabric8.io/exposePort': 'many' }).port).toBe(80);
});

test('the Ingress gets the lines of ingress.annotations, the class and TLS', () => {
  const values = {
    'tls-secret-name': 'wild',
    'tls-use-wildcard': 'true',
    'ingress-class': 'nginx',
  };
  const plan = planOf({ 'fabric8.io/ingress.annotations': 'a.b/c: d: e\n\nf: g' }, values);

  expect(plan.tls).toEqual({ hosts: ['*.example.org'], secretName: 'wild' });
  expect(plan.annotations).toEqual({
    'kubernetes.io/ingress.class': 'nginx',
    'a.b/c': 'd: e',
    f: 'g',
  });
});

test.each([
  ['a Service without a port', {}, { ports: [] }],
  ['a line without a colon', { 'fabric8.io/ingress.annotations': 'nonsense' }, {}],
  [
    'code for an ingress controller',
    { 'fabric8.io/ingress.annotations': 'nginx.ingress.kubernetes.io/server-snippet: x' },
    {},
  ],
  ['an invalid path', { 'fabric8.io/ingress.path': '/a {' }, {}],
  ['a path of 1 KB', { 'fabric8.io/ingress.path': `/${'a'.repeat(1_000)}` }, {}],
  ['an invalid API path', { 'api.service.kubernetes.io/path': '/v1?{}' }, {}],
  ['an invalid name', { 'fabric8.io/ingress.name': '../x' }, {}],
  ['an invalid host', { 'fabric8.io/host.name': 'a_b/' }, {}],
  ['a Service of type ExternalName', {}, { type: 'ExternalName' }],
  ['a domain that is not configured', { 'fabric8.io/use.internal.domain': 'true' }, {}],
])('C2-6: %s is refused with a reason, and causes no crash', (_, annotations, spec) => {
  expect(planIngress(service(annotations, spec), config())).toEqual({
    refusal: expect.any(String),
  });
});

test('of two Services with the same path, the older Service gets it, and different paths can be used together', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => service({}, { name }));
  if (a === undefined || b === undefined || c === undefined) return expect.unreachable();
  const contributions = [
    { service: c, plan: planOf({ 'fabric8.io/ingress.path': '/c' }) },
    { service: b, plan: planOf({}) },
    { service: a, plan: planOf({}) },
  ];

  const merged = mergedIngress('ns', 'web', contributions);

  const paths = merged.spec?.rules?.[0]?.http?.paths ?? [];
  expect(paths.map(({ path, backend }) => [path, backend.service?.name])).toEqual([
    ['/', 'a'],
    ['/c', 'c'],
  ]);
  expect(merged.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  expect(
    exposureOf(service({ 'fabric8.io/ingress.name': 'web' }, { name: 'b' }), config(), {
      ingress: merged,
      nodeIp: undefined,
    })?.problem?.reason,
  ).toBe('PathTaken');
});

test('C2-4: changed TLS, class or annotations count as a difference, and additions by other writers do not', () => {
  const contribution = { service: service(), plan: planOf({}) };
  const live = mergedIngress('ns', 'web', [contribution]);
  const others = {
    ...live,
    metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, other: 'x' } },
  };
  const next = (values: Record<string, unknown>) =>
    mergedIngress('ns', 'web', [{ ...contribution, plan: planOf({}, values) }]);

  expect(isAsWanted(others, live)).toBe(true);
  expect(isAsWanted(live, next({ 'tls-secret-name': 's' }))).toBe(false);
  expect(isAsWanted(live, next({ 'ingress-class': 'nginx' }))).toBe(false);
  expect(isAsWanted(next({ 'ingress-class': 'nginx' }), live)).toBe(false);
});

test.each([
  ['NodePort', { ports: [{ port: 80 }] }, { type: 'NodePort' }],
  ['NodePort', { ports: [{ port: 80, nodePort: 3 }] }, { url: 'http://192.0.2.7:3' }],
  [
    'NodePort',
    { ports: [{ name: 'https', port: 1, nodePort: 3 }] },
    { url: 'https://192.0.2.7:3' },
  ],
  ['NodePort', { ports: [{ port: 80 }, { port: 81 }] }, { problem: { reason: 'OnePortOnly' } }],
  ['NodePort', { ports: [] }, { problem: { reason: 'OnePortOnly' } }],
  ['LoadBalancer', { ports: [{ port: 80 }] }, { type: 'LoadBalancer' }],
  ['LoadBalancer', { loadBalancerIP: '192.0.2.9' }, { url: 'http://192.0.2.9' }],
  ['LoadBalancer', { loadBalancerIP: 'a b' }, { problem: { reason: 'NoAddress' } }],
  ['LoadBalancer', { ports: [] }, { problem: { reason: 'NoPort' } }],
  ['NodePort', { type: 'ExternalName' }, { problem: { reason: 'NotExposable' } }],
])('C2-6: the exposer %s turns a Service with %j into %j', (exposer, spec, expected) => {
  const around = { ingress: undefined, nodeIp: '192.0.2.7' };

  expect(exposureOf(service({}, spec), config({ exposer }), around)).toMatchObject(expected);
});

test('the exposer NodePort reports a problem if there is no node address', () => {
  const around = { ingress: undefined, nodeIp: undefined };
  const single = service({}, { ports: [{ port: 80 }] });

  expect(exposureOf(single, config({ exposer: 'NodePort' }), around)).toMatchObject({
    problem: { reason: 'NoNodeAddress' },
  });
});

test('a Service opts in by a label or one of two annotations, and must be in the list of Services if there is a list', () => {
  const labelled = { ...service(), metadata: { name: 'web', labels: { expose: 'true' } } };

  expect(isToBeExposed(labelled, config())).toBe(true);
  expect(isToBeExposed(service({ 'fabric8.io/expose': 'true' }), config())).toBe(true);
  expect(isToBeExposed(service({ 'fabric8.io/inject': 'true' }), config())).toBe(true);
  expect(isToBeExposed(service({ 'fabric8.io/expose': 'false' }), config())).toBe(false);
  expect(isToBeExposed(labelled, config({ services: ['other'] }))).toBe(false);
});

test.each(['Route', 'Ambassador', 'anything'])('the unknown exposer %s is reported', (exposer) => {
  expect(configOf({ exposer })).toEqual({ problem: expect.any(String) });
});
