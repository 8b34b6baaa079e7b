/** When restarts of several workloads begin: by a rate, by a label, and after the rollout before. */
import { eventually, FakeClock } from '@chancery/testing';
import type { Deployment } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { BASELINE } from '../record/baseline.ts';
import { AUTO, envFrom, type Reloading, startReloader } from './support/start.ts';

const ORDER = 'example.dev/order';
/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

async function startPaced(
  args: readonly string[],
  more: Parameters<typeof startReloader>[0] = {},
): Promise<Reloading & { readonly clock: FakeClock }> {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  return Object.assign(await startReloader({ clock, args, ...more }), { clock });
}

/** A Deployment for the ConfigMap `app`. */
const deploy = (reloader: Reloading, name: string, labels: Readonly<Record<string, string>> = {}) =>
  reloader.workload(name, { annotations: AUTO, labels, ...envFrom('configmap/app') });

/** The resourceVersion with which the template of a Deployment changed last. */
function restartedAt(reloader: Reloading, name: string): number {
  const history = reloader.env.events.history('deployments.apps', reloader.namespace, name);
  const states = history as readonly Deployment[];
  const changed = states.filter(
    ({ spec }, at) =>
      at > 0 && JSON.stringify(spec.template) !== JSON.stringify(states[at - 1]?.spec.template),
  );
  return Number(changed.at(-1)?.metadata.resourceVersion);
}

test('[reloader 12] restarts for one ConfigMap are spread by the rate limit', async () => {
  const reloader = await startPaced(['--rollouts-per-second=1', '--rollout-burst=2']);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const rollouts = (): number => names.reduce((sum, name) => sum + reloader.rollouts(name), 0);
  await reloader.config('app', { mode: '1' });
  for (const name of names) await deploy(reloader, name);
  for (const name of names) await reloader.recorded(name);

  await reloader.config('app', { mode: '2' });
  await eventually(() => rollouts() === 2, PATIENT);
  await reloader.idle();
  expect(rollouts()).toBe(2);
  reloader.clock.advance(1_000);
  await eventually(() => rollouts() === 3, PATIENT);
  await reloader.idle();
  expect(rollouts()).toBe(3);
  reloader.clock.advance(2_000);

  await eventually(() => rollouts() === 5, PATIENT);
  expect(names.map((name) => reloader.rollouts(name))).toEqual([1, 1, 1, 1, 1]);
});

test('workloads of one resource restart in the order of their order label, each after the previous rollout', async () => {
  const reloader = await startPaced([`--order-label=${ORDER}`], {
    workloads: { podReadyMs: 5, podStopMs: 5 },
  });
  await reloader.config('app', { mode: '1' });
  await deploy(reloader, 'web', { [ORDER]: '20' });
  await deploy(reloader, 'db', { [ORDER]: '3' });
  await deploy(reloader, 'free');
  const names = ['web', 'db', 'free'];
  await eventually(async () => {
    reloader.clock.advance(500); // a status that changes meanwhile is a conflict, and a back-off
    const all = await Promise.all(names.map((name) => reloader.live(name)));
    return all.every(({ metadata }) => metadata.annotations?.[BASELINE] !== undefined);
  }, PATIENT);

  await reloader.config('app', { mode: '2' });
  await eventually(() => {
    reloader.clock.advance(500);
    return reloader.rollouts('web') === 1;
  }, PATIENT);

  expect(names.map((name) => reloader.rollouts(name))).toEqual([1, 1, 1]);
  expect(restartedAt(reloader, 'db')).toBeLessThan(restartedAt(reloader, 'web'));
});

test('with --wait-for-rollout, a second change waits for the first rollout', async () => {
  const reloader = await startPaced(['--wait-for-rollout']); // nothing rolls out here
  await reloader.config('app', { mode: '1' });
  await deploy(reloader, 'web');
  await reloader.recorded('web');
  const ready = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const finish = (): Promise<unknown> =>
    reloader.env.patch(
      'apps/v1',
      'Deployment',
      reloader.namespace,
      'web',
      { status: { observedGeneration: 9, ...ready } },
      'status',
    );

  await reloader.config('app', { mode: '2' });
  await reloader.told('ReloadPending');
  reloader.clock.advance(10_000);
  await reloader.idle();
  expect(reloader.rollouts('web')).toBe(0);
  await finish();

  await eventually(() => {
    reloader.clock.advance(500);
    return reloader.rollouts('web') === 1;
  }, PATIENT);
});
