/**
 * Operators of "before" that are scripts, as they stand in the pages: they do what the pages say, against the embedded API server.
 *
 * @module-tag bash
 * @module-tag curl
 * @module-tag jq
 * @module-tag kubectl
 * @module-tag python3-kubernetes
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ApiServer, eventually } from '@chancery/testing';
import type { ConfigMap } from 'chancery/kubernetes';
import { formatYaml } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { BIN, type Child, folderWith, start } from '../cli/child.ts';
import { folderWithTools } from '../tools/links.ts';
import { pathOf } from '../tools/tools.ts';
import { blocksOf } from './language-pages.ts';

const PATIENT = { timeout: 120_000 };

/** The text of a block of one of these pages. */
function block(page: string, name: string): string {
  const found = blocksOf(`coming-from/${page}`).find((each) => each.name === name);
  if (found === undefined) throw new Error(`${page} has no block ${name}`);
  return found.text;
}

/** An API server with the objects of the sample in the index. */
async function cluster(): Promise<ApiServer> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.applyManifest(block('index.md', 'samples/settings.yaml'));
  return server;
}

/** The sample is copied, a change of the original follows, and so does a namespace that comes later. */
async function copies(server: ApiServer, operator: Child): Promise<void> {
  const hasColor = async (namespace: string, color: string): Promise<void> => {
    const seen = () =>
      server.get('v1', 'ConfigMap', namespace, 'settings') as ConfigMap | undefined;
    await eventually(() => seen()?.data?.color === color, { timeoutMs: 30_000 }).catch((cause) => {
      throw new Error(operator.stderr.lines.join('\n'), { cause });
    });
  };
  await hasColor('shop', 'red');
  server.applyManifest(block('index.md', 'samples/settings.yaml').replace('red', 'blue'));
  await hasColor('shop', 'blue');
  const labels = { settings: 'shared' };
  server.applyManifest(
    formatYaml({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'late', labels } }),
  );
  await hasColor('late', 'blue');
}

test('the loop with curl and jq in curl-loop.md copies the ConfigMap', PATIENT, async () => {
  const server = await cluster();
  const folder = folderWith({ 'settings.sh': block('curl-loop.md', 'settings.sh') });
  const PATH = `${folderWithTools('bash', 'curl', 'jq')}:${process.env.PATH}`;

  const operator = start('bash', ['settings.sh'], { PATH, API: server.url }, folder);

  await copies(server, operator);
});

test('the script for the Python client in curl-loop.md copies the ConfigMap', PATIENT, async () => {
  const server = await cluster();
  const folder = folderWith({ 'settings.py': block('curl-loop.md', 'settings.py') });

  const env = { API: server.url, PYTHONUNBUFFERED: '1' };
  const operator = start(pathOf('python3-kubernetes'), ['settings.py'], env, folder);

  await copies(server, operator);
});

test(
  'the hook in shell-operator.md, run by `chancery hooks`, copies the ConfigMap',
  PATIENT,
  async () => {
    const server = await cluster();
    const name = 'hooks/settings.sh';
    const folder = folderWith({});
    mkdirSync(dirname(join(folder, name)));
    writeFileSync(join(folder, name), block('shell-operator.md', name));
    chmodSync(join(folder, name), 0o755);
    const verbs = ['create', 'get', 'update'];
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs }];
    writeFileSync(join(folder, `${name}.rights.yaml`), formatYaml({ rules }));

    const PATH = `${folderWithTools('bash', 'jq')}:${process.env.PATH}`;
    const env = { PATH, CHANCERY_API_URL: server.url };
    const operator = start(process.execPath, [BIN, 'hooks', 'hooks'], env, folder);

    await copies(server, operator);
  },
);

