/** What is recorded, across processes and against other managers. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { BASELINE } from '../record/baseline.ts';
import { APP, AUTO, envFrom, startReloader } from './support/start.ts';

test('[reloader 11] [reloader R1] a change made while no process runs causes one restart, and the next process restarts nothing', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  await reloader.secret('key', { key: '1' });
  const references = envFrom('configmap/app', 'secret/key');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.workload('db', { kind: 'StatefulSet', annotations: AUTO, ...references });
  await reloader.recorded('web');
  await reloader.recorded('db', 'StatefulSet');

  await reloader.operator.stop();
  await reloader.config('app', { mode: '2' });
  await reloader.secret('key', { key: '2' });
  reloader.startOperator();
  await reloader.rolledOut('web', 1);
  await reloader.rolledOut('db', 1, 'StatefulSet');
  await reloader.operator.stop();
  const writes = reloader.writes().length;
  await reloader.startOperator().untilReady();
  await reloader.idle();

  expect(reloader.writes()).toHaveLength(writes);
  expect(reloader.rollouts('web')).toBe(1);
  expect(reloader.rollouts('db', 'StatefulSet')).toBe(1);
});

test('[reloader 9] [reloader R9] with the strategy `annotations`, a restart of the operator without a change writes nothing', async () => {
  const reloader = await startReloader({ args: ['--reload-strategy=annotations'] });
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  await reloader.config('app', { mode: '2' });
  const { metadata } = await reloader.rolledOut('web', 1);

  await reloader.operator.stop();
  await reloader.startOperator().untilReady();
  await reloader.config('app', { mode: '2' }, { labels: { touched: 'yes' } });
  await reloader.handled();

  expect((await reloader.live('web')).metadata.resourceVersion).toBe(metadata.resourceVersion);
});

test('[reloader 10] a workload in the state that the original operator wrote is not changed', async () => {
  const reloader = await startReloader({ stopped: true });
  await reloader.config('app-config', { key: 'value' });
  const env = [
    { name: 'STAKATER_APP_CONFIG_CONFIGMAP', value: 'dc30e0faa89a70dec1033016a2309bbeb9efcbd0' },
    { name: 'A', value: '1' },
  ];
  const container = { ...APP, envFrom: [{ configMapRef: { name: 'app-config' } }], env };
  await reloader.workload('web', { annotations: AUTO, spec: { containers: [container] } });
  const before = await reloader.live('web');

  await reloader.startOperator().untilReady();
  await reloader.handled();

  expect(await reloader.live('web')).toEqual(before);
});

test('[reloader 26] another manager that applies the workload ten times without the variable causes no further restart', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  const given = { annotations: AUTO, ...envFrom('configmap/app') };
  await reloader.workload('web', given);
  await reloader.recorded('web');
  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);
  const writes = reloader.writes().length;

  for (let cycle = 1; cycle <= 10; cycle++)
    await reloader.workload('web', { ...given, more: { revisionHistoryLimit: cycle } });
  await reloader.handled();

  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_APP_CONFIGMAP']);
  expect(
    reloader
      .writes()
      .slice(writes)
      .filter((each) => each.includes('daemon')),
  ).toEqual([]);
  expect(reloader.rollouts('web')).toBe(1);
});

test('[reloader 26] [reloader R15] another manager that keeps replacing the workload is reported, and its change is not reverted endlessly', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const reloader = await startReloader({ clock });
  const { env, namespace } = reloader;
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  const { containers } = (await reloader.live('web')).spec.template.spec;
  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);

  for (let cycle = 1; cycle <= 5; cycle++) {
    await env.patch('apps/v1', 'Deployment', namespace, 'web', {
      metadata: { annotations: { [BASELINE]: null } },
      spec: { template: { spec: { containers } } },
    });
    await eventually(async () => {
      clock.advance(100); // in small steps: time passes for requests, too
      return BASELINE in ((await reloader.live('web')).metadata.annotations ?? {});
    });
    await reloader.idle();
  }
  const [told] = await reloader.told('ReloadBaselineRemoved');
  await reloader.handled();

  expect(told?.type).toBe('Warning');
  expect(await reloader.variables('web')).toEqual({});
  expect(reloader.rollouts('web')).toBe(2); // our restart, and the first revert of it
});

test('[reloader 7] [reloader R13] two names with the same variable are both recorded, and stay recorded', async () => {
  const reloader = await startReloader();
  await reloader.config('a-b', { mode: '1' });
  await reloader.config('a.b', { mode: '1' });
  const references = envFrom('configmap/a-b', 'configmap/a.b');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.recorded('web');

  await reloader.config('a-b', { mode: '2' });
  await reloader.rolledOut('web', 1);
  await reloader.config('a.b', { mode: '3' });
  await reloader.rolledOut('web', 2);
  await reloader.operator.stop();
  await reloader.startOperator().untilReady();
  await reloader.handled();

  const variables = await reloader.variables('web');
  expect(Object.keys(variables)).toHaveLength(2);
  expect(variables).toHaveProperty('STAKATER_A_B_CONFIGMAP');
  expect(new Set(Object.values(variables)).size).toBe(2);
  expect(reloader.rollouts('web')).toBe(2);
});

test('[reloader R23] with a list of keys, only a change of a listed key causes a restart, and a change of the list causes none', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { level: 'info', comment: 'a' });
  const references = envFrom('configmap/app');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.recorded('web');

  const keys = { 'reloader.chancery.dev/keys': 'configmap/app/level,no-entry' };
  await reloader.workload('web', { annotations: { ...AUTO, ...keys }, ...references });
  await reloader.config('app', { level: 'info', comment: 'b' });
  await reloader.handled();
  const quiet = reloader.rollouts('web');
  await reloader.config('app', { level: 'debug', comment: 'b' });
  await reloader.rolledOut('web', 1);
  await reloader.config('app', { level: 'debug', comment: 'c' });
  await reloader.handled();

  expect(quiet).toBe(0);
  expect(reloader.rollouts('web')).toBe(1);
  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_APP_CONFIGMAP']);
  const invalid = (await reloader.events()).filter(
    ({ reason }) => reason === 'ReloadConfigInvalid',
  );
  expect(invalid.map(({ note }) => note)).toEqual([expect.stringContaining('"no-entry"')]);
});
