/** Resources that come and go. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { hashOfConfigMap } from '../contract/hash.ts';
import { APP, AUTO, envFrom, passing, type Reloading, startReloader } from './support/start.ts';

const remove = (reloader: Reloading, kind: 'ConfigMap' | 'Secret', name: string): Promise<void> =>
  reloader.env.delete('v1', kind, reloader.namespace, name);

test('[reloader 15] a resource that was deleted and created again restarts its workload only if its content is different', async () => {
  const reloader = await startReloader();
  await reloader.config('same', { mode: '1' });
  await reloader.config('other', { mode: '1' });
  await reloader.workload('same', { annotations: AUTO, ...envFrom('configmap/same') });
  await reloader.workload('other', { annotations: AUTO, ...envFrom('configmap/other') });
  await reloader.recorded('same');
  await reloader.recorded('other');

  await remove(reloader, 'ConfigMap', 'same');
  await remove(reloader, 'ConfigMap', 'other');
  await reloader.handled();
  expect(reloader.rollouts('other')).toBe(0);
  await reloader.config('same', { mode: '1' });
  await reloader.config('other', { mode: '2' });
  await reloader.rolledOut('other', 1);
  await reloader.handled();

  expect(reloader.rollouts('same')).toBe(0);
  expect(reloader.rollouts('other')).toBe(1);
});

test('[reloader 15] the record of a resource stays while the resource is deleted, if the workload has the annotation `search`', async () => {
  const reloader = await startReloader();
  const fields = { annotations: { 'reloader.stakater.com/match': 'true' } };
  await reloader.config('app', { mode: '1' }, fields);
  const annotations = { 'reloader.stakater.com/search': 'true' };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  await remove(reloader, 'ConfigMap', 'app');
  await reloader.handled();
  await reloader.config('app', { mode: '2' }, fields);

  await reloader.rolledOut('web', 1);
});

test('[reloader 15] with --reload-on-create, a resource with `match` that a workload with `search` uses counts as created when it appears', async () => {
  const reloader = await startReloader({ args: ['--reload-on-create=true'] });
  const annotations = { 'reloader.stakater.com/search': 'true' };
  await reloader.workload('web', {
    annotations,
    ...envFrom('configmap/with', 'configmap/without'),
  });
  expect(await reloader.recorded('web')).toEqual({ 'configmap/with': '', 'configmap/without': '' });

  await reloader.config('without', { mode: '1' });
  await reloader.handled();
  expect(reloader.rollouts('web')).toBe(0);
  const fields = { annotations: { 'reloader.stakater.com/match': 'true' } };
  await reloader.config('with', { mode: '1' }, fields);
  await reloader.rolledOut('web', 1);
  await reloader.config('without', { mode: '1' }, fields);
  await reloader.handled();

  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_WITH_CONFIGMAP']);
  expect(reloader.rollouts('web')).toBe(1);
});

test('[reloader 15] with --reload-on-create, a resource that a pattern matches counts as created, even after a restart', async () => {
  const reloader = await startReloader({ args: ['--reload-on-create=true'] });
  await reloader.config('app-old', { mode: '1' });
  const annotations = { 'configmap.reloader.stakater.com/reload': 'app-.*' };
  await reloader.workload('web', { annotations });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/*', 'configmap/app-old']);

  await reloader.config('app-new', { mode: '1' });
  await reloader.config('other', { mode: '1' });
  await reloader.rolledOut('web', 1);
  await reloader.operator.stop();
  await reloader.config('app-meanwhile', { mode: '1' });
  reloader.startOperator();
  await reloader.rolledOut('web', 2);
  await reloader.workload('late', { annotations });
  expect(Object.keys(await reloader.recorded('late'))).toHaveLength(4);
  await reloader.handled();

  expect(Object.keys(await reloader.variables('web')).sort()).toEqual([
    'STAKATER_APP_MEANWHILE_CONFIGMAP',
    'STAKATER_APP_NEW_CONFIGMAP',
  ]);
  expect(reloader.rollouts('web')).toBe(2);
  expect(reloader.rollouts('late')).toBe(0);
});

test('[reloader 15] with --reload-on-delete, a deletion is recognised even if only the variable in the template records the resource', async () => {
  const reloader = await startReloader({ args: ['--reload-on-delete=true'] });
  const data = { mode: '1' };
  await reloader.config('app', data, { annotations: { 'reloader.stakater.com/match': 'true' } });
  const env = [{ name: 'STAKATER_APP_CONFIGMAP', value: hashOfConfigMap({ data }) }];
  const containers = [{ ...APP, env, envFrom: [{ configMapRef: { name: 'app' } }] }];
  const annotations = { 'reloader.stakater.com/search': 'true' };
  await reloader.workload('web', { annotations, spec: { containers } });
  await reloader.handled();
  expect(reloader.rollouts('web')).toBe(0);

  await remove(reloader, 'ConfigMap', 'app');
  await reloader.rolledOut('web', 1);

  expect(await reloader.variables('web')).toEqual({});
});

test.each([
  'configmaps',
  'secrets',
])('[reloader 15] [reloader R5] with --reload-on-create, if %s are ignored, resources of the other type still restart their workload', async (ignored) => {
  const args = ['--reload-on-create=true', `--resources-to-ignore=${ignored}`];
  const reloader = await startReloader({ args });
  const references = envFrom('configmap/late', 'secret/late');
  await reloader.workload('web', { annotations: AUTO, ...references });
  const watched = ignored === 'secrets' ? 'configmap/late' : 'secret/late';
  expect(await reloader.recorded('web')).toEqual({ [watched]: '' });

  await reloader.config('late', { mode: '1' });
  await reloader.secret('late', { key: '1' });
  await reloader.rolledOut('web', 1);
  await reloader.handled();

  expect(reloader.rollouts('web')).toBe(1);
  expect(Object.keys(await reloader.variables('web'))).toEqual([
    ignored === 'secrets' ? 'STAKATER_LATE_CONFIGMAP' : 'STAKATER_LATE_SECRET',
  ]);
});

test('[reloader 15] [reloader R5] with --reload-on-delete, if ConfigMaps are ignored, the deletion of a Secret still removes its variable', async () => {
  const args = ['--reload-on-delete=true', '--resources-to-ignore=configmaps'];
  const reloader = await startReloader({ args });
  await reloader.secret('key', { key: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('secret/key') });
  await reloader.recorded('web');
  await reloader.secret('key', { key: '2' });
  await reloader.rolledOut('web', 1);

  await remove(reloader, 'Secret', 'key');
  await reloader.rolledOut('web', 2);
  await reloader.handled();

  expect(await reloader.variables('web')).toEqual({});
  expect(await reloader.recorded('web')).toEqual({ 'secret/key': '' });
  expect(reloader.rollouts('web')).toBe(2);
});

test('[reloader 4] [reloader 15] with --reload-on-delete, the deletion of a resource with the annotation `ignore` restarts nothing', async () => {
  const reloader = await startReloader({ args: ['--reload-on-delete=true'] });
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);
  await reloader.config(
    'app',
    { mode: '2' },
    { annotations: { 'reloader.stakater.com/ignore': 'true' } },
  );
  await reloader.handled();

  await remove(reloader, 'ConfigMap', 'app');
  await reloader.handled();
  await reloader.operator.stop();
  await reloader.startOperator().untilReady();
  await reloader.handled();
  expect(reloader.rollouts('web')).toBe(1);

  await reloader.config('app', { mode: '2' });
  await reloader.handled();
  expect(reloader.rollouts('web')).toBe(1);
  await remove(reloader, 'ConfigMap', 'app');
  await reloader.rolledOut('web', 2);
  expect(await reloader.variables('web')).toEqual({});
});

test('[reloader 16] [reloader R6] a deletion that only a new list reveals affects only that resource', async () => {
  const args = ['--reload-on-delete=true', '--reload-strategy=annotations'];
  const clock = new FakeClock(Date.now());
  const reloader = await startReloader({ args, clock, ownCluster: true });
  const { env, namespace } = reloader;
  await reloader.config('gone', { mode: '1' });
  await reloader.config('stays', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/gone') });
  await reloader.workload('other', { annotations: AUTO, ...envFrom('configmap/stays') });
  await reloader.recorded('web');
  await reloader.recorded('other');

  env.server.closeWatches('reset');
  env.server.delete('v1', 'ConfigMap', namespace, 'gone');
  env.server.compact('everything');
  const web = await passing(clock, reloader.rolledOut('web', 1));
  await passing(clock, reloader.handled());

  const text =
    web.spec.template.metadata?.annotations?.['reloader.stakater.com/last-reloaded-from'];
  expect(JSON.parse(text ?? '{}')).toMatchObject({
    type: 'CONFIGMAP',
    name: 'gone',
    namespace,
    hash: 'aae45badef99284e4dae01d6046154ea9d99532f',
    containerRefs: ['app'],
  });
  expect(reloader.rollouts('web')).toBe(1);
  expect(reloader.rollouts('other')).toBe(0);
});

test('[reloader R18] the first deployment of a workload restarts nothing, whether its resources are created before or after it', async () => {
  const clock = new FakeClock(Date.now());
  const args = ['--reload-on-create=true', '--debounce=2s'];
  const reloader = await startReloader({ clock, args });
  await reloader.config('before', { mode: '1' });
  const references = envFrom('configmap/before', 'secret/after', 'secret/never');
  await reloader.workload('web', { annotations: AUTO, ...references });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/before']);

  await reloader.secret('after', { key: '1' });
  await eventually(async () => 'secret/after' in (await reloader.recorded('web')));
  await reloader.idle();
  clock.advance(31_000);
  await eventually(async () => (await reloader.recorded('web'))['secret/never'] === '');

  expect(reloader.rollouts('web')).toBe(0);
});

test('[reloader R18] without --reload-on-create, a resource that is created later is recorded, and restarts nothing', async () => {
  const reloader = await startReloader();
  await reloader.config('before', { mode: '1' });
  const references = envFrom('configmap/before', 'secret/after');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.recorded('web');

  await reloader.secret('after', { key: '1' });
  await reloader.handled();

  expect(reloader.rollouts('web')).toBe(0);
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/before', 'secret/after']);
});
