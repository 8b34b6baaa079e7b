/** Where jenkins-x/exposecontroller fails, against an API server. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  annotate,
  configure,
  createIngress,
  createService,
  ingress,
  live,
  NETWORKING,
  pathsOf,
  problemOf,
  start,
  urlOf,
} from './support/jenkins-x.ts';

test('C2-1, C2-2, C2-3: Services that share an Ingress can be added, changed and removed one by one', async () => {
  const place = await start({ domain: 'example.org' });
  const shared = { 'fabric8.io/ingress.name': 'shop' };
  await createService(place, 'a', { ...shared, 'fabric8.io/ingress.path': '/a' });
  await createService(place, 'b', { ...shared, 'fabric8.io/ingress.path': '/b' });
  await eventually(async () => (await pathsOf(place, 'shop')).join() === '/a,/b');
  const { uid } = (await ingress(place, 'shop'))?.metadata ?? {};

  await annotate(place, 'a', { 'fabric8.io/ingress.path': '/new' });
  await eventually(async () => (await pathsOf(place, 'shop')).join() === '/new,/b');
  await place.env.delete('v1', 'Service', place.namespace, 'a');
  await eventually(async () => (await pathsOf(place, 'shop')).join() === '/b');
  expect((await ingress(place, 'shop'))?.metadata.uid).toBe(uid);

  await place.operator.stop();
  await annotate(place, 'b', { 'fabric8.io/ingress.name': 'other' });
  place.startOperator();
  await eventually(async () => (await ingress(place, 'shop')) === undefined);
  await eventually(async () => (await pathsOf(place, 'other')).join() === '/b');
});

test('C2-5: a foreign Ingress is not changed, and is reported until it is gone', async () => {
  const place = await start({ domain: 'example.org' });
  const foreign = await createIngress(place, 'web');
  await createService(place, 'web');

  expect(await problemOf(place, 'web')).toMatch(/^ErrResourceExists/);
  expect(await ingress(place, 'web')).toEqual(foreign);
  expect(await urlOf(place, 'web')).toBeUndefined();
  await eventually(async () => (await place.events('ErrResourceExists')).length === 1);

  await place.env.delete(NETWORKING, 'Ingress', place.namespace, 'web');
  await eventually(() => urlOf(place, 'web'));

  await createService(place, 'odd', { 'fabric8.io/ingress.annotations': 'a/b/c: d' });
  await eventually(async () => (await place.events('IngressRejected')).length === 1);
});

test("C2-10: the exposers NodePort and LoadBalancer set the Service's type, and restore it afterwards", async () => {
  const place = await start({ exposer: 'NodePort' });
  await createService(place, 'web', { 'fabric8.io/exposeHostNameAs': 'host' });
  expect(await problemOf(place, 'web')).toMatch(/^NoNodeAddress/);
  expect((await live(place, 'web'))?.spec?.type).toBe('ClusterIP');
  await place.env.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'only' } });
  const addresses = [{ type: 'InternalIP', address: '192.0.2.7' }];
  await place.env.patch('v1', 'Node', undefined, 'only', { status: { addresses } }, 'status');
  await configure(place, { exposer: 'NodePort', apiserver: 'any change' });

  const url = await eventually(() => urlOf(place, 'web'));
  const opened = await live(place, 'web');
  expect(url).toBe(`http://192.0.2.7:${opened?.spec?.ports?.[0]?.nodePort}`);
  expect(opened?.metadata.annotations?.host).toBe(new URL(url).host);

  await configure(place, { exposer: 'LoadBalancer' });
  await eventually(async () => (await live(place, 'web'))?.spec?.type === 'LoadBalancer');
  const status = { loadBalancer: { ingress: [{ hostname: 'lb.example.org' }] } };
  await place.env.patch('v1', 'Service', place.namespace, 'web', { status }, 'status');
  await eventually(async () => (await urlOf(place, 'web')) === 'http://lb.example.org');

  const labels = { expose: null };
  await place.env.patch('v1', 'Service', place.namespace, 'web', { metadata: { labels } });
  await eventually(async () => (await live(place, 'web'))?.spec?.type === 'ClusterIP');
  const after = await live(place, 'web');
  expect(after?.spec?.ports?.[0]?.nodePort).toBeUndefined();
  expect(Object.keys(after?.metadata.annotations ?? {})).toEqual(['fabric8.io/exposeHostNameAs']);
});
