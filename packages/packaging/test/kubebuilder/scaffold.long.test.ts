/** What the plugin of kubebuilder writes in TypeScript works: beside Go, and as a project of its own. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseYamlDocuments } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { start } from '../../../../test/cli/child.ts';
import { exampleFolder } from '../../../../test/docs/guide.ts';
import {
  complaintsOf,
  requestsOfTests,
  textsBelow,
} from '../../../../test/scaffold/support/project.ts';
import { Kubebuilder, type Run } from './support/kubebuilder.ts';

const PATIENT = { timeout: 120_000 };
const STRICT = ['--noUnusedLocals', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];

/** Writes what kubebuilder would, and resolves to what the commands refused. */
async function write(
  folder: string,
  runs: readonly (() => Promise<Run>)[],
): Promise<readonly string[]> {
  const errors: string[] = [];
  for (const run of runs) {
    const ran = await run();
    errors.push(...ran.errors);
    for (const [path, text] of Object.entries(ran.written)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  return errors;
}

/** As `npm run generate` does, but for the Node of the tests and the sources of the toolkit. */
async function generate(folder: string, more = ''): Promise<{ code: unknown; told: string }> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const line = `${scripts.generate.replace(/^chancery /, '"$0" "$BIN" ')}${more}`;
  const { exit, stderr } = start('sh', ['-c', `cd '${folder}' && ${line}`, process.execPath]);
  return { code: await exit, told: stderr.lines.join('\n') };
}

const definitionsIn = (folder: string): readonly string[] =>
  Object.values(textsBelow(join(folder, 'deploy')))
    .flatMap((text) => parseYamlDocuments(text) as { kind?: string; metadata?: { name: string } }[])
    .flatMap(({ kind, metadata }) =>
      kind === 'CustomResourceDefinition' ? [metadata?.name ?? ''] : [],
    )
    .sort();

test(
  'TypeScript kinds of several groups in a Go project compile, pass their tests, and get manifests',
  PATIENT,
  async () => {
    const parent = exampleFolder();
    const config = { version: '3', domain: 'example.com', projectName: 'demo', multigroup: true };
    const go = new Kubebuilder(new Map([['config/manager/manager.yaml', '']]), config);
    const create = (line: string) => (): Promise<Run> =>
      go.createApi(['--typescript', ...line.split(' ').flatMap((word) => word.split('='))]);

    const errors = await write(parent, [
      create('--group=shop --version=v1 --kind=Cart --owns=services,deployments.apps'),
      create('--group=9-sea.life --version=v2alpha1 --kind=Cart --plural-name=cartloads'),
      create('--group=shop --version=v1beta1 --kind=Operator --cluster-scoped'),
      create('--group=class --version=v1 --kind=Index --plural-name=indices --owns=secrets'),
    ]);
    const folder = join(parent, 'typescript');

    expect(errors).toEqual([]);
    expect(await complaintsOf(folder, ...STRICT)).toBe('');
    const requests = await requestsOfTests({ folder, create: () => expect.unreachable() });
    const written = requests.filter(({ subresource }) => subresource === 'status');
    const names = [
      'cartloads.9-sea.life.example.com',
      'carts.shop.example.com',
      'indices.class.example.com',
      'operators.shop.example.com',
    ];
    expect([...new Set(written.map(({ resource }) => resource))].sort()).toEqual(names);
    expect(await generate(folder)).toMatchObject({ code: 0 });
    expect(await generate(folder, ' --check')).toMatchObject({ code: 0 });
    expect(definitionsIn(folder)).toEqual(names);
  },
);

test(
  '[scaffolding 23] after the file of a kind is removed, its definition is removed, and a message lists the objects that stay in clusters',
  PATIENT,
  async () => {
    const folder = exampleFolder();
    const alone = new Kubebuilder(new Map(), { version: '3', projectName: 'Demo.App' });
    const names = ['--group', 'shop.example.com', '--version', 'v1', '--kind'];
    const errors = await write(folder, [
      () => alone.init([]),
      () => alone.createApi([...names, 'Cart']),
      () => alone.createApi([...names, 'HTTPOrder']),
    ]);
    const first = await generate(folder);
    for (const path of ['src/http-order.ts', 'src/http-order.test.ts']) {
      rmSync(join(folder, path));
      alone.files.delete(path);
    }
    const module = join(folder, 'src/operator.ts');
    const lines = readFileSync(module, 'utf8').split('\n');
    writeFileSync(module, lines.filter((line) => !line.includes('httpOrder')).join('\n'));

    const edited = await alone.edit();
    const second = await generate(folder);

    expect(errors).toEqual([]);
    expect([first, second].map(({ code, told }) => (code === 0 ? 0 : told))).toEqual([0, 0]);
    expect(definitionsIn(folder)).toEqual(['carts.shop.example.com']);
    expect(edited.told).toContain('Objects of it in clusters stay');
    expect(second.told).toContain(
      'httporders.shop.example.com is no longer generated; in clusters',
    );
    expect(await complaintsOf(folder, ...STRICT)).toBe('');
  },
);
