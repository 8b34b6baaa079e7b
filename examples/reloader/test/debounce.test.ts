/** Changes that come together, or one after another. */
import { consistently, eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AUTO, envFrom, passing, startReloader } from './support/start.ts';

async function startDebouncing() {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  return Object.assign(await startReloader({ clock, args: ['--debounce=2s'] }), { clock });
}

test('[reloader 12] [reloader R10] three resources that change within the debounce cause one restart', async () => {
  const reloader = await startDebouncing();
  const { clock } = reloader;
  await reloader.config('one', { mode: '1' });
  await reloader.config('two', { mode: '1' });
  await reloader.secret('three', { mode: '1' });
  const references = envFrom('configmap/one', 'configmap/two', 'secret/three');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.recorded('web');

  await reloader.config('one', { mode: '2' });
  await reloader.idle();
  clock.advance(1_500);
  await reloader.config('two', { mode: '2' });
  await reloader.secret('three', { mode: '2' });
  await consistently(() => reloader.rollouts('web') === 0, { forMs: 100 });
  await eventually(() => {
    clock.advance(100);
    return reloader.rollouts('web') > 0;
  });
  await reloader.idle();

  expect(Object.keys(await reloader.variables('web'))).toHaveLength(3);
  expect(reloader.rollouts('web')).toBe(1);
});

test('a change that is reverted within the debounce restarts nothing', async () => {
  const reloader = await startDebouncing();
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  const reads = () =>
    reloader.env.requests.count({
      verb: 'get',
      resource: 'configmaps',
      namespace: reloader.namespace,
    });
  const before = reads();

  await reloader.config('app', { mode: '2' });
  await eventually(() => reads() > before);
  await reloader.config('app', { mode: '1' });
  await eventually(() => reads() > before + 1);
  await reloader.idle();
  reloader.clock.advance(60_000);
  await reloader.idle();

  expect(reloader.rollouts('web')).toBe(0);
});

test('[reloader R7] after many quick changes, the template has the hash of the last content', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '0' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  for (let round = 1; round <= 10; round++) await reloader.config('app', { mode: `${round}` });
  await reloader.handled();

  const last = await reloader.recorded('web');
  expect(Object.values(await reloader.variables('web'))).toEqual(Object.values(last));
  const live = await reloader.live('web');
  await reloader.operator.stop();
  await reloader.startOperator().untilReady();
  await reloader.handled();
  expect((await reloader.live('web')).metadata.resourceVersion).toBe(live.metadata.resourceVersion);
});

test('[reloader R16] after a watch has ended, it starts again, and no change is missed', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const reloader = await startReloader({ clock });
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  for (const round of ['2', '3']) {
    reloader.env.server.closeWatches('clean');
    await reloader.config('app', { mode: round });
    await passing(clock, reloader.rolledOut('web', Number(round) - 1));
  }

  expect(reloader.rollouts('web')).toBe(2);
});
