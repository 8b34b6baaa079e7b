/**
 * Deployment and ReplicaSets go through every recorded state, in the recorded order, when the
 * controllers are as fast as the recorded ones.
 */
import { expect, test } from 'vitest';
import { RECORDED_PACES } from '../../../src/apiserver/controllers/runner/pace.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import { recordedRollout } from './apps/recorded-rollout.ts';
import { restart, type SimulatedCluster, simulatedCluster, workload } from './simulated-cluster.ts';

/** What a status says that two clusters have in common. */
function summary(type: string, { kind, metadata, spec, status }: StoredObject): string {
  const { conditions = [], ...counts } = (status ?? {}) as {
    readonly conditions?: readonly { type: string; status: string; reason: string }[];
  };
  const said = conditions.map((one) => `${one.type}=${one.status} ${one.reason}`);
  const { replicas } = spec as { readonly replicas: number };
  const sorted = Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const leaving = metadata.deletionTimestamp === undefined ? '' : ' leaving';
  return `${type} ${kind}${leaving} of ${replicas}, generation ${metadata.generation}: ${JSON.stringify(sorted)} ${said.join(', ')}`;
}

type Change = { readonly type: string; readonly object: StoredObject };

/** The states of each object, one list an object, in the order in which they were created. */
function stories(changes: readonly Change[], kind: string): readonly (readonly string[])[] {
  const byUid = new Map<string, string[]>();
  for (const { type, object } of changes) {
    if (object.kind !== kind) continue;
    const story = byUid.get(object.metadata.uid ?? '') ?? [];
    story.push(summary(type, object));
    byUid.set(object.metadata.uid ?? '', story);
  }
  return [...byUid.values()];
}

function rollout(): SimulatedCluster {
  const cluster = simulatedCluster({ paces: RECORDED_PACES });
  const { access, clock } = cluster;
  access.create('deployments.apps', workload('Deployment', 'webapp', { replicas: 3 }));
  clock.advance(5_000);
  access.patch('deployments.apps', 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  clock.advance(8_000);
  for (const { metadata } of access.list('pods', 'demo')) {
    access.delete('pods', 'demo', metadata.name);
    clock.advance(2); // as long as a server takes for each Pod of a collection
  }
  clock.advance(6_000);
  access.delete('deployments.apps', 'demo', 'webapp', { propagationPolicy: 'Foreground' });
  clock.advance(6_000);
  return cluster;
}

test.each([
  'Deployment',
  'ReplicaSet',
])('[F-14] every state of each %s equals the recorded state', (kind) => {
  const cluster = rollout();

  const ours = stories(cluster.events, kind);

  expect(ours).toEqual(stories(recordedRollout(), kind));
  expect(ours.flat().length).toBeGreaterThan(20);
});

test('[F-14] the Events of a rollout equal the recorded Events', () => {
  const cluster = simulatedCluster({ paces: RECORDED_PACES });

  cluster.access.create('deployments.apps', workload('Deployment', 'webapp', { replicas: 3 }));
  cluster.clock.advance(1_000);

  const told = cluster.access.list('events', 'demo').map((event) => {
    const { reason, reportingComponent, message } = event as unknown as Record<string, string>;
    return `${reportingComponent} ${reason} ${message?.replaceAll(/webapp-\w+(-\w{5})?/g, 'NAME')}`;
  });
  const times = (count: number, text: string): string[] =>
    Array.from({ length: count }, () => text);
  expect(told.toSorted()).toEqual(
    [
      ...times(3, 'default-scheduler Scheduled Successfully assigned demo/NAME to node-1'),
      'deployment-controller ScalingReplicaSet Scaled up replica set NAME from 0 to 3',
      ...times(3, 'replicaset-controller SuccessfulCreate Created pod: NAME'),
    ].toSorted(),
  );
  expect(cluster.clock.pending).toBe(0);
});
