/** The archives of the packages: their files, their size and their types. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { readSurfaces } from './api/surface.ts';
import { packedOnce } from './support/packed-once.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../', import.meta.url));
const BUILD_TIMEOUT_MS = 120_000;

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly exports?: Readonly<Record<string, string | { readonly types: string }>>;
}

interface Archive {
  readonly manifest: Manifest;
  /** The folder whose files are in the archive, and others that are not published. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly bytes: number;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

const { workspaces = [] } = await manifestOf(repository);
const manifests = await Promise.all(
  workspaces.map((folder) => manifestOf(join(repository, folder))),
);
/** The site in docs/ is private. */
const folders = ['.', ...workspaces.filter((_, at) => manifests[at]?.private !== true)];
let byFolder: Readonly<Record<string, Archive>> = {};

beforeAll(async () => {
  for (const folder of folders) {
    byFolder = { ...byFolder, [folder]: await archiveOf(folder) };
  }
}, BUILD_TIMEOUT_MS);

async function archiveOf(folder: string): Promise<Archive> {
  const { folder: target } = await packedOnce(folder);
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const { stdout } = await run('npm', args, { cwd: target });
  const [{ files, unpackedSize }] = JSON.parse(stdout) as [
    { readonly files: readonly { readonly path: string }[]; readonly unpackedSize: number },
  ];
  return {
    manifest: await manifestOf(target),
    folder: target,
    files: files.map(({ path }) => path),
    bytes: unpackedSize,
  };
}

/** The file of types of each entry, by what users import. */
function typesOf({ manifest, folder }: Archive): Readonly<Record<string, string>> {
  const entries = Object.entries(manifest.exports ?? {}).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[`${manifest.name}${path.slice(1)}`, target.types] as const],
  );
  return Object.fromEntries(entries.map(([entry, path]) => [entry, join(folder, path)]));
}

describe.each(folders)('[I-4] the archive of the package in %j', (folder) => {
  const archive = (): Archive => byFolder[folder] as Archive;

  test('the archive has one file of types per entry point, and no other types', () => {
    const types = archive().files.filter((file) => file.endsWith('.d.ts'));

    const expected = Object.values(typesOf(archive()));
    expect(types.map((file) => join(archive().folder, file)).toSorted()).toEqual(
      expected.toSorted(),
    );
  });

  test('the archive has no source map, and no file that refers to one', async () => {
    const named: string[] = [];
    for (const file of archive().files) {
      const text = await readFile(join(archive().folder, file), 'utf8');
      if (/^\/\/# sourceMappingURL=/m.test(text)) named.push(file);
    }

    expect(archive().files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(named).toEqual([]);
  });

  test('the types of the archive declare each class once', async () => {
    const classes: string[] = [];
    for (const file of Object.values(typesOf(archive()))) {
      const text = await readFile(file, 'utf8');
      for (const [, name = ''] of text.matchAll(
        /^(?:export )?declare (?:abstract )?class (\w+)/gm,
      )) {
        classes.push(name);
      }
    }

    expect(classes.filter((name, index) => classes.indexOf(name) !== index)).toEqual([]);
  });

  test('package.json in the archive has no repository, homepage or bugs', async () => {
    const text = await readFile(join(archive().folder, 'package.json'), 'utf8');

    expect(text).not.toMatch(/^ {2}"(repository|homepage|bugs)":/m);
  });
});

test('[I-4] the archive of chancery has at most 200 files and 3 MB', () => {
  const { files, bytes } = byFolder['.'] as Archive;

  expect(files.length).toBeLessThanOrEqual(200);
  expect(bytes).toBeLessThanOrEqual(3_000_000);
});

test('an export that two entry points share is declared in one of them, and imported by the other', async () => {
  const types = typesOf(byFolder['.'] as Archive);
  const internal = await readFile(types['chancery/schema'] ?? '', 'utf8');

  expect(internal).toMatch(/^import \{[^}]*\bResource\b[^}]*\} from "chancery";$/m);
  expect(internal).not.toMatch(/^(?:export )?interface Resource</m);
});

describe.each(readSurfaces())('[I-4] the types of $entry', ({ entry, exported }) => {
  test('the published types have the docstring of every export', async () => {
    const files = Object.assign({}, ...Object.values(byFolder).map(typesOf));
    const types = await readFile(files[entry], 'utf8');
    const text = wordsOf(types);
    const imported = [...types.matchAll(/^import \{(.*)\} from "@?chancery/gm)].flatMap(
      ([, names = '']) => names.split(/\W+/),
    );

    const documented = exported.filter(
      ({ doc, file }) => doc !== '' && !file.includes('node_modules'),
    );
    const missing = documented.filter(
      ({ name, doc }) => !imported.includes(name) && !text.includes(wordsOf(doc)),
    );

    expect(missing.map(({ name }) => name)).toEqual([]);
    expect(documented.length).toBeGreaterThan(0);
  });
});

/** A text without the frame of a comment, and with single spaces. */
function wordsOf(text: string): string {
  return text.replaceAll(/^\s*\* ?/gm, '').replaceAll(/\s+/g, ' ');
}
