/**
 * What `chancery apiserver --kubeconfig-out` writes, as a real kubectl reads it.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pathOf } from '../tools/tools.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';
import { serving } from './support/served-api.ts';

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { k: "1" }\n';

test('with `--tls`, a client needs the kubeconfig, which contains the CA and a token', async () => {
  const path = join(folderWith({}), 'config');
  const invocation = invoke(['apiserver', '--port=0', '--tls', '--kubeconfig-out', path]);
  const url = await serving(invocation);

  const { stdout } = await promisify(execFile)(pathOf('kubectl'), [
    `--kubeconfig=${path}`,
    'auth',
    'whoami',
    '--output=jsonpath={.status.userInfo.username}',
  ]);
  const stranger = promisify(execFile)(pathOf('kubectl'), [
    '--kubeconfig=/dev/null',
    `--server=${url}`,
    '--insecure-skip-tls-verify',
    '--token=guessed',
    'get',
    'namespaces',
  ]);

  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
  expect(stdout).toBe('kubernetes-admin');
  await expect(stranger).rejects.toThrow(/Unauthorized|must be logged in/);
});

test('a real kubectl needs only the kubeconfig, and uses the namespace in it', async () => {
  const path = join(folderWith({ 'cm.yaml': CONFIG_MAP }), 'cluster.yaml');
  const manifest = path.replace('cluster.yaml', 'cm.yaml');
  const invocation = invoke([
    'apiserver',
    '--port=0',
    '-n',
    'demo',
    '-f',
    manifest,
    '--kubeconfig-out',
    path,
  ]);
  await serving(invocation);

  const { stdout } = await promisify(execFile)(
    pathOf('kubectl'),
    [
      `--kubeconfig=${path}`,
      'get',
      'configmap',
      'a',
      '-o',
      'jsonpath={.metadata.namespace}/{.data.k}',
    ],
    { env: { HOME: dirname(path) } },
  );

  expect(stdout).toBe('demo/1');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
