/** `build/build-package.ts`: a package needs nothing but its manifest to be built. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../build/build-package.ts';

const entry = (name: string): object => ({
  'chancery-source': `./src/${name}.ts`,
  types: `./dist/${name}.d.ts`,
  default: `./dist/${name}.js`,
});
const MANIFEST = {
  name: '@farm/barn',
  type: 'module',
  exports: { '.': entry('index'), './parts': entry('parts'), './package.json': './package.json' },
};
const SOURCES = {
  'src/index.ts': `export { Barn } from './barn.ts';\nexport { greeting } from './greeting.ts';\n`,
  'src/parts.ts': `export { doorOf } from './door.ts';\n`,
  'src/barn.ts': `
    /** Where the hay is. */
    export class Barn {
      #bales = 0;
      /** How many there are. */
      get bales(): number { return this.#bales; }
    }`,
  'src/door.ts': `
    import { Barn } from './barn.ts';
    /** The way in. */
    export function doorOf(barn: Barn): string { return String(barn instanceof Barn); }`,
  'src/greeting.ts': `
    import { textFiles } from 'chancery/internal';
    const texts = textFiles(new URL('./', import.meta.url));
    /** What the sign says. */
    export const greeting = (): string => texts('sign.html');`,
  'src/sign.html': '<b>hay</b>',
};

/** A folder with these files. Its package depends on chancery. */
async function packageOf(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-barn-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifest = JSON.stringify({ ...MANIFEST, dependencies: { chancery: '^0.1.0' } });
  for (const [path, text] of Object.entries({ 'package.json': manifest, ...SOURCES, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function built(
  files?: Readonly<Record<string, string>>,
  image = false,
): Promise<Readonly<Record<string, string>>> {
  const folder = await packageOf(files);
  const dist = join(folder, 'dist');
  await buildPackage(folder, dist, { image });
  const names = (await readdir(dist)).toSorted();
  const texts = names.map(async (name) => [name, await readFile(join(dist, name), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}

test('the build writes the code and one file of types per entry point, with the docstrings', async () => {
  const { 'index.js': code = '', 'index.d.ts': types = '', ...others } = await built();

  expect(code).toContain('from "chancery/internal"');
  expect(types).toMatch(/\/\*\* Where the hay is\. \*\/\n(?:export )?declare class Barn/);
  expect(types).toContain('/** How many there are. */');
  expect(Object.keys(others)).toEqual(expect.arrayContaining(['parts.d.ts', 'parts.js']));
  expect(Object.keys(others).filter((name) => /\.map$|\.d\.ts$/.test(name))).toEqual([
    'parts.d.ts',
  ]);
});

test('an export of another entry point is imported from there by its package name, and not copied', async () => {
  const { 'parts.d.ts': types = '', ...files } = await built();

  expect(types).toContain('import { Barn } from "@farm/barn";');
  expect(types).not.toContain('declare class Barn');
  const code = Object.entries(files).filter(([name]) => name.endsWith('.js'));
  expect(
    code.filter(([, text]) => text.includes('class Barn') || text.includes('Barn = class')),
  ).toHaveLength(1);
});

test('the contents of imported HTML files and the like are included in the built code', async () => {
  const { 'index.js': code } = await built();

  expect(code).toContain('<b>hay</b>');
});

test('an image does not contain types', async () => {
  const files = await built({}, true);

  expect(Object.keys(files).filter((name) => name.endsWith('.d.ts'))).toEqual([]);
  expect(Object.keys(files)).toContain('parts.js');
});

test('importing a package that is not a dependency is an error with the names of both packages', async () => {
  const wrong = {
    'src/door.ts': `import { hay } from 'hayloft';\nexport const doorOf: unknown = hay;`,
  };

  await expect(built(wrong)).rejects.toThrow(
    'parts.js imports hayloft, which @farm/barn does not depend on',
  );
});

test('an export without an explicit type causes an error that contains the line', async () => {
  const wrong = { 'src/door.ts': 'export const doorOf = Math.max(1, 2);' };

  await expect(built(wrong)).rejects.toThrow(/export const doorOf = Math\.max/);
});

test('a missing file of types is an error', async () => {
  const exports = { '.': { ...entry('index'), types: './dist/types.d.ts' } };
  const wrong = { 'package.json': JSON.stringify({ ...MANIFEST, exports }) };

  await expect(built(wrong)).rejects.toThrow(
    '@farm/barn: the types of . have to be beside its code',
  );
});
