/** What ConfigMaps are told of a Service: pure, without a server. */
import type { ConfigMap, Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { type Config, configOf } from '../exposecontroller/config.ts';
import { injectedData, servicesNamedBy } from '../exposecontroller/injected-data.ts';

const OWN = 'expose.config.fabric8.io';
const OTHER = 'service-key.config.fabric8.io/web';
const URL = 'http://web.ns.example.org/v1';

function configMap(annotations: Record<string, string>, data?: ConfigMap['data'], name = 'web') {
  const metadata = { name, namespace: 'ns', annotations };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(data && { data }) };
}

function injected(configMap: ConfigMap, annotations: Record<string, string> = {}) {
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'ns', annotations },
    spec: { clusterIP: '10.96.0.9', ports: [{ port: 80, targetPort: 8080 }] },
  };
  const config = configOf({ apiserver: 'api:6443', 'console-url': 'http://console' }) as Config;
  return injectedData(configMap, service, URL, config);
}

test.each([
  ['url-key', URL],
  ['host-key', 'web.ns.example.org'],
  ['path-key', '/v1'],
  ['url-protocol', 'http'],
  ['clusterip-key', '10.96.0.9'],
  ['clusterip-port-key', '10.96.0.9:8080'],
  ['apiserver-key', 'api:6443'],
  ['apiserver-url-key', 'https://api:6443'],
  ['apiserver-protocol-key', 'https'],
  ['console-url-key', 'http://console'],
])('C2-6: the key in the annotation %s gets %s, even in a ConfigMap without data', (name, value) => {
  expect(injected(configMap({ [`${OWN}/${name}`]: 'k' }))).toEqual({ k: value });
});

test('C2-7: settings of one ConfigMap do not affect the next ConfigMap', () => {
  const noProtocol = configMap({ [`expose-no-protocol.${OTHER}`]: 'k' }, {}, 'second');
  const plain = configMap({ [`expose.${OTHER}`]: 'k' }, {}, 'third');

  expect(injected(noProtocol)).toEqual({ k: 'web.ns.example.org/v1' });
  expect(injected(plain)).toEqual({ k: URL });
});

test.each([
  ['expose', URL],
  ['expose-full', `${URL}/`],
  ['expose-no-path', 'http://web.ns.example.org/'],
  ['expose-no-protocol', 'web.ns.example.org/v1'],
  ['expose-full-no-protocol', 'web.ns.example.org/v1/'],
])('%s writes its value to several keys at once', (prefix, value) => {
  const other = configMap({ [`${prefix}.${OTHER}`]: 'a,b' }, {}, 'other');

  expect(injected(other)).toEqual({ a: value, b: value });
});

test.each([
  'clusterip-port-if-empty-key',
  'clusterip-port-key-if-empty-key',
])('C2-8: the annotation %s, in both spellings, fills only empty values', (name) => {
  const annotations = { [`${OWN}/${name}`]: 'k' };

  expect(injected(configMap(annotations))).toEqual({ k: '10.96.0.9:8080' });
  expect(injected(configMap(annotations, { k: 'mine' }))).toEqual({});
});

const EDITS = '- {key: app.ini, prefix: "URL = ", expression: url, suffix: ";"}';

test('C2-11: lines of a file in a ConfigMap are replaced, and replacing them again changes nothing', () => {
  const annotations = { [`${OWN}/config-yaml`]: EDITS };
  const before = 'a\nURL = old\nb\n';

  const once = injected(configMap(annotations, { 'app.ini': before }));
  const twice = injected(configMap(annotations, once));

  expect(once).toEqual({ 'app.ini': `a\nURL = ${URL};\nb\n` });
  expect(twice).toEqual(once);
});

test('C2-6: a missing file in a ConfigMap is not created', () => {
  expect(injected(configMap({ [`${OWN}/config-yaml`]: EDITS }))).toEqual({});
});

test("the annotation `config-yaml` may be on the Service, as in the original operator's code", () => {
  const file = configMap({}, { 'app.ini': 'URL = old' });

  expect(injected(file, { [`${OWN}/config-yaml`]: EDITS })).toEqual({ 'app.ini': `URL = ${URL};` });
  expect(injected(file, { [`${OWN}/config-yaml`]: 'nonsense: [' })).toEqual({});
});

test('if two Services claim the same key, it belongs to the Service whose name is first', () => {
  const before = 'expose.service-key.config.fabric8.io/shop';
  const both = configMap({ [`expose.${OTHER}`]: 'a,b', [before]: 'b' }, {}, 'other');

  expect(injected(both)).toEqual({ a: URL });
});

test('a ConfigMap belongs to the Service with the same name, and to the Services in its annotations', () => {
  const both = configMap({ 'expose.service-key.config.fabric8.io/shop': 'k', other: 'x' });

  expect(servicesNamedBy(both)).toEqual(['web', 'shop']);
});

test('a ConfigMap with another name and without an annotation for the Service is not changed', () => {
  expect(injected(configMap({ [`${OWN}/url-key`]: 'k' }, {}, 'other'))).toEqual({});
});
