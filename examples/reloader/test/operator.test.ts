import { expect, test } from 'vitest';
import { AUTO, envFrom, startReloader } from './support/start.ts';

test("[reloader 1] a change of a ConfigMap's data causes one patch of the template, and other changes cause none", async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: 'slow' });
  await reloader.config('other', { mode: 'slow' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  const writesBefore = reloader.writes().length;

  await reloader.config('app', { mode: 'fast' });
  const web = await reloader.rolledOut('web', 1);
  await reloader.config('app', { mode: 'fast' }, { labels: { team: 'a' } });
  await reloader.config('other', { mode: 'fast' });
  await reloader.handled();

  expect(reloader.writes().slice(writesBefore)[0]).toBe('patch deployments.apps');
  expect(reloader.rollouts('web')).toBe(1);
  expect((await reloader.live('web')).metadata.resourceVersion).toBe(web.metadata.resourceVersion);
  expect(await reloader.variables('web')).toEqual({
    STAKATER_APP_CONFIGMAP: '5c2d289d83025acfe3f04ea87e45d160f79511fb',
  });
  expect(await reloader.told('Reloaded')).toContainEqual({
    type: 'Normal',
    reason: 'Reloaded',
    note: `Changes of 'app' of type 'CONFIGMAP' in namespace '${reloader.namespace}' restart 'web' of type 'Deployment' in namespace '${reloader.namespace}'`,
  });
});
