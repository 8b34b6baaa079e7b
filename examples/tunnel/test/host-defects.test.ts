/** What the original does wrong with hosts, by the numbers of the README. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { API, RESTLESS, service, startTunnels, tunnelOf } from './place.ts';

test('IN1: a host is deleted even if the operator was down when its Tunnel was deleted', async () => {
  const place = await startTunnels();
  await place.apply([service('nginx-1', { type: 'ClusterIP' })]);
  await place.apply([tunnelOf('own', { serviceRef: { name: 'nginx-1' } })]);
  await place.ready('own');
  await place.operator.kill();

  await place.env.delete(API, 'Tunnel', place.namespace, 'own');
  place.server.complaint = 'the provider is down';
  place.startOperator();
  await eventually(async () => (await place.events('HostNotRemoved')).length === 1);
  const held = await place.tunnel('own');
  place.server.complaint = undefined;
  await eventually(async () => (await place.tunnel('own')) === undefined);

  expect(held).toBeDefined();
  expect(place.provider.hosts).toEqual([]);
});

test('IN2: if the operator is killed right after a host was created, it finds the host again', async () => {
  const place = await startTunnels();
  place.server.afterCreate = () => place.operator.kill();

  await place.apply([service('nginx-1')]);
  await eventually(() => place.provider.made === 1);
  await eventually(async () => (await place.tunnel())?.status?.hostId === undefined);
  place.startOperator();
  const tunnel = await place.ready();

  expect(tunnel.status?.hostId).toBe('host-1');
  expect(place.provider.made).toBe(1);
});

test('IN4: if a Service is deleted while the operator is down, its Tunnel and its host are deleted, too', async () => {
  const place = await startTunnels();
  await place.apply([service('nginx-1')]);
  await place.ready();
  await place.operator.kill();

  await place.env.delete('v1', 'Service', place.namespace, 'nginx-1');
  await eventually(async () => (await place.tunnel())?.metadata.deletionTimestamp !== undefined);
  place.startOperator();
  await eventually(async () => (await place.tunnel()) === undefined);

  expect(place.provider.hosts).toEqual([]);
});

test('IN4: the operator waits a while for a host that the provider lost, and then replaces the host and the address', async () => {
  const place = await startTunnels({ settings: { checkMs: 200, pollMs: 200, missingMs: 3_000 } });
  await place.apply([service('nginx-1')]);
  await place.ready();

  place.provider.lose('host-1');
  const missing = await place.because('HostMissing');
  await place.passes(3);
  const madeMeanwhile = place.provider.made;
  await eventually(async () => (await place.addresses()).includes('203.0.113.2'));

  expect(missing.status).toMatchObject({ hostStatus: 'missing', hostId: 'host-1' });
  expect(madeMeanwhile).toBe(1);
  expect(await place.addresses()).toEqual(['203.0.113.2']);
  expect((await place.ready()).status?.hostMissingSince).toBeUndefined();
});

test('IN12: an unchanged state is reported once and never written again', async () => {
  const place = await startTunnels(RESTLESS);
  await place.apply([service('nginx-1')]);
  await place.ready();
  await eventually(async () => (await place.events('Connected')).length === 1);
  const before = place.writes();

  await place.passes(10);

  expect(place.writes()).toEqual(before);
  expect(await place.told('Connected')).toEqual([
    { type: 'Normal', reason: 'Connected', note: '203.0.113.1 carries ports 80' },
  ]);
});

test('a failing provider is reported once and retried, and the token is in no Event, status or log', async () => {
  const place = await startTunnels();
  place.server.complaint = 'no quota is left';
  await place.apply([service('nginx-1')]);

  const failed = await place.because('ProvisionerFailed');
  await eventually(async () => (await place.events('ProvisionerFailed')).length === 1);
  place.server.complaint = undefined;
  const tunnel = await place.ready();

  const [token = ''] = place.server.tokens;
  const told = JSON.stringify([failed, tunnel, await place.events(), place.operator.log]);
  expect(failed.status?.conditions?.map(({ message }) => message)).toContain(
    'the provisioner says: no quota is left',
  );
  expect(token).toHaveLength(64);
  expect(told).not.toContain(token);
});
