/**
 * Whatever people do to workloads, in whatever order and at whatever pace: in the end there are the
 * wanted Pods and nothing else, and no timer.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { isActive, isReady, type Pod } from '../../../src/apiserver/controllers/pods/pod.ts';
import { INSTANT_PACES, RECORDED_PACES } from '../../../src/apiserver/controllers/runner/pace.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import { restart, type SimulatedCluster, simulatedCluster, workload } from './simulated-cluster.ts';

const RESOURCES = {
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  ReplicaSet: 'replicasets.apps',
} as const;

type Kind = keyof typeof RESOURCES;

interface Action {
  readonly what: 'scale' | 'restart' | 'wait' | 'kill' | 'relabel' | 'finish';
  readonly amount: number;
}

const ACTIONS = fc.array(
  fc.record({
    what: fc.constantFrom('scale', 'restart', 'wait', 'kill', 'relabel', 'finish'),
    amount: fc.nat(4),
  }) satisfies fc.Arbitrary<Action>,
  { maxLength: 12 },
);

function podOf({ access }: SimulatedCluster, index: number): StoredObject | undefined {
  const pods = access.list('pods', 'demo');
  return pods[index % Math.max(pods.length, 1)];
}

function act(cluster: SimulatedCluster, kind: Kind, { what, amount }: Action): void {
  const { access, clock } = cluster;
  if (what === 'wait') {
    clock.advance([0, 1, 7, 150, 2_000][amount] ?? 0);
    return;
  }
  if (what === 'scale') {
    access.patch(RESOURCES[kind], 'demo', 'web', { spec: { replicas: amount } });
    return;
  }
  if (what === 'restart') {
    const time = `2026-11-21T06:3${amount}:00Z`;
    access.patch(RESOURCES[kind], 'demo', 'web', restart(time));
    return;
  }
  const pod = podOf(cluster, amount);
  if (pod === undefined) return;
  const { name } = pod.metadata;
  if (what === 'kill') access.delete('pods', 'demo', name);
  // The name of a Pod of a StatefulSet that was let go stays taken: nobody can help that.
  if (what === 'relabel' && kind !== 'StatefulSet')
    access.patch('pods', 'demo', name, { metadata: { labels: { app: 'let-go' } } });
  if (what === 'finish' && pod.metadata.deletionTimestamp === undefined)
    access.patch('pods', 'demo', name, { status: { phase: 'Failed' } }, 'status');
}

/** Long enough for every rollout, and for no deadline. */
const REST_MS = 120_000;

function expectAtRest(cluster: SimulatedCluster, kind: Kind): void {
  const { access, clock } = cluster;
  const object = access.get(RESOURCES[kind], 'demo', 'web') as StoredObject;
  const { replicas, template } = object.spec as { replicas: number; template: StoredObject };
  const pods = (access.list('pods', 'demo') as readonly Pod[]).filter(isActive);
  const ours = pods.filter(({ metadata }) => metadata.labels?.app === 'web');

  expect(clock.pending).toBe(0);
  expect(ours).toHaveLength(replicas);
  expect(ours.every(isReady)).toBe(true);
  if (kind !== 'ReplicaSet') {
    const wanted = template.metadata?.annotations ?? {};
    for (const { metadata } of ours) expect(metadata.annotations ?? {}).toEqual(wanted);
  }
  // Go leaves a count of nothing out of the status of a Deployment.
  expect({ replicas: 0, ...(object.status as object) }).toMatchObject({
    replicas,
    ...(replicas === 0 ? {} : { readyReplicas: replicas, availableReplicas: replicas }),
    observedGeneration: object.metadata.generation,
  });
}

test.each([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
] as const)('a %s reaches its wanted state after any sequence of changes', (kind) => {
  fc.assert(
    fc.property(ACTIONS, fc.boolean(), (actions, isInstant) => {
      const paces = isInstant ? INSTANT_PACES : RECORDED_PACES;
      const cluster = simulatedCluster({ paces, podReadyMs: 100, podStopMs: 50 });
      cluster.access.create(RESOURCES[kind], workload(kind, 'web', { replicas: 2 }));

      for (const action of actions) act(cluster, kind, action);
      cluster.clock.advance(REST_MS);

      expectAtRest(cluster, kind);
      cluster.close();
    }),
    propertyRuns(0.2),
  );
});
