/** The scenarios that the operator is accepted by, behind a provider that makes a host each time it is asked. */

import { expect, test } from 'vitest';
import { RESTLESS, startTunnels } from './place.ts';

const SAMPLE = new URL('../sample/', import.meta.url);

test('acceptance 1: a Service gets one Tunnel, one host and its address, however often it is reconciled', async () => {
  const place = await startTunnels(RESTLESS);
  const { env, namespace } = place;

  await place.apply(SAMPLE);
  const tunnel = await place.ready();
  const before = env.events.history('services', namespace, 'nginx-1').length;
  await place.passes(10); // each asks the provider once

  const seen = env.events
    .of({ resource: 'tunnels.operator.inlets.dev', namespace })
    .map(({ object }) => (object as typeof tunnel).status?.hostStatus);
  expect(new Set(seen)).toEqual(new Set([undefined, 'provisioning', 'active']));
  expect(tunnel).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Service', name: 'nginx-1', controller: true }] },
    spec: { serviceRef: { name: 'nginx-1', namespace }, updateServiceIP: true },
    status: { generated: true, hostStatus: 'active', hostId: 'host-1', hostIP: '203.0.113.1' },
  });
  expect(await place.addresses()).toEqual(['203.0.113.1']);
  expect(env.events.history('services', namespace, 'nginx-1')).toHaveLength(before);
  expect(place.provider.made).toBe(1);
});
