/** What the original does wrong with Services, by the numbers of the README. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { service, startTunnels, tunnelOf } from './place.ts';

test('IN3: a Service lists its address once beside foreign addresses, and later loses only this address', async () => {
  const place = await startTunnels({ settings: { externalIPs: true }, stopped: true });
  const ips = ['203.0.113.1', '198.51.100.7', '203.0.113.1']; // as the original leaves it behind
  await place.apply([service('nginx-1', { externalIPs: ips })]);
  const status = { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } };
  await place.env.patch('v1', 'Service', place.namespace, 'nginx-1', { status }, 'status');

  place.startOperator();
  await place.ready();
  const during = await place.addresses();
  const external = (await place.service())?.spec?.externalIPs;
  await place.manage('false');
  await eventually(async () => (await place.tunnel()) === undefined);

  expect(during).toEqual(['203.0.113.1', '198.51.100.7']);
  expect(external).toEqual(['203.0.113.1', '198.51.100.7']);
  expect(await place.addresses()).toEqual(['198.51.100.7']);
  expect((await place.service())?.spec?.externalIPs).toEqual(['198.51.100.7']);
});

test('IN5: a Tunnel may have the same name as another Service, which is not affected', async () => {
  const place = await startTunnels();

  await place.apply([service('a', { type: 'ClusterIP' }), service('b')]);
  await place.apply([tunnelOf('a', { serviceRef: { name: 'b' } })]);
  const { uid } = (await place.ready('a')).metadata;
  await place.ready('b-tunnel');
  for (const name of ['a', 'b']) {
    const metadata = { annotations: { touched: 'yes' } };
    await place.env.patch('v1', 'Service', place.namespace, name, { metadata });
  }
  await place.passes(2); // a change of Service b is about two Tunnels, one of Service a about none

  expect((await place.tunnel('a'))?.metadata).toMatchObject({ uid });
  expect((await place.tunnel('a'))?.metadata.deletionTimestamp).toBeUndefined();
  expect(await place.tunnel('a-tunnel')).toBeUndefined();
  expect(await place.addresses('b')).toEqual([(await place.tunnel('b-tunnel'))?.status?.hostIP]);
});

test('IN6: a Service that is no longer of type LoadBalancer loses its Tunnel', async () => {
  const place = await startTunnels();
  await place.apply([service('nginx-1')]);
  await place.ready();

  const spec = { type: 'ClusterIP' };
  await place.env.patch('v1', 'Service', place.namespace, 'nginx-1', { spec });
  await eventually(async () => (await place.tunnel()) === undefined);

  expect(place.provider.hosts).toEqual([]);
});

test('IN9: updateServiceIP decides which Tunnel sets the address of a Service, and only one of two Tunnels sets it', async () => {
  const place = await startTunnels({ settings: { annotatedOnly: true, checkMs: 25 } });
  const serviceRef = { name: 'nginx-1' };
  await place.apply([service('nginx-1')]);

  await place.apply([tunnelOf('silent', { serviceRef, updateServiceIP: false })]);
  await place.ready('silent');
  const unasked = await place.addresses();
  await place.apply([tunnelOf('first', { serviceRef, updateServiceIP: true })]);
  const first = await place.ready('first');
  await place.apply([tunnelOf('second', { serviceRef, updateServiceIP: true })]);
  const second = await place.ready('second');
  await place.passes(4);
  const history = () => place.env.events.history('services', place.namespace, 'nginx-1').length;
  const before = history();
  await place.passes(8);

  expect(unasked).toEqual([]);
  const [shown, ...more] = await place.addresses(); // made in one second, either is the oldest
  expect([first.status?.hostIP, second.status?.hostIP]).toContain(shown);
  expect(more).toEqual([]);
  expect(history()).toBe(before);
});

test('IN11: Services of another class are not changed, and spec.externalIPs is changed only with an option', async () => {
  const place = await startTunnels();

  await place.apply([
    service('theirs', { loadBalancerClass: 'example.com/metal' }),
    service('ours', { loadBalancerClass: 'operator.inlets.dev/tunnel' }),
    service('unclassed'),
  ]);
  await place.ready('ours-tunnel');
  await place.ready('unclassed-tunnel');

  expect(await place.tunnel('theirs-tunnel')).toBeUndefined();
  expect((await place.service('ours'))?.spec?.externalIPs).toBeUndefined();
});

test('a misspelt annotation neither creates nor removes anything', async () => {
  const place = await startTunnels();
  await place.apply([service('nginx-1')]);
  const { uid } = (await place.ready()).metadata;

  await place.manage('treu');
  await eventually(async () => (await place.events('InvalidAnnotation')).length === 1);

  expect((await place.tunnel())?.metadata).toMatchObject({ uid });
  expect((await place.tunnel())?.metadata.deletionTimestamp).toBeUndefined();
});

test('a foreign Tunnel of the same name is not changed, and the Service reports it', async () => {
  const place = await startTunnels();
  await place.apply([service('other', { type: 'ClusterIP' })]);
  await place.apply([tunnelOf('nginx-1-tunnel', { serviceRef: { name: 'other' } })]);
  await place.ready();

  await place.apply([service('nginx-1')]);
  const [told] = await place.told('NotOwned');

  expect(told).toMatchObject({ type: 'Warning' });
  expect((await place.tunnel())?.spec.serviceRef).toEqual({ name: 'other' });
});