/** A definition as kopf's users have them, and an object as kopf leaves it. */
function leftByKopf(isSubresource: boolean): readonly object[] {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    ...{ name: 'v1', served: true, storage: true },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
    ...(isSubresource && { subresources: { status: {} } }),
  };
  const names = { plural: 'claims', singular: 'claim', kind: 'Claim', listKind: 'ClaimList' };
  return [
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'claims.example.com' },
      spec: { group: 'example.com', names, scope: 'Namespaced', versions: [version] },
    },
    {
      apiVersion: 'example.com/v1',
      kind: 'Claim',
      metadata: {
        name: 'used',
        namespace: 'default',
        finalizers: ['kopf.zalando.org/KopfFinalizerMarker', 'example.com/other'],
        annotations: {
          note: 'kept',
          'kopf.zalando.org/last-handled-configuration': '{}',
          'kopf.zalando.org/create_fn': '{}',
        },
      },
    },
    {
      apiVersion: 'example.com/v1',
      kind: 'Claim',
      metadata: { name: 'new', namespace: 'default' },
    },
  ];
}

test.each([
  ['no status subresource', false],
  ['a status subresource', true],
])(
  'for a kind with %s the commands in kopf.md remove everything that kopf wrote into an object',
  PATIENT,
  async (_, isSubresource) => {
    const server = await ApiServer.start();
    onTestFinished(() => server.close());
    for (const object of leftByKopf(isSubresource)) server.applyManifest(formatYaml(object));
    const status = { kopf: { progress: {} }, create_fn: { volume: 'data' } };
    const part = isSubresource ? 'status' : undefined;
    server.patch('example.com/v1', 'Claim', 'default', 'used', { status }, part);
    const tools = folderWithTools('kubectl', 'jq');
    const config = { apiVersion: 'v1', kind: 'Config', 'current-context': 'a' };
    const kubeconfig = {
      ...config,
      clusters: [{ name: 'a', cluster: { server: server.url } }],
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
    };
    const folder = folderWith({ config: formatYaml(kubeconfig) });
    const env = { PATH: `${tools}:${process.env.PATH}`, KUBECONFIG: join(folder, 'config') };
    const type = async (lines: string): Promise<void> => {
      const shell = start('sh', ['-euc', lines], env, folder);
      expect(await shell.exit, shell.stderr.lines.join('\n')).toBe(0);
    };

    await type(block('kopf.md', 'move'));
    if (isSubresource) {
      await type(block('kopf.md', 'move').replace('replace', 'replace --subresource=status'));
    }

    const moved = server.get('example.com/v1', 'Claim', 'default', 'used');
    expect(moved).toMatchObject({ status: { create_fn: { volume: 'data' } } });
    expect(moved?.metadata.finalizers).toEqual(['example.com/other']);
    expect(moved?.metadata.annotations).toEqual({ note: 'kept' });
    expect(JSON.stringify(moved)).not.toContain('kopf');
    server.delete('example.com/v1', 'Claim', 'default', 'new');
    expect(server.get('example.com/v1', 'Claim', 'default', 'new')).toBeUndefined();
  },
);

test('the command in kopf.md prints the field manager of a child', PATIENT, async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const path = '/api/v1/namespaces/default/persistentvolumeclaims';
  const answer = await fetch(`${server.url}${path}?fieldManager=OpenAPI-Generator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
  });
  expect(answer.status).toBe(201);
  const [kubectl, ...args] = block('kopf.md', 'managers').trim().replace('NAME', 'data').split(' ');

  const child = start(
    pathOf('kubectl'),
    [`--server=${server.url}`, ...args],
    { KUBECONFIG: '/dev/null' },
    folderWith({}), // kubectl keeps a cache in its folder when HOME is not set
  );

  expect(kubectl).toBe('kubectl');
  expect(await child.exit, child.stderr.lines.join('\n')).toBe(0);
  expect(child.stdout.lines.join('\n')).toContain('manager: OpenAPI-Generator');
});

test.each([
  ['kopf.md', 'settings.py'],
  ['metacontroller.md', 'server.py'],
])('the Python code in %s compiles', PATIENT, async (page, name) => {
  const folder = folderWith({ [name]: block(page, name) });

  const compiler = start(pathOf('python3-kubernetes'), ['-m', 'py_compile', name], {}, folder);

  expect(await compiler.exit, compiler.stderr.lines.join('\n')).toBe(0);
});
