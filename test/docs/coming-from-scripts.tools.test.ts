/**
 * Operators of "before" that are scripts, as they stand in the pages: they do what the pages say, against the embedded API server.
 *
 * @module-tag bash
 * @module-tag curl
 * @module-tag jq
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

test('the loop of curl and jq copies the settings', PATIENT, async () => {
  const server = await cluster();
  const folder = folderWith({ 'settings.sh': block('curl-loop.md', 'settings.sh') });
  const PATH = `${folderWithTools('bash', 'curl', 'jq')}:${process.env.PATH}`;

  const operator = start('bash', ['settings.sh'], { PATH, API: server.url }, folder);

  await copies(server, operator);
});

test('the script for the client of Python copies the settings', PATIENT, async () => {
  const server = await cluster();
  const folder = folderWith({ 'settings.py': block('curl-loop.md', 'settings.py') });

  const env = { API: server.url, PYTHONUNBUFFERED: '1' };
  const operator = start(pathOf('python3-kubernetes'), ['settings.py'], env, folder);

  await copies(server, operator);
});

test('the hook of shell-operator copies the settings under chancery hooks', PATIENT, async () => {
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
});

test.each([
  ['kopf.md', 'settings.py'],
  ['metacontroller.md', 'server.py'],
])('the Python of %s compiles', PATIENT, async (page, name) => {
  const folder = folderWith({ [name]: block(page, name) });

  const compiler = start(pathOf('python3-kubernetes'), ['-m', 'py_compile', name], {}, folder);

  expect(await compiler.exit, compiler.stderr.lines.join('\n')).toBe(0);
});
