/**
 * The commands of config-restart's README, with a real kubectl, as they stand there.
 *
 * @module-tag kubectl
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { NAMESPACE, startCluster, startOperator } from '../support/cluster.ts';
import { pathOf } from '../tools/tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'examples/config-restart/README.md'), 'utf8');
const [before = ''] = readme.split('## By hand'); // test/docs/readme.tools.test.ts follows that section
const commands = before
  .split('\n')
  .filter((line) => line.startsWith('    kubectl '))
  .map((line) => line.trim());

/** A folder in which `kubectl` is the real one, and a kubeconfig that names `server`. */
function folderFor(server: string): { folder: string; kubeconfig: string } {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-config-restart-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(pathOf('kubectl'), join(folder, 'kubectl'));
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server } }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', namespace: NAMESPACE } }],
    'current-context': 'embedded',
  });
  return { folder, kubeconfig };
}

test('the commands in the config-restart README patch the sample and show rollout and Events', {
  timeout: 60_000,
}, async () => {
  const { server, proxy } = await startCluster({ workloads: { podReadyMs: 20, podStopMs: 10 } });
  startOperator(proxy.url, [configRestart], {
    podNamespace: NAMESPACE,
    podName: 'config-restart-0',
  });
  const { folder, kubeconfig } = folderFor(server.url);
  const sh = async (command: string): Promise<string> => {
    const script = `printf '%s' "$CONFIG" > "$KUBECONFIG" && ${command}`;
    const child = spawn('sh', ['-c', script], {
      cwd: root,
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        HOME: folder,
        KUBECONFIG: join(folder, 'config'),
        CONFIG: kubeconfig,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, complaints, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    expect(`${code} ${complaints}`).toBe('0 ');
    return out;
  };
  const [apply, patch, status, describe] = commands;
  expect(commands).toHaveLength(4);

  await sh(apply ?? '');
  await eventually(() => server.get('v1', 'ConfigMap', NAMESPACE, 'config-restart-state'));
  await sh(patch ?? '');
  await eventually(() => server.list('apps/v1', 'ReplicaSet', NAMESPACE).length === 2);
  const followed = await sh(status ?? '');
  const described = await eventually(async () => {
    const shown = await sh(describe ?? '');
    return shown.includes('PodsRestarted') ? shown : undefined;
  });

  expect(followed).toContain('deployment "webapp" successfully rolled out');
  expect(described).toMatch(/Normal +PodsRestarted .* restarted Deployment\/webapp/);
});
