/**
 * The pages for people who come from another framework. From an empty folder: the commands of the index as they stand there, then
 * the files and the commands of each page. npm asks a registry that has our archives.
 */
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ApiServer, eventually } from '@chancery/testing';
import type { ConfigMap } from 'chancery/kubernetes';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Child, start } from '../cli/child.ts';
import { type LocalRegistry, startRegistry } from '../support/local-registry.ts';
import { packedOnce } from '../support/packed-once.ts';
import { type Block, blocksOf } from './language-pages.ts';

const SETUP_MS = 480_000;
const PATIENT = { timeout: 240_000 };
const FOLDER = 'coming-from';
const PACKAGES = ['.', 'testing', 'create-chancery'];
const docs = fileURLToPath(new URL(`../../docs/${FOLDER}/`, import.meta.url));
const index = blocksOf(`${FOLDER}/index.md`);

interface Project {
  /** The pages that show it. */
  readonly name: string;
  readonly files: readonly Block[];
}

/** Most pages show the same operator: it is tried once. */
const projects = projectsOf(globSync('*.md', { cwd: docs }).filter((page) => page !== 'index.md'));

function projectsOf(pages: readonly string[]): readonly Project[] {
  const filesOf = (page: string) => blocksOf(`${FOLDER}/${page}`).filter(isFile);
  const groups = Map.groupBy(pages, (page) => JSON.stringify(filesOf(page)));
  return [...groups.values()].map(([first = '', ...others]) => ({
    name: [first, ...others].join(', '),
    files: filesOf(first),
  }));
}

function isFile({ name }: Block): boolean {
  return /^(?:src|samples)\//.test(name);
}

let registry: LocalRegistry;
/** The folder in which somebody has typed the commands of the index. Copied, never changed. */
let installed = '';

beforeAll(async () => {
  const archives: string[] = [];
  for (const each of PACKAGES) archives.push((await packedOnce(each)).archive);
  registry = await startRegistry(archives);
  installed = await emptyFolder();
  await run(textOf(index, 'install'), installed);
}, SETUP_MS);

afterAll(async () => {
  await registry?.close();
  await rm(installed, { recursive: true, force: true });
});

async function emptyFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'chancery-coming-from-')));
}

/** The environment of a terminal: without what npm has put into this one. */
function terminal(): Readonly<Record<string, string>> {
  const { HOME = '', PATH = '' } = process.env;
  const own = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return {
    HOME,
    PATH: [dirname(process.execPath), ...own].join(delimiter),
    NO_COLOR: '1',
    ...registry.environment,
    // The package `node` would fetch a Node in its script. The archive of the registry has one.
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_yes: 'true',
    npm_config_update_notifier: 'false',
  };
}

/** Runs lines of a shell one after another. @throws Error with all that they wrote when one fails. */
async function run(lines: string, cwd: string): Promise<string> {
  const options = { cwd, env: { ...terminal() }, maxBuffer: 1 << 26 };
  try {
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', lines], options);
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${lines}\n${stdout}\n${stderr}`, { cause: error });
  }
}

function textOf(blocks: readonly Block[], name: string): string {
  const block = blocks.find((each) => each.name === name);
  if (block === undefined) throw new Error(`there is no block ${name}`);
  return block.text;
}

/** The project of the index with the files of a page. Its packages are those of the index. */
async function projectWith(files: readonly Block[]): Promise<string> {
  const project = await emptyFolder();
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  const origin = join(installed, 'settings');
  const isOwn = (path: string): boolean => basename(path) !== 'node_modules';
  await cp(origin, project, { recursive: true, filter: isOwn });
  await symlink(join(origin, 'node_modules'), join(project, 'node_modules'));
  for (const { name, text } of [...index.filter(isFile), ...files]) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  return project;
}

/** The operator of the project as a process, beside an API server. */
function startProcess(project: string, server: ApiServer): Child {
  const env = {
    ...terminal(),
    CHANCERY_API_URL: server.url,
    CHANCERY_HEALTH_PORT: '0',
    CHANCERY_METRICS_PORT: '0',
  };
  return start('npx', ['chancery', 'run', 'src/operator.ts'], env, project);
}

test.each(projects)(
  'in the project in $name the test passes, and types and manifests are up to date',
  PATIENT,
  async ({ files }) => {
    const project = await projectWith(files);

    const said = await run(textOf(index, 'run'), project);

    expect(said).toMatch(/^(?:#|ℹ) pass [1-9]/m);
    expect(said).toMatch(/^(?:#|ℹ) fail 0$/m);
  },
);

test(
  'kopf.md: for a definition without a status subresource `init` says that setStatus fails',
  PATIENT,
  async () => {
    const folder = await emptyFolder();
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'claims.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Claim', plural: 'claims', singular: 'claim' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    };
    await writeFile(join(folder, 'crd.yaml'), JSON.stringify(definition));

    const said = await run(textOf(blocksOf(`${FOLDER}/kopf.md`), 'init'), folder);

    expect(said).toContain('Claim of example.com has no status subresource in v1: setStatus fails');
    expect(readFileSync(join(folder, 'claims/src/claim.ts'), 'utf8')).toContain("plural: 'claims'");
  },
);

test.each(projects)(
  'the operator in $name copies the sample of index.md',
  PATIENT,
  async ({ files }) => {
    const project = await projectWith(files);
    const server = await ApiServer.start();
    onTestFinished(() => server.close());
    server.applyManifest(readFileSync(join(project, 'samples/settings.yaml'), 'utf8'));

    const operator = startProcess(project, server);

    const copy = await eventually(
      () => server.get('v1', 'ConfigMap', 'shop', 'settings') as ConfigMap | undefined,
      { timeoutMs: 60_000 },
    ).catch((cause: unknown) => {
      throw new Error(operator.stderr.lines.join('\n'), { cause });
    });
    expect(copy.data).toEqual({ color: 'red' });
  },
);
