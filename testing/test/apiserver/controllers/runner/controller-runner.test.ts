import { ApiError, objectKey } from 'chancery';
import { expect, onTestFinished, test } from 'vitest';
import { watchSelf } from '../../../../src/apiserver/controllers/pods/dependents.ts';
import { ControllerRunner } from '../../../../src/apiserver/controllers/runner/controller-runner.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

/** A controller of ConfigMaps that notes its keys and times, and does what the test says. */
function running(
  cluster: SimulatedCluster,
  act: (call: number) => number | undefined = () => undefined,
): { readonly calls: readonly string[]; readonly runner: ControllerRunner } {
  const calls: string[] = [];
  const start = cluster.clock.now();
  const runner = new ControllerRunner(
    {
      watches: [watchSelf('configmaps')],
      reconcile(key) {
        calls.push(`${key} at ${cluster.clock.now() - start}`);
        return act(calls.length);
      },
    },
    cluster.clock,
  );
  runner.start(cluster.access);
  onTestFinished(() => runner.close());
  return { calls, runner };
}

function write({ access }: SimulatedCluster, value: string): void {
  const name = 'c';
  const namespace = 'demo';
  if (access.get('configmaps', namespace, name) === undefined)
    access.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
    });
  access.patch('configmaps', namespace, name, { data: { value } });
}

const KEY = objectKey('demo', 'c');

function refused(): never {
  throw new ApiError({ status: 'Failure', reason: 'Forbidden', message: 'no', code: 403 });
}

test('the controller runner reconciles in the next turn of the event loop, once for many events of one key', () => {
  const cluster = simulatedCluster({ only: [] });
  const { calls } = running(cluster);

  write(cluster, '1');
  write(cluster, '2');
  const before = [...calls];
  cluster.clock.advance(0);

  expect(before).toEqual([]);
  expect(calls).toEqual([`${KEY} at 0`]);
});

test('the controller runner reconciles the existing objects first', () => {
  const cluster = simulatedCluster({ only: [] });
  write(cluster, '1');
  const { calls } = running(cluster);

  cluster.clock.advance(0);

  expect(calls).toEqual([`${KEY} at 0`]);
});

test('the controller runner reconciles again after the returned delay, or earlier if an event arrives', () => {
  const cluster = simulatedCluster({ only: [] });
  const { calls } = running(cluster, (call) => (call < 3 ? 1_000 : undefined));
  write(cluster, '1');
  cluster.clock.advance(500);

  write(cluster, '2');
  cluster.clock.advance(5_000);

  expect(calls).toEqual([`${KEY} at 0`, `${KEY} at 500`, `${KEY} at 1500`]);
  expect(cluster.clock.pending).toBe(0);
});

test('the controller runner retries refused calls with growing delays, and resets them after a success', () => {
  const cluster = simulatedCluster({ only: [] });
  const { calls } = running(cluster, (call) =>
    call === 4 ? undefined : call > 5 ? undefined : refused(),
  );

  write(cluster, '1');
  cluster.clock.advance(1_000);
  write(cluster, '2');
  cluster.clock.advance(1_000);

  expect(calls.map((call) => call.replace(`${KEY} at `, ''))).toEqual([
    '0',
    '5',
    '15',
    '35',
    '1000',
    '1005',
  ]);
  expect(cluster.clock.pending).toBe(0);
});

test('the controller runner throws on a programming error in a controller', () => {
  const cluster = simulatedCluster({ only: [] });
  running(cluster, () => {
    throw new TypeError('a bug');
  });
  write(cluster, '1');

  expect(() => cluster.clock.advance(0)).toThrow('a bug');
});

test('the controller runner does nothing after close, and no timer is pending', () => {
  const cluster = simulatedCluster({ only: [] });
  const { calls, runner } = running(cluster, () => 1_000);
  write(cluster, '1');
  cluster.clock.advance(0);
  write(cluster, '2');

  runner.close();
  write(cluster, '3');
  cluster.clock.advance(60_000);

  expect(calls).toEqual([`${KEY} at 0`]);
  expect(cluster.clock.pending).toBe(0);
});
