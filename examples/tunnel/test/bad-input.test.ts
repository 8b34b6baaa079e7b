/** Tunnels that make no sense: a condition, one Event, and nothing is paid for. */
import { eventually, secret } from '@chancery/testing';
import { expect, test } from 'vitest';
import { service, startTunnels, tunnelOf } from './place.ts';

test('a Tunnel that is invalid, or without its Service or its token, gets a condition and no host', async () => {
  const place = await startTunnels();
  await place.apply([service('db', { type: 'ClusterIP' })]);

  await place.apply([
    tunnelOf('far', { serviceRef: { name: 'db', namespace: 'elsewhere' } }),
    tunnelOf('early', { serviceRef: { name: 'later' } }),
    tunnelOf('named', { serviceRef: { name: 'db' }, authTokenRef: { name: 'given' } }),
  ]);
  await place.because('InvalidSpec', 'far');
  await place.because('ServiceMissing', 'early');
  await place.because('TokenMissing', 'named');
  const madeMeanwhile = place.provider.made;
  await place.apply([service('later', { type: 'ClusterIP' })]);
  await place.env.create(
    secret('given', { namespace: place.namespace, data: { token: 'b3Blbg==' } }),
  );
  await place.ready('early');
  await place.ready('named');

  expect(madeMeanwhile).toBe(0);
  expect(place.server.tokens).toContain('open');
});

test('the definition refuses names that no object can have', async () => {
  const place = await startTunnels({ stopped: true });
  const serviceRef = { name: 'a' };

  const refusalOf = (name: string, spec: object) =>
    expect(place.apply([tunnelOf(name, spec)])).rejects;

  await refusalOf('a', { serviceRef: { name: 'a/b' } }).toThrow('spec.serviceRef.name');
  await refusalOf('a', { serviceRef, authTokenRef: { name: '' } }).toThrow(
    'spec.authTokenRef.name',
  );
});

test('a client Deployment that the API server refuses causes one condition and one Event', async () => {
  const place = await startTunnels({ settings: { checkMs: 25, maxClientMemory: '1Mi' } });
  await place.apply([service('nginx-1')]);

  const tunnel = await place.because('Refused');
  await eventually(async () => (await place.events('Refused')).length === 1);
  const before = place.writes().filter((write) => !write.endsWith('deployments.apps'));
  await place.passes(3);

  const ready = tunnel.status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.message).toContain('memory limit');
  expect(place.writes().filter((write) => !write.endsWith('deployments.apps'))).toEqual(before);
  expect(await place.told('Refused')).toHaveLength(1);
  expect(await place.addresses()).toEqual([]);
});
