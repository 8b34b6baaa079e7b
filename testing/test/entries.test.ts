/** What an import of an entry of the kit loads: it is most of what a test file pays before its first line. */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { expect, test } from 'vitest';

const ENTRIES = ['@chancery/testing', '@chancery/testing/api-server'] as const;

/** In a fresh process: the files of the toolkit and its packages, and Node's own modules. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
const { ApiServer } = await import(process.argv[1]);
await (await ApiServer.start()).close();
process.stdout.write(JSON.stringify({ urls, builtin: process.moduleLoadList }));
`;

function loadedBy(entry: string): { readonly urls: readonly string[]; readonly builtin: string } {
  const args = ['--conditions=chancery-source', '--input-type=module', '--eval', PROGRAM, entry];
  const { urls, builtin } = JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 24 }),
  ) as { readonly urls: readonly string[]; readonly builtin: readonly string[] };
  return { urls, builtin: builtin.join('\n') };
}

test.each(
  ENTRIES,
)('importing %s and starting a server load neither fetch nor Web Crypto', (entry) => {
  const { builtin, urls } = loadedBy(entry);

  expect(urls.some((url) => url.endsWith('/apiserver/api-server.ts'))).toBe(true);
  expect(builtin).not.toMatch(/internal\/deps\/undici|internal\/crypto\/webcrypto/);
});

test('importing the API server alone loads no operator runtime and no other package', () => {
  const { urls } = loadedBy('@chancery/testing/api-server');
  const own = urls.filter((url) => /\/operator\//.test(url));

  expect(own.length).toBeGreaterThan(20);
  expect(
    own.filter((url) =>
      /\/operator\/(?:[^/]+\.ts$|cli\/|controller|composite|manager|watch)/.test(url),
    ),
  ).toEqual([expect.stringMatching(/\/operator\/internal-objects\.ts$/)]);
  const packages = urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  expect([...new Set(packages)]).toEqual(['@marcbachmann/cel-js']);
});

test('importing the whole kit loads no commands, generators or composites, and none of their packages', () => {
  const { urls } = loadedBy('@chancery/testing');
  const folders = urls.flatMap((url) => /\/operator\/(\w+)\//.exec(url)?.[1] ?? []);

  expect(folders).toContain('manager'); // it runs operators
  expect(folders).not.toContain('cli');
  expect(folders).not.toContain('generate');
  expect(folders).not.toContain('composite');
  expect(
    urls.filter((url) => /node_modules\/(?:pino|diff|undici|typebox|yaml)\//.test(url)),
  ).toEqual([]);
});
