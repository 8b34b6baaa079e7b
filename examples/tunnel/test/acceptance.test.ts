/** The scenarios that the operator is accepted by, behind a provider that makes a host each time it is asked. */

import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { tunnels } from '../tunnel.ts';
import { API, service, startTunnels, tunnelOf } from './place.ts';

const SAMPLE = new URL('../sample/', import.meta.url);

test('acceptance 2: while the status cannot be written, only one host is created, which the status later contains', async () => {
  const place = await startTunnels();
  await place.env.apply([withLongestHostId(1)]);

  await place.apply(SAMPLE);
  await place.passes(1);
  // What a schema refuses is tried again after an hour; a start tries at once.
  for (let start = 1; start <= 3; start++) {
    await place.operator.stop();
    place.startOperator();
    await place.passes(1);
  }
  const refused = await place.tunnel();
  await place.env.apply([withLongestHostId(253)]);
  await place.operator.stop();
  place.startOperator();
  const tunnel = await place.ready();

  expect(refused?.status?.hostId).toBeUndefined();
  expect(tunnel.status?.hostId).toBe('host-1');
  expect(place.provider.made).toBe(1);
});

test('acceptance 3: if a Tunnel is deleted while the operator is down, its host is deleted and the Service gets a new host', async () => {
  const place = await startTunnels();
  await place.apply(SAMPLE);
  const { uid } = (await place.ready()).metadata;
  await place.operator.stop();

  await place.env.delete(API, 'Tunnel', place.namespace, 'nginx-1-tunnel');
  const held = await place.tunnel();
  place.startOperator();
  const next = await eventually(async () => {
    const live = await place.ready();
    return live.metadata.uid !== uid && live;
  });

  expect(held?.metadata.finalizers).toEqual(['operator.inlets.dev/host']);
  expect(place.provider.hosts.map(({ request }) => request.uid)).toEqual([next.metadata.uid]);
  expect(await place.addresses()).toEqual(['203.0.113.2']);
});

test('acceptance 4: a Service with operator.inlets.dev/manage=0 loses its Tunnel, its host and its address', async () => {
  const place = await startTunnels();
  await place.apply(SAMPLE);
  await place.ready();

  await place.manage('0');
  await eventually(async () => (await place.tunnel()) === undefined);

  expect(place.provider.hosts).toEqual([]);
  expect(await place.addresses()).toEqual([]);
  await eventually(async () => (await place.client()) === undefined);
});

test('acceptance 5: a Tunnel with exactly the name of its Service works', async () => {
  const place = await startTunnels();

  await place.apply([service('web', { type: 'ClusterIP' })]);
  await place.apply([tunnelOf('web', { serviceRef: { name: 'web' } })]);
  const tunnel = await place.ready('web');

  expect(tunnel.status).toMatchObject({ generated: false, hostIP: '203.0.113.1' });
  expect(await place.client('web-client')).toBeDefined();
});

test('acceptance 6: a ClusterIP Service gets no Tunnel', async () => {
  const place = await startTunnels();

  await place.apply([service('db', { type: 'ClusterIP' })]);
  await place.apply([service('web')]);
  await place.ready('web-tunnel'); // by then the other one has been looked at, too

  expect(await place.tunnel('db-tunnel')).toBeUndefined();
  expect(place.provider.hosts.map(({ request }) => request.name)).toEqual(['web-tunnel']);
});

/** The definition, with a limit that the API server holds every write of the status to. */
function withLongestHostId(maxLength: number): KubernetesObject {
  const definition = JSON.parse(JSON.stringify(tunnels.definition));
  const { properties } = definition.spec.versions[0].schema.openAPIV3Schema;
  properties.status.properties.hostId.maxLength = maxLength;
  return definition;
}
