/**
 * What the README, and that of config-restart, tell people to type that needs kubectl or jq, taken from the text and run.
 *
 * @module-tag kubectl
 * @module-tag jq
 */
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiServer, eventually, KubectlProxy } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { folderWithTools } from '../tools/links.ts';
import { pathOf } from '../tools/tools.ts';
import { codeOf, folderWithChancery, pathWith, shell } from './readme.ts';

test('the shell loop in the README prints existing objects and their changes', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const metadata = { name: 'settings', namespace: 'demo' };
  server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const folder = folderWithChancery();
  const { stdout } = shell(codeOf('From a shell loop'), {
    PATH: pathWith(`${folder}:${folderWithTools('jq')}`),
    CHANCERY_API_URL: server.url,
  });

  await eventually(() => stdout.includes('ADDED settings'));
  server.patch('v1', 'ConfigMap', 'demo', 'settings', { data: { a: 'b\nc\\d' } });
  await eventually(() => stdout.includes('MODIFIED settings'));
  server.delete('v1', 'ConfigMap', 'demo', 'settings');
  await eventually(() => stdout.includes('DELETED settings'));

  expect(stdout).toEqual(['ADDED settings', 'MODIFIED settings', 'DELETED settings']);
});

test('after the two commands of the README a Deployment exists, and its Pods run', async () => {
  const folder = folderWithChancery();
  const [serve = '', use = ''] = codeOf('A cluster API to try things on').split('\n');
  const env = {
    PATH: [folder, folderWithTools('kubectl'), dirname(process.execPath), process.env.PATH].join(
      ':',
    ),
    HOME: folder,
    KUBECONFIG: join(folder, 'cluster.yaml'),
  };
  const inFolder = (line: string): string => line.replaceAll('cluster.yaml', env.KUBECONFIG);
  expect(serve).toMatch(/ &$/); // in the background of a shell that goes on
  const { stdout } = shell(`exec ${inFolder(serve).replace(/ &$/, '')}`, env);
  await eventually(() => stdout.length === 1);

  const [created] = await once(shell(inFolder(use), env).child, 'close');
  const ready = await eventually(async () => {
    const path = '/api/v1/namespaces/default/pods';
    const { items } = (await (await fetch(`${stdout[0]}${path}`)).json()) as {
      items: readonly { status: { phase?: string } }[];
    };
    return items.length === 3 && items.every(({ status }) => status.phase === 'Running');
  });

  expect(created).toBe(0);
  expect(ready).toBe(true);
});

test('by hand: after a change of the ConfigMap during an outage the Pods are restarted once', {
  timeout: 60_000,
}, async () => {
  const lines = codeOf('By hand', 'examples/config-restart/README.md').split('\n');
  const command = (beginning: string): string =>
    lines.find((line) => line.includes(beginning)) ?? expect.unreachable(`no ${beginning}`);
  const kubectl = pathOf('kubectl');
  const { stdout } = shell(`exec ${command('chancery apiserver')} --port 0`);
  const url = await eventually(() => /http:\/\/\S+\d/.exec(stdout.at(-1) ?? '')?.[0]);
  expect(command('kubectl proxy')).toBe('kubectl proxy --server=http://127.0.0.1:8080');
  const proxy = new KubectlProxy({ kubectl, server: url });
  await proxy.start();
  onTestFinished(() => proxy.kill());
  const { stderr } = shell(`exec env ${command('chancery run')}`, {
    CHANCERY_API_URL: proxy.url,
    CHANCERY_HEALTH_PORT: '0',
  });
  const kube = async (...words: readonly string[]): Promise<string> => {
    const { stdout: out, child } = shell(words.join(' ').replaceAll('http://127.0.0.1:8080', url), {
      PATH: pathWith(folderWithTools('kubectl')),
      KUBECONFIG: '/dev/null',
      HOME: tmpdir(),
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    return out.join('\n');
  };
  await eventually(async () => {
    const state = await fetch(`${url}/api/v1/namespaces/demo/configmaps/config-restart-state`);
    return state.ok;
  });
  const before = await kube(command('get pods'));

  await proxy.kill();
  await kube(command('patch configmap'));
  await proxy.start();
  await eventually(() => stderr.some((line) => line.includes('workload restarted')));

  const after = await eventually(async () => {
    const pods = await kube(command('get pods'));
    return pods.match(/1\/1 +Running/g)?.length === 3 && !sharesPod(before, pods) && pods;
  });
  const replicaSets = await fetch(`${url}/apis/apps/v1/namespaces/demo/replicasets`);
  expect(((await replicaSets.json()) as { items: unknown[] }).items).toHaveLength(2);
  expect(after).toContain('webapp-');
});

function sharesPod(before: string, after: string): boolean {
  const names = (text: string): string[] => text.match(/webapp-\w+-\w+/g) ?? [];
  return names(after).some((name) => names(before).includes(name));
}
