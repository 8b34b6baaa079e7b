/** Both packages as `npm publish` would send them, read by the linters of packages. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packed } from './support/installed-packages.ts';

const run = promisify(execFile);
const ATTW = fileURLToPath(
  new URL('../node_modules/@arethetypeswrong/cli/dist/index.js', import.meta.url),
);
const BUILD_TIMEOUT_MS = 120_000;

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}

describe.each([
  { folder: '.', script: 'operator/build.ts' },
  { folder: 'testing', script: 'build.ts' },
])('[I-4] the package in $folder', ({ folder, script }) => {
  let archives = '';
  let archive = '';

  beforeAll(async () => {
    archives = await mkdtemp(join(tmpdir(), 'chancery-published-'));
    archive = (await packed(folder, script, archives)).replace('file:', '');
  }, BUILD_TIMEOUT_MS);

  afterAll(() => rm(archives, { recursive: true, force: true }));

  test('publint has nothing to say', async () => {
    const { buffer } = new Uint8Array(await readFile(archive));

    const { messages } = await publint({ strict: true, pack: { tarball: buffer } });

    expect(messages).toEqual([]);
  });

  test('attw finds the types of every entry, for projects of ES modules', async () => {
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'json'];

    const { stdout } = await run(process.execPath, [ATTW, ...options, archive], {
      maxBuffer: 1 << 26,
    });

    const { analysis } = JSON.parse(stdout) as {
      readonly analysis: { readonly entrypoints: object; readonly problems: readonly unknown[] };
    };
    const { exports } = JSON.parse(
      await readFile(join(archives, folder, 'package.json'), 'utf8'),
    ) as { readonly exports: object };
    expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(exports));
  });

  test('every source map has the texts of its sources', async () => {
    const dist = join(archives, folder, 'dist');
    const files = (await readdir(dist, { recursive: true })).filter((file) =>
      file.endsWith('.js.map'),
    );

    const texts = await Promise.all(files.map((file) => readFile(join(dist, file), 'utf8')));
    const maps = texts.map((text) => JSON.parse(text) as SourceMap);

    expect(maps.flatMap(({ sources }) => sources).length).toBeGreaterThan(20);
    for (const { sources, sourcesContent } of maps) {
      expect(sourcesContent).toHaveLength(sources.length);
      expect(sourcesContent).not.toContain(null);
    }
  });

  test('no address is in package.json that nobody has decided', async () => {
    const text = await readFile(join(archives, folder, 'package.json'), 'utf8');

    expect(Object.keys(JSON.parse(text))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(repository|homepage|bugs)$/)]),
    );
  });
});
