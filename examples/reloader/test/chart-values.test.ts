/** Values of the original's chart, on a cluster. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { chartArguments } from '../contract/chart.ts';
import { envFrom, startReloader } from './support/start.ts';

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

test('[reloader 30] the operator works as configured with arguments that are made from values of the chart', async () => {
  const values = {
    reloader: {
      autoReloadAll: true,
      reloadStrategy: 'annotations',
      ignoreSecrets: true,
      ignoreJobs: true,
      ignoreCronJobs: true,
      custom_annotations: { auto: 'example.dev/reload' },
    },
  };
  const { args } = chartArguments(values, { namespace: 'reloader', name: 'reloader' });
  const reloader = await startReloader({ args });
  await reloader.config('app', { mode: '1' });
  await reloader.secret('key', { mode: '1' });
  const references = envFrom('configmap/app', 'secret/key');
  await reloader.workload('web', references);
  await reloader.workload('off', { annotations: { 'example.dev/reload': 'false' }, ...references });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/app']);

  await reloader.secret('key', { mode: '2' });
  await reloader.config('app', { mode: '2' });
  const { spec } = await reloader.rolledOut('web', 1);

  const last = spec.template.metadata?.annotations?.['reloader.stakater.com/last-reloaded-from'];
  expect(JSON.parse(last ?? '{}')).toMatchObject({ type: 'CONFIGMAP', hash: sha1('mode=2') });
  expect(reloader.rollouts('off')).toBe(0);
});
