/** What is decided without a cluster. */
import { ConfigurationError } from 'chancery';
import type { coreV1, Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { changed } from '../address.ts';
import { clientDeployment } from '../client-deployment.ts';
import { isManaged } from '../managed.ts';
import { isPublisher } from '../publisher.ts';
import { DEFAULT_SETTINGS, provisionerFrom, settingsFrom } from '../settings.ts';
import type { Tunnel } from '../tunnel.ts';
import { service } from './place.ts';

const entry = (ip: string) => ({ ip });
const change = (
  entries: readonly coreV1.LoadBalancerIngress[],
  add: string | undefined,
  remove: string[],
) => changed(entries, ({ ip }) => ip, { add, remove }, entry);

test.each([
  ['a new address is added beside others', [entry('a')], 'b', [], [entry('a'), entry('b')]],
  ['an address is not added twice', [entry('b'), entry('b')], 'b', ['b'], [entry('b')]],
  [
    'the previous address is removed',
    [entry('a'), entry('c')],
    'b',
    ['a'],
    [entry('c'), entry('b')],
  ],
  [
    'other writers may repeat an address',
    [entry('a'), entry('a')],
    'b',
    [],
    [entry('a'), entry('a'), entry('b')],
  ],
  ['host names stay', [{ hostname: 'h' }], undefined, ['a'], [{ hostname: 'h' }]],
])('when the addresses of a Service change, %s', (_, entries, add, remove, wanted) => {
  expect(change(entries, add, remove)).toEqual(wanted);
});

const annotated = (annotations: object): Service => service('s', {}, { annotations });

test.each([
  [annotated({}), {}, true],
  [annotated({}), { annotatedOnly: true }, false],
  [annotated({ 'operator.inlets.dev/manage': '1' }), { annotatedOnly: true }, true],
  [annotated({ 'operator.inlets.dev/manage': '0' }), {}, false],
  [annotated({ 'dev.inlets.manage': 'false' }), {}, false],
  [annotated({ 'operator.inlets.dev/manage': 'yes' }), {}, 'unreadable'],
  [service('s', { type: 'ClusterIP' }), {}, false],
  [service('s', { loadBalancerClass: 'x/y' }), { loadBalancerClass: 'x/y' }, true],
  [service('s'), { classless: false }, false],
])('case %#: annotations, type, class and settings decide whether a Service needs a Tunnel', (given, settings, wanted) => {
  expect(isManaged(given, { ...DEFAULT_SETTINGS, ...settings })).toBe(wanted);
});

const tunnel = (name: string, createdAt: string, fields: object = {}): Tunnel => ({
  apiVersion: 'operator.inlets.dev/v1alpha1',
  kind: 'Tunnel',
  metadata: { name, uid: name, namespace: 'demo', creationTimestamp: createdAt, ...fields },
  spec: { serviceRef: { name: 's' }, updateServiceIP: true },
});

test('the Tunnel that was created for a Service sets the address of the Service; without such a Tunnel, the oldest Tunnel does', () => {
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'Service', name: 's', uid: 's', controller: true },
  ];
  const old = tunnel('old', '2026-01-01T00:00:00Z');
  const young = tunnel('young', '2026-02-01T00:00:00Z');
  const generated = tunnel('generated', '2026-03-01T00:00:00Z', { ownerReferences });
  const [reference] = ownerReferences;
  const knative = { ...reference, apiVersion: 'serving.knative.dev/v1' }; // another kind of Service
  const younger = tunnel('younger', '2026-02-02T00:00:00Z', { ownerReferences: [knative] });

  const publishers = (all: readonly Tunnel[]) =>
    all.filter((each) => isPublisher(each, all)).map(({ metadata }) => metadata.name);

  expect(publishers([young, old])).toEqual(['old']);
  expect(publishers([younger, young])).toEqual(['young']);
  expect(publishers([young, generated, old])).toEqual(['generated']);
});

test('the longest names result in valid labels, and an IPv6 address in a readable URL', () => {
  const long = tunnel(`${'s'.repeat(63)}-tunnel`, '2026-01-01T00:00:00Z');
  const facts = { hostIP: '2001:db8::1', ports: [80, 443], tokenSecret: 't' };

  const { metadata, spec } = clientDeployment(long, facts, DEFAULT_SETTINGS);

  const label = spec?.selector.matchLabels?.['app.kubernetes.io/name'];
  expect(label).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  expect(label?.length).toBeLessThanOrEqual(63);
  expect(metadata.name).toHaveLength(77);
  expect(spec?.template.spec?.containers[0]?.args?.[2]).toBe(
    '--url=wss://[2001:db8::1]:8123/connect',
  );
});

test('settings come from the environment, and the error for an invalid setting contains its name', () => {
  const environment = { TUNNEL_ANNOTATED_ONLY: 'true', TUNNEL_CLIENT_IMAGE: ' own:1 ' };

  expect(settingsFrom({})).toEqual(DEFAULT_SETTINGS);
  expect(settingsFrom(environment)).toMatchObject({ annotatedOnly: true, clientImage: 'own:1' });
  expect(() => settingsFrom({ TUNNEL_CLASSLESS: 'no' })).toThrow(ConfigurationError);
  expect(() => settingsFrom({ TUNNEL_MAX_CLIENT_MEMORY: '1 GB' })).toThrow(
    'TUNNEL_MAX_CLIENT_MEMORY must be an amount, not 1 GB',
  );
});

test.each([
  [{ TUNNEL_PROVISIONER: 'aws' }, 'TUNNEL_PROVISIONER must be fake, exec or webhook'],
  [{ TUNNEL_PROVISIONER: 'exec' }, 'TUNNEL_PROVISIONER_COMMAND'],
  [{ TUNNEL_PROVISIONER: 'exec', TUNNEL_PROVISIONER_COMMAND: '["a", 1]' }, 'must be a path'],
  [
    { TUNNEL_PROVISIONER: 'webhook', TUNNEL_PROVISIONER_URL: 'file:///x' },
    'TUNNEL_PROVISIONER_URL',
  ],
])('case %#: an invalid provisioner is refused', (environment, message) => {
  expect(() => provisionerFrom(environment)).toThrow(message);
});

test.each([
  {},
  { TUNNEL_PROVISIONER: 'exec', TUNNEL_PROVISIONER_COMMAND: '/usr/local/bin/provision' },
  { TUNNEL_PROVISIONER: 'exec', TUNNEL_PROVISIONER_COMMAND: '["provision", "--fast"]' },
  { TUNNEL_PROVISIONER: 'webhook', TUNNEL_PROVISIONER_URL: 'https://provision.example/' },
])('case %#: the environment chooses the provisioner', (environment) => {
  expect(provisionerFrom(environment)).toMatchObject({ create: expect.any(Function) });
});
