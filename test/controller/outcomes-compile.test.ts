/** What the compiler says about mistakes in a reconciler: the first problem names the mistake, at its place. */

import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** Reconcilers, as a controller has them. The comment stands at the line of the mistake. */
const MISTAKES = {
  'requeueAfter in one line': `
  reconcile: async () => ({ requeueAfter: 5 }), // here`,
  'requeueAfter after other lines': `
  async reconcile({ metadata }, { log }) { // here
    log.info({ name: metadata.name }, 'seen');
    if (metadata.uid === undefined) return;
    return { requeueAfter: 5 };
  },`,
  'requeueAfter, where the outcome is annotated': `
  async reconcile({ metadata }, { log }): Promise<Outcome> {
    log.info({ name: metadata.name }, 'seen');
    return { requeueAfter: 5 }; // here
  },`,
  'status: true': `
  async reconcile({ metadata }) { // here
    return { status: metadata.uid !== undefined };
  },`,
  'the number of children': `
  async reconcile(_object, { store }) { // here
    return store(configMaps).list().length;
  },`,
  'a text, without async': `
  reconcile: ({ metadata }) => metadata.name, // here`,
  'the key first': `
  async reconcile(key, object, context) { // here
    context.log.info({ key }, object.metadata.name);
  },`,
  'the key taken for the object': `
  async reconcile(key) {
    const { name } = splitKey(key); // here
    console.log(name);
  },`,
  'the key and then the object': `
  async reconcile(key, object) {
    console.log(key, object.metadata.name); // here
  },`,
  'a key that gone takes for an object': `
  reconcile: () => {},
  gone({ metadata }) { // here
    console.log(metadata);
  },`,
} as const;

type Mistake = keyof typeof MISTAKES;

/** How the compiler names each. */
const NAMED: Readonly<Record<Mistake, RegExp>> = {
  'requeueAfter in one line': /requeueAfter: number/,
  'requeueAfter after other lines': /requeueAfter: number/,
  'requeueAfter, where the outcome is annotated': /Did you mean to write 'requeueAfterMs'/,
  'status: true': /status: boolean/,
  'the number of children': /Promise<number>/,
  'a text, without async': /Type 'string' is not assignable/,
  'the key first': /key: any, object: any, context: any/,
  'the key taken for the object': /Argument of type 'ConfigMap' .*'ObjectKey'/,
  'the key and then the object': /'metadata' does not exist on type 'ReconcileContext/,
  'a key that gone takes for an object': /'metadata' does not exist on type .*ObjectKey/,
};

const HEAD = `import { controller, type Outcome, splitKey } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
void splitKey;
export type { Outcome };
export default controller({
  name: 'a',
  for: configMaps,`;

const GOOD = {
  'nothing, and no await': 'reconcile: async () => {},',
  'nothing, and not async': 'reconcile: () => {},',
  'nothing in some paths, and a delay in others': `async reconcile({ metadata }) {
    if (metadata.uid === undefined) return;
    if (metadata.name === 'a') return { requeueAfterMs: 5_000 };
  },`,
  'a delay without async': `reconcile: ({ metadata }) => {
    if (metadata.uid === undefined) return;
    return { requeueAfterMs: 5_000, priority: 1 };
  },`,
  'a refusal': `async reconcile({ metadata }, { applyOwned }) {
    try {
      await applyOwned(configMaps, { metadata: { name: metadata.name } });
      return;
    } catch (error) {
      return retryRefused(error);
    }
  },`,
} as const;

/** The first problem of each module, and the line that it is at. */
const said = new Map<string, { readonly line: number; readonly text: string }>();

beforeAll(async () => {
  const folder = mkdtempSync(join(ROOT, 'node_modules', 'outcomes-'));
  const files = new Map<string, string>();
  for (const [index, [name, body]] of Object.entries({ ...MISTAKES, ...GOOD }).entries()) {
    const good = name in GOOD ? HEAD.replace('splitKey }', 'retryRefused, splitKey }') : HEAD;
    const file = `case-${index}.ts`;
    files.set(file, name);
    writeFileSync(join(folder, file), `${good}\n${body.trim()}\n});\n`);
  }
  const tsconfig = {
    extends: 'chancery/tsconfig.json', // as projects have it
    compilerOptions: { customConditions: ['chancery-source'] },
    files: [...files.keys()],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '-p', folder, '--pretty', 'false'];
  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  await rm(folder, { recursive: true });
  for (const [, file = '', line, text = ''] of stdout.matchAll(/^(\S+)\((\d+),\d+\): (.*)$/gm)) {
    const name = files.get(file) ?? file;
    if (!said.has(name)) said.set(name, { line: Number(line), text });
  }
}, 120_000);

afterAll(() => said.clear());

test.each(
  Object.keys(MISTAKES) as Mistake[],
)('[N-2] the compiler reports this mistake on its line: %s', (name) => {
  const lines = `${HEAD}\n${MISTAKES[name].trim()}`.split('\n');
  const line = lines.findIndex((each) => each.includes('// here')) + 1;

  expect(said.get(name)).toEqual({ line, text: expect.stringMatching(NAMED[name]) });
});

test.each(Object.keys(GOOD))('a reconciler that returns %s compiles', (name) => {
  expect(said.get(name)).toBeUndefined();
});
