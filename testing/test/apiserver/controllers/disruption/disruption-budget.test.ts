import { expect, test } from 'vitest';
import {
  restart,
  type SimulatedCluster,
  simulatedCluster,
  workload,
} from '../simulated-cluster.ts';

const BUDGETS = 'poddisruptionbudgets.policy';

function clusterWith(budget: object, replicas = 3): SimulatedCluster {
  const cluster = simulatedCluster({ podReadyMs: 300, podStopMs: 300 });
  cluster.access.create('deployments.apps', workload('Deployment', 'webapp', { replicas }));
  cluster.access.create(BUDGETS, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'webapp', namespace: 'demo' },
    spec: { selector: { matchLabels: { app: 'webapp' } }, ...budget },
  } as never);
  return cluster;
}

function statusOf({ access }: SimulatedCluster): unknown {
  return access.get(BUDGETS, 'demo', 'webapp')?.status;
}

test.each([
  [{ minAvailable: 1 }, { desiredHealthy: 1, disruptionsAllowed: 2 }],
  [{ minAvailable: '50%' }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
  [{ maxUnavailable: 1 }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
  [{ maxUnavailable: '50%' }, { desiredHealthy: 1, disruptionsAllowed: 2 }],
  [{ minAvailable: 3 }, { desiredHealthy: 3, disruptionsAllowed: 0 }],
])('a PodDisruptionBudget with %j for 3 replicas has the status %j', (budget, expected) => {
  const cluster = clusterWith(budget);

  cluster.clock.advance(1_000);

  expect(statusOf(cluster)).toMatchObject({
    observedGeneration: 1,
    expectedPods: 3,
    currentHealthy: 3,
    ...expected,
  });
});

test('during a rollout, a PodDisruptionBudget gets the expected number of Pods from the Deployment', () => {
  const cluster = clusterWith({ maxUnavailable: 1 });
  cluster.clock.advance(1_000);

  cluster.access.patch('deployments.apps', 'demo', 'webapp', restart('2026-11-21T06:30:00Z'));
  cluster.clock.advance(0);

  expect(cluster.access.list('pods', 'demo')).toHaveLength(4);
  expect(statusOf(cluster)).toMatchObject({ expectedPods: 3, desiredHealthy: 2 });
});

test('a PodDisruptionBudget allows no disruption before the Pods are ready', () => {
  const cluster = clusterWith({ minAvailable: 1 });

  cluster.clock.advance(299);

  expect(statusOf(cluster)).toMatchObject({
    currentHealthy: 0,
    disruptionsAllowed: 0,
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
  });
});

test('a PodDisruptionBudget does not count a terminating Pod as healthy, and counts its ready replacement', () => {
  const cluster = clusterWith({ minAvailable: 2 });
  cluster.clock.advance(1_000);
  const [victim] = cluster.access.list('pods', 'demo');

  cluster.access.delete('pods', 'demo', victim?.metadata.name ?? '');
  cluster.clock.advance(0);
  const during = statusOf(cluster);
  cluster.clock.advance(1_000);

  expect(during).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
  expect(statusOf(cluster)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
});
