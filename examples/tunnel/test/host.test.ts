/** What is asked of the API server before money is spent. */

import { FakeClock } from '@chancery/testing';
import type { ReconcileContext } from 'chancery';
import { secrets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { ensureHost } from '../host.ts';
import { FakeProvisioner } from '../provisioner/fake.ts';
import type { Tunnel } from '../tunnel.ts';

const TUNNEL: Tunnel = {
  apiVersion: 'operator.inlets.dev/v1alpha1',
  kind: 'Tunnel',
  metadata: { name: 'own', namespace: 'demo', uid: 'u-1' },
  spec: { serviceRef: { name: 'db' }, authTokenRef: { name: 'given' } },
};

/** A cluster in which the Tunnel is `live`, whatever a cache may show. */
function contextWith(live: object | undefined): ReconcileContext<Tunnel> {
  const token = { metadata: { name: 'given' }, data: { token: 'b3Blbg==' } };
  const find = async (resource: unknown) => (resource === secrets ? token : live);
  const { signal } = new AbortController();
  return {
    client: { find },
    clock: new FakeClock(),
    signal,
  } as unknown as ReconcileContext<Tunnel>;
}

test.each([
  ['no longer exists', undefined],
  ['was created again with the same name', { metadata: { name: 'own', uid: 'u-2' } }],
  ['is being deleted', { metadata: { uid: 'u-1', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
])('no host is created for a Tunnel that %s, whatever the cache contains', async (_, live) => {
  const provisioner = new FakeProvisioner();
  const settings = { missingMs: 60_000, pollMs: 5_000 };

  const host = ensureHost(TUNNEL, [80], {}, contextWith(live), { provisioner, settings });

  await expect(host).rejects.toMatchObject({
    outcome: { reason: 'Deleted', requeueAfterMs: 5_000 },
  });
  expect(provisioner.made).toBe(0);
});

test('a host is created for a Tunnel that exists in the cluster', async () => {
  const provisioner = new FakeProvisioner();
  const settings = { missingMs: 60_000, pollMs: 5_000 };
  const facts = {};

  await ensureHost(TUNNEL, [80], facts, contextWith(TUNNEL), { provisioner, settings });

  expect(facts).toEqual({ hostId: 'host-1', hostStatus: 'provisioning' });
  expect(provisioner.hosts).toMatchObject([{ request: { uid: 'u-1', ports: [80] } }]);
});
