/** How much time a controller takes, and what it has left to write. */

import type { ObjectKey } from 'chancery';
import { expect, onTestFinished, test } from 'vitest';
import { watchSelf } from '../../../../src/apiserver/controllers/pods/dependents.ts';
import {
  ControllerRunner,
  type RunnerOptions,
} from '../../../../src/apiserver/controllers/runner/controller-runner.ts';
import { WriteBudget } from '../../../../src/apiserver/controllers/runner/pace.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

/** A controller that writes once a look, and notes when it looks at what. */
function running(
  cluster: SimulatedCluster,
  options: Omit<RunnerOptions, 'takeWrites'>,
): readonly string[] {
  const looks: string[] = [];
  const startMs = cluster.clock.now();
  const controller = {
    watches: [watchSelf('configmaps')],
    reconcile(key: ObjectKey): undefined {
      looks.push(`${key.slice('demo/'.length)} at ${cluster.clock.now() - startMs}`);
    },
  };
  const runner = new ControllerRunner(controller, cluster.clock, {
    ...options,
    takeWrites: () => 1,
  });
  runner.start(cluster.access);
  onTestFinished(() => runner.close());
  return looks;
}

function write({ access }: SimulatedCluster, name: string, value = 'x'): void {
  if (access.get('configmaps', 'demo', name) === undefined)
    access.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'demo' },
    });
  else access.patch('configmaps', 'demo', name, { data: { value } });
}

test('a controller reconciles an object after its reaction time, and the very first object after a longer time', () => {
  const cluster = simulatedCluster({ only: [] });
  const looks = running(cluster, { pace: { reactionMs: 3, writeMs: 0, coldMs: 20 } });

  write(cluster, 'a');
  cluster.clock.advance(100);
  write(cluster, 'b');
  cluster.clock.advance(100);

  expect(looks).toEqual(['a at 23', 'b at 103']);
});

test('after a write, a controller waits before it reconciles the same object again, and does not wait for other objects', () => {
  const cluster = simulatedCluster({ only: [] });
  const looks = running(cluster, { pace: { reactionMs: 1, writeMs: 10 } });
  write(cluster, 'a');
  cluster.clock.advance(2);

  write(cluster, 'a', 'again');
  write(cluster, 'b');
  cluster.clock.advance(100);

  expect(looks).toEqual(['a at 1', 'b at 3', 'a at 11']);
});

test('a serial controller handles objects one after the other, in the order of their events', () => {
  const cluster = simulatedCluster({ only: [] });
  const looks = running(cluster, { pace: { reactionMs: 1, writeMs: 10, serial: true } });

  for (const name of ['c', 'a', 'b']) write(cluster, name);
  cluster.clock.advance(100);

  expect(looks).toEqual(['c at 1', 'a at 11', 'b at 21']);
});

test('a serial controller handles the objects of a long queue without waiting in between', () => {
  const cluster = simulatedCluster({ only: [] });
  const looks = running(cluster, { pace: { reactionMs: 1, writeMs: 10, serial: true } });

  for (let index = 0; index < 300; index++) write(cluster, `map-${index}`);
  cluster.clock.advance(11);

  expect(looks.length).toBeGreaterThan(200);
});

test('a controller that has used up its write budget waits before its next write', () => {
  const cluster = simulatedCluster({ only: [] });
  const budget = new WriteBudget({ perSecond: 20, burst: 2 });
  const looks = running(cluster, { pace: { reactionMs: 0, writeMs: 0 }, budget });

  for (const name of ['a', 'b', 'c', 'd']) write(cluster, name);
  cluster.clock.advance(1_000);

  expect(looks).toEqual(['a at 0', 'b at 0', 'c at 50', 'd at 100']);
  expect(cluster.clock.pending).toBe(0);
});

test('unused writes accumulate in the write budget up to the burst, and not beyond', () => {
  const budget = new WriteBudget({ perSecond: 20, burst: 3 });
  budget.spend(3, 0);

  budget.spend(3, 3_600_000);

  expect(budget.waitMs(3_600_000)).toBe(50);
});
