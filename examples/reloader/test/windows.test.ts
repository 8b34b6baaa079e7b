/** Restart windows, from the change to the restart. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { PENDING, RESTART_WINDOW } from '../restart/window.ts';
import { AUTO, envFrom, type Reloading, startReloader } from './support/start.ts';

const NIGHT = JSON.stringify({
  timezone: 'Europe/Berlin',
  windows: [{ cron: '0 2 * * *', duration: '2h' }],
});
/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };
const NOON = Date.parse('2030-01-01T12:00:00Z');

async function startWindows(): Promise<Reloading & { readonly clock: FakeClock }> {
  const clock = new FakeClock(NOON);
  const started = await startReloader({ clock, args: ['--enable-restart-windows'] });
  return Object.assign(started, { clock });
}

const pendingOf = async (reloader: Reloading, name: string): Promise<string | undefined> =>
  (await reloader.live(name)).metadata.annotations?.[PENDING];

const metric = async ({ metrics }: Reloading, name: string): Promise<readonly unknown[]> => {
  const registries = [metrics ?? []].flat();
  const all = (await Promise.all(registries.map((each) => each.getMetricsAsJSON()))).flat();
  return all.find((each) => each.name === name)?.values ?? [];
};

test('[reloader 25] a restart waits visibly for its window, and happens once, even if a new process starts', async () => {
  const reloader = await startWindows();
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, [RESTART_WINDOW]: NIGHT };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  await reloader.config('app', { mode: '2' });
  const pending = await eventually(() => pendingOf(reloader, 'web'), PATIENT);
  expect(pending).toBe(
    '{"reason":"window","resources":["configmap/app"],"opens":"2030-01-02T01:00:00Z"}',
  );
  expect(await reloader.told('ReloadPending')).toEqual([
    {
      type: 'Normal',
      reason: 'ReloadPending',
      note: 'The restart for configmap/app waits until the restart window opens: 2030-01-02T01:00:00Z.',
    },
  ]);
  expect(await metric(reloader, 'reloader_restarts_pending')).toEqual([
    { labels: { reason: 'window' }, value: 1 },
  ]);

  await reloader.operator.kill();
  const before = await reloader.live('web');
  reloader.clock.advance(8 * 3_600_000);
  await reloader.startOperator().untilReady();
  await reloader.handled();
  expect((await reloader.live('web')).metadata.resourceVersion).toBe(
    before.metadata.resourceVersion, // the new process finds it as it is
  );
  await reloader.config('app', { mode: '3' });
  await reloader.handled();
  expect(reloader.rollouts('web')).toBe(0);
  reloader.clock.advance(5 * 3_600_000 - 1);
  await reloader.idle();
  expect(reloader.rollouts('web')).toBe(0);

  reloader.clock.advance(3_600_000); // the gate is asked once an hour at least
  await reloader.rolledOut('web', 1);
  expect(await pendingOf(reloader, 'web')).toBeUndefined();
  await reloader.operator.kill();
  await reloader.startOperator().untilReady();
  await reloader.handled();
  expect(reloader.rollouts('web')).toBe(1);
});

test('[reloader 25] a workload with an invalid window waits, and a Warning and a metric report it', async () => {
  const reloader = await startWindows();
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, [RESTART_WINDOW]: NIGHT.replace('0 2', '0 26') };
  await reloader.workload('late', { annotations, ...envFrom('configmap/app') });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await Promise.all([reloader.recorded('late'), reloader.recorded('web')]);

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);
  await eventually(() => pendingOf(reloader, 'late'), PATIENT);
  await reloader.handled();

  expect(reloader.rollouts('late')).toBe(0);
  const told = await reloader.told('ReloadConfigInvalid');
  expect(told.map(({ type, note }) => [type, note])).toEqual([
    ['Warning', expect.stringContaining('the cron expression "0 26 * * *"')],
  ]);
  expect(await metric(reloader, 'reloader_config_invalid_total')).toEqual([
    { labels: {}, value: 1 },
  ]);

  const open = { ...AUTO, [RESTART_WINDOW]: NIGHT.replace('0 2', '0 13') };
  await reloader.workload('late', { annotations: open, ...envFrom('configmap/app') });
  await reloader.rolledOut('late', 1);
  expect(await pendingOf(reloader, 'late')).toBeUndefined();
});

test('[reloader 26] if another manager keeps removing the pending annotation, it is not added again and again', async () => {
  const reloader = await startWindows();
  const { env, namespace, clock } = reloader;
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, [RESTART_WINDOW]: NIGHT };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  await reloader.config('app', { mode: '2' });
  await eventually(() => pendingOf(reloader, 'web'), PATIENT);
  const isPending = async (): Promise<boolean> => (await pendingOf(reloader, 'web')) !== undefined;
  const remove = () =>
    env.patch('apps/v1', 'Deployment', namespace, 'web', {
      metadata: { annotations: { [PENDING]: null } },
    });

  for (let cycle = 1; cycle <= 2; cycle++) {
    await remove();
    await eventually(isPending, PATIENT);
  }
  await remove();
  await reloader.handled();
  expect(await isPending()).toBe(false);

  await eventually(() => {
    clock.advance(100); // in small steps: time passes for requests, too
    return isPending();
  }, PATIENT);
  expect(reloader.rollouts('web')).toBe(0);
  clock.advance(14 * 3_600_000);
  await reloader.rolledOut('web', 1);
  expect(await isPending()).toBe(false);
});

test('[reloader 25] without the flag for windows, a pending restart happens, and the pending annotation is removed', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  const pending = { [PENDING]: '{"reason":"window","resources":["configmap/app"]}' };
  const given = envFrom('configmap/app');
  await reloader.workload('web', { annotations: { ...AUTO, ...pending }, ...given });
  await reloader.recorded('web');

  await eventually(async () => (await pendingOf(reloader, 'web')) === undefined, PATIENT);
  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);

  expect(await pendingOf(reloader, 'web')).toBeUndefined();
});

test('[reloader 23] a workload that is no longer managed does not count as pending', async () => {
  const clock = new FakeClock(NOON);
  const args = ['--enable-restart-windows', '--namespace-selector=team'];
  const reloader = await startReloader({ clock, args, allNamespaces: true });
  const namespace = 'moving';
  const metadata = { name: namespace, labels: { team: 'a' } };
  await reloader.env.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata } as never]);
  await reloader.config('app', { mode: '1' }, { namespace });
  const annotations = { ...AUTO, [RESTART_WINDOW]: NIGHT };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app'), namespace });
  await reloader.recorded('web', 'Deployment', namespace);
  const pending = () => metric(reloader, 'reloader_restarts_pending');
  await reloader.config('app', { mode: '2' }, { namespace });
  await eventually(async () => (await pending()).length === 1, PATIENT);

  const labels = { team: null };
  await reloader.env.patch('v1', 'Namespace', undefined, namespace, { metadata: { labels } });

  await eventually(async () => (await pending()).length === 0, PATIENT);
});
