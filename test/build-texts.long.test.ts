/** Texts of other languages, such as the status page, are in what the build makes as they are in the sources. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, freePort } from '@chancery/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BIN, start } from './cli/child.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../', import.meta.url));
const MODULE = join(repository, 'examples/config-restart/operator.ts');

let folder = '';
/** The built command, in a folder that has no sources. */
let built = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chancery-built-'));
  const args = ['build/main.ts', '--image', '--out-dir', join(folder, 'dist'), '.'];
  await run(process.execPath, args, { cwd: repository });
  await cp(join(repository, 'package.json'), join(folder, 'package.json'));
  await mkdir(join(folder, 'operator/cli'), { recursive: true });
  await cp(BIN, join(folder, 'operator/cli/chancery.js'));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  built = join(folder, 'operator/cli/chancery.js');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Page {
  readonly policy: string | null;
  readonly html: string;
}

async function statusPage(script: string): Promise<Page> {
  const port = `${await freePort()}`;
  start(process.execPath, [script, 'run', MODULE], {
    CHANCERY_HEALTH_HOST: '127.0.0.1',
    CHANCERY_HEALTH_PORT: port,
    POD_NAMESPACE: 'a',
  });
  return eventually(
    async () => {
      const response = await fetch(`http://127.0.0.1:${port}/status`);
      const policy = response.headers.get('content-security-policy');
      return { policy, html: await response.text() };
    },
    { timeoutMs: 30_000 },
  );
}

/** Path and text of each file of a tree of manifests. */
async function manifests(script: string, name: string): Promise<Readonly<Record<string, string>>> {
  const tree = join(folder, name);
  const args = ['generate', 'manifests', MODULE, '--name', 'a', '--namespace', 'a'];
  const images = ['--ambassador-image', 'kubectl:1', '--operator-image', 'operator:1'];
  await run(process.execPath, [script, ...args, ...images, '-o', tree]);
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(tree.length + 1), await readFile(path, 'utf8')];
    });
  return Object.fromEntries(await Promise.all(texts));
}

test('the built operator serves the same status page as the source code', async () => {
  const ofSources = await statusPage(BIN);
  const ofBuild = await statusPage(built);

  expect(ofBuild).toEqual(ofSources);
  expect(ofBuild.html).toContain('<h1 id="name">');
  expect(ofBuild.html).toContain(
    await readFile(inSources('manager/status-page/page/page.css'), 'utf8'),
  );
});

test('the built command writes the same manifests as the source code', async () => {
  const ofSources = await manifests(BIN, 'of-sources');
  const ofBuild = await manifests(built, 'of-build');

  expect(ofBuild).toEqual(ofSources);
  expect(Object.keys(ofBuild)).toEqual(
    expect.arrayContaining([
      'base/deployment.yaml',
      'components/native-sidecar/copy/kustomization.yaml',
    ]),
  );
});

function inSources(path: string): string {
  return join(repository, 'operator', path);
}
