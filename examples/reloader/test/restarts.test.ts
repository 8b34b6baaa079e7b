/** From a change to one patch. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { APP, AUTO, envFrom, startReloader } from './support/start.ts';

test.each([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
] as const)('[reloader 6] a %s restarts for a ConfigMap of its init container, and for a Secret of which it uses only one key', async (kind) => {
  const reloader = await startReloader();
  await reloader.config('init', { mode: '1' });
  await reloader.secret('key', { password: '1' });
  const valueFrom = { secretKeyRef: { name: 'key', key: 'password' } };
  const spec = {
    initContainers: [{ ...APP, name: 'init', envFrom: [{ configMapRef: { name: 'init' } }] }],
    containers: [APP, { ...APP, name: 'side', env: [{ name: 'PASSWORD', valueFrom }] }],
  };
  await reloader.workload('web', { kind, annotations: AUTO, spec });
  await reloader.recorded('web', kind);

  await reloader.config('init', { mode: '2' });
  await reloader.rolledOut('web', 1, kind);
  await reloader.secret('key', { password: '2' });
  await reloader.rolledOut('web', 2, kind);

  expect(Object.keys(await reloader.variables('web', 'app', kind))).toEqual([
    'STAKATER_INIT_CONFIGMAP',
  ]);
  // As the original's patch, the API server's merge puts a new variable first.
  expect(Object.keys(await reloader.variables('web', 'side', kind))).toEqual([
    'STAKATER_KEY_SECRET',
    'PASSWORD',
  ]);
  expect(reloader.rollouts('web', kind)).toBe(2);
});

test('[reloader 3] a broken pattern is reported once, and other entries and workloads still work', async () => {
  const reloader = await startReloader();
  const annotations = { 'configmap.reloader.stakater.com/reload': 'app-.*, other, (' };
  await reloader.workload('web', { annotations });
  await reloader.workload('idle', {
    annotations: { 'secret.reloader.stakater.com/reload': '[' },
  });
  await reloader.told('ReloadConfigInvalid', 2);
  await reloader.config('app-one', { mode: '1' });
  await reloader.config('other', { mode: '1' });
  await eventually(async () => Object.keys(await reloader.recorded('web')).length === 2);

  for (const name of ['app-one', 'other']) await reloader.config(name, { mode: '2' });
  await eventually(async () => Object.keys(await reloader.variables('web')).length === 2);
  await reloader.config('unnamed', { mode: '1' });
  await reloader.handled();

  const told = await reloader.told('ReloadConfigInvalid');
  expect(told.map(({ type }) => type)).toEqual(['Warning', 'Warning']);
});

test('[reloader 4] the annotation `search` needs the annotation `match` on the resource, and the annotation `ignore` on the resource overrides it', async () => {
  const reloader = await startReloader();
  const match = { 'reloader.stakater.com/match': 'true' };
  const ignore = { ...match, 'reloader.stakater.com/ignore': 'true' };
  const resources = { matched: match, unmatched: {}, ignored: ignore };
  const change = async (mode: string): Promise<void> => {
    for (const [name, annotations] of Object.entries(resources)) {
      await reloader.config(name, { mode }, { annotations });
    }
  };
  await change('1');
  const references = envFrom('configmap/matched', 'configmap/unmatched', 'configmap/ignored');
  const annotations = { 'reloader.stakater.com/search': 'true' };
  await reloader.workload('web', { annotations, ...references });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/matched']);

  await change('2');
  await reloader.rolledOut('web', 1);
  await reloader.handled();

  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_MATCHED_CONFIGMAP']);
});
