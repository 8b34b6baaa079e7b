import { eventually } from '@chancery/testing';
import type { ConfigMap } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { metaInfo } from '../../tell/meta-info.ts';
import { startReloader } from '../support/start.ts';

test('the meta ConfigMap contains the options unchanged, except for URLs that may contain a token', () => {
  const { buildInfo, reloaderOptions, deploymentInfo } = metaInfo(
    { name: 'reloader', namespace: 'tools' },
    { 'auto-reload-all': true, namespaces: ['a', 'b'], 'webhook-url': 'https://x/TOKEN' },
  );

  expect(Object.keys(JSON.parse(buildInfo) as object)).toEqual([
    'goVersion',
    'releaseVersion',
    'commitHash',
    'commitTime',
    'edition',
  ]);
  expect(reloaderOptions).toBe(
    '{"auto-reload-all":true,"namespaces":["a","b"],"webhook-url":"***"}',
  );
  expect(deploymentInfo).toBe('{"name":"reloader","namespace":"tools"}');
});

test('the meta ConfigMap is written at startup and again after its deletion, with a permission for only its name', async () => {
  const { env } = await startReloader({
    variables: { RELOADER_NAMESPACE: 'default', RELOADER_DEPLOYMENT_NAME: 'reloader' },
    allNamespaces: true,
  });
  const live = (): Promise<ConfigMap | undefined> =>
    env.get<ConfigMap>('v1', 'ConfigMap', 'default', 'reloader-meta-info');

  const first = await eventually(live);
  await env.delete('v1', 'ConfigMap', 'default', 'reloader-meta-info');
  const second = await eventually(live);

  expect(first.metadata.labels).toEqual({ 'reloader.stakater.com/meta-info': 'reloader' });
  expect(first.data?.deploymentInfo).toBe('{"name":"reloader","namespace":"default"}');
  expect(second.data).toEqual(first.data);
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
});
