/** `npm run release -- --dry-run` on this repository, but for the images, which need buildah. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
};

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function npmRunRelease(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      ...(['npm', ['run', '--silent', 'release', '--', ...args]] as const),
      { cwd: root, env: { ...process.env, GITHUB_REPOSITORY: 'tea/kettle' } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const folder = join(mkdtempSync(join(tmpdir(), 'chancery-dry-run-')), 'made');
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
let ended: Ended;
beforeAll(async () => {
  ended = await npmRunRelease('--dry-run', '--no-images', '--output', folder);
  return () => rmSync(join(folder, '..'), { recursive: true });
}, 900_000);

const ATTACHED = [
  'images.json',
  `packages/chancery-${version}.tgz`,
  `packages/chancery-certificates-${version}.tgz`,
  `packages/chancery-hooks-${version}.tgz`,
  `packages/chancery-metacontroller-${version}.tgz`,
  `packages/chancery-packaging-${version}.tgz`,
  `packages/chancery-testing-${version}.tgz`,
  `packages/create-chancery-${version}.tgz`,
  `reloader-${version}.tgz`,
  `reloader-bundle-${version}.tgz`,
  'sbom/chancery-certificates.cdx.json',
  'sbom/chancery-hooks.cdx.json',
  'sbom/chancery-metacontroller.cdx.json',
  'sbom/chancery-packaging.cdx.json',
  'sbom/chancery-testing.cdx.json',
  'sbom/chancery.cdx.json',
  'sbom/create-chancery.cdx.json',
];

test('a dry run leaves the complete folder behind, and nothing else', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

  const others = ['NOTES.md', 'PUBLISHING.txt', 'REFUSALS.txt', 'SHA256SUMS'];
  expect(files).toEqual([...ATTACHED, ...others].toSorted());
});

test('a dry run prints every refusal, and exits with 1 if there is one', () => {
  const list = textOf('REFUSALS.txt').split('\n').slice(0, -1);
  const printed = [...ended.stdout.matchAll(/^refused: (.*)$/gm)].map(([, line]) => line);

  expect({ code: ended.code, printed }).toEqual({ code: 1, printed: list });
  expect(list).toEqual(
    expect.arrayContaining([
      'registry: no registry of images is named: --registry HOST/PATH',
      'images: not built, because of --no-images',
      `chart: chancery-proxy:${version} is not pinned by a digest`,
      `bundle: reloader-operator:${version} is not pinned by a digest`,
    ]),
  );
  expect(ended.stdout).toContain('a dry run, nothing is published');
});

test('every check that a change must pass runs and finds nothing', () => {
  const broken = /^(?:versions|licences|pins|api|packages|sbom):|could not be checked/;

  expect(
    textOf('REFUSALS.txt')
      .split('\n')
      .filter((line) => broken.test(line)),
  ).toEqual([]);
});

test('the checksums cover all attached files', () => {
  const sums = ATTACHED.map((file) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });

  expect(textOf('SHA256SUMS')).toBe(sums.join(''));
});

test('the bill of materials lists all installed packages, including optional packages and the packages of this repository', () => {
  const components = (name: string): readonly string[] =>
    (
      JSON.parse(textOf(`sbom/${name}.cdx.json`)) as {
        readonly components: readonly { readonly purl: string }[];
      }
    ).components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));

  expect(components('chancery')).toEqual(
    expect.arrayContaining(['pkg:npm/undici', 'pkg:npm/sonic-boom']),
  );
  expect(components('chancery').join(' ')).not.toMatch(/vitest|typescript|re2js|jq-web/);
  expect(components('chancery-hooks')).toEqual(
    expect.arrayContaining(['pkg:npm/chancery', 'pkg:npm/jq-web', 'pkg:npm/undici']),
  );
  expect(components('chancery-testing')).toEqual(
    expect.arrayContaining(['pkg:npm/chancery', 'pkg:npm/undici', 'pkg:npm/asn1js']),
  );
  expect(components('create-chancery')).toEqual([]);
});

test.each([
  [['--help'], 0],
  [['--dry-run', '--output', '.'], 2],
  [['publish'], 2],
])('with the arguments %j, the dry run exits with %i before anything is built', async (args, code) => {
  const result = await npmRunRelease(...args);

  expect(result.code).toBe(code);
  const text = code === 0 ? result.stdout : result.stderr;
  expect(text).toContain('usage: npm run release');
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain(version);
});
