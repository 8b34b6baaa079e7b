/** What the README tells people to type that needs kubectl or jq, taken from its text and run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../operator/testing/apiserver/api-server.ts';
import { eventually } from '../../operator/testing/eventually.ts';
import { KubectlProxy } from '../../operator/testing/kubectl-proxy.ts';
import { requireKubectl } from '../support/cluster.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  bin: Record<string, string>;
};

/** The indented and fenced code of a section, by its heading. */
function codeOf(heading: string): string {
  const section = readme.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  const indented = section
    .replaceAll(/^```.*?^```/gms, '')
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4));
  return [...fencedIn(heading), indented.join('\n')].join('\n');
}

/** The fenced code of a section, block by block. */
function fencedIn(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code]) => code ?? '');
}

/** A folder in which `chancery` is a command, as after an installation. */
function folderWithChancery(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, packageJson.bin.chancery ?? ''), join(folder, 'chancery'));
  return folder;
}

interface Running {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly child: ChildProcess;
}

/** A command line under `sh`, in a process group of its own so that its end ends all of it. */
function shell(script: string, env: Record<string, string | undefined> = {}): Running {
  const child = spawn('sh', ['-c', script], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  return { stdout, stderr, child };
}

/** PATH with `folder` first, and the Node that runs the tests before any other. */
const pathWith = (folder: string): string =>
  [folder, dirname(process.execPath), process.env.PATH].join(':');

test('the shell loop prints what there is and what changes', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const metadata = { name: 'settings', namespace: 'demo' };
  server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const folder = folderWithChancery();
  const { stdout } = shell(codeOf('From a shell loop'), {
    PATH: pathWith(folder),
    CHANCERY_API_URL: server.url,
  });

  await eventually(() => stdout.includes('ADDED settings'));
  server.patch('v1', 'ConfigMap', 'demo', 'settings', { data: { a: 'b\nc\\d' } });
  await eventually(() => stdout.includes('MODIFIED settings'));
  server.delete('v1', 'ConfigMap', 'demo', 'settings');
  await eventually(() => stdout.includes('DELETED settings'));

  expect(stdout).toEqual(['ADDED settings', 'MODIFIED settings', 'DELETED settings']);
});

test('a cluster API in two lines: kubectl makes a Deployment, and its Pods come up', async () => {
  const folder = folderWithChancery();
  const kubectl = requireKubectl();
  const [serve = '', use = ''] = codeOf('A cluster API to try things on').split('\n');
  const env = {
    PATH: [folder, kubectlFolder(kubectl), dirname(process.execPath), process.env.PATH].join(':'),
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

test('by hand: the ambassador ends, the ConfigMap changes, the ambassador returns, the Pods roll once', {
  timeout: 60_000,
}, async () => {
  const lines = codeOf('Run it by hand').split('\n');
  const command = (beginning: string): string =>
    lines.find((line) => line.includes(beginning)) ?? expect.unreachable(`no ${beginning}`);
  const kubectl = requireKubectl();
  const { stdout } = shell(`exec ${command('npm run apiserver')} -- --port 0`);
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
      PATH: pathWith(kubectlFolder(kubectl)),
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
    return pods.match(/1\/1 +Running/g)?.length === 3 && !sharesPod(before, pods)
      ? pods
      : undefined;
  });
  const replicaSets = await fetch(`${url}/apis/apps/v1/namespaces/demo/replicasets`);
  expect(((await replicaSets.json()) as { items: unknown[] }).items).toHaveLength(2);
  expect(after).toContain('webapp-');
});

function sharesPod(before: string, after: string): boolean {
  const names = (text: string): string[] => text.match(/webapp-\w+-\w+/g) ?? [];
  return names(after).some((name) => names(before).includes(name));
}

/** A folder in which the real kubectl is called so. */
function kubectlFolder(kubectl: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-kubectl-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(kubectl, join(folder, 'kubectl'));
  return folder;
}
