/** What publishing does, with programs that only write down how they were called. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { checkOutput, parseReleaseArguments, UsageError } from '../../release/arguments.ts';
import {
  type Publication,
  publish,
  publishingCommands,
  publishingRefusals,
} from '../../release/publish.ts';
import { Refusals } from '../../release/refusal.ts';
import { ALL, programs } from './recording-programs.ts';

const DIGEST = `sha256:${'d'.repeat(64)}`;
const PUBLICATION: Publication = {
  folder: '/made',
  version: '2.1.0',
  registry: 'registry.example/tea',
  images: [{ name: 'pot', digest: DIGEST, platforms: ['linux/amd64'], layout: 'images/pot' }],
  packages: [
    { file: 'packages/kettle-2.1.0.tgz', name: 'kettle', integrity: 'sha512-a' },
    { file: 'packages/lid-2.1.0.tgz', name: '@tea/lid', integrity: 'sha512-b' },
  ],
  attachments: ['packages/kettle-2.1.0.tgz', 'chart.tgz'],
};

test('images are published before packages, and the GitHub release comes last', async () => {
  const { PATH, log } = programs(ALL);
  const told: string[] = [];

  await publish(publishingCommands(PUBLICATION), {
    cwd: tmpdir(),
    env: { PATH: `${PATH}:${process.env.PATH}` },
    tell: (command) => told.push(command),
  });

  expect(log()).toEqual([
    'gh release', // it is not there yet
    'skopeo copy',
    'cosign sign',
    'cosign sign-blob',
    'npm view',
    'npm stage',
    'npm view',
    'npm stage',
    'gh release',
  ]);
  expect(told).toHaveLength(6);
});

test('[security P8] an image keeps its digest, and the signature is for that digest', () => {
  const [copy, sign] = publishingCommands(PUBLICATION);

  expect(copy?.args).toEqual([
    ...['copy', '--all', '--preserve-digests'],
    ...['oci:/made/images/pot', 'docker://registry.example/tea/pot:2.1.0'],
  ]);
  expect(sign?.args.at(-1)).toBe(`registry.example/tea/pot@${DIGEST}`);
});

test('a pre-release does not become the version that npm installs by default', () => {
  const words = (version: string): readonly string[] =>
    publishingCommands({ ...PUBLICATION, version }).flatMap(({ args }) => args);

  expect(words('2.1.0')).toContain('--tag=latest');
  expect(words('2.2.0-rc.1')).not.toContain('--tag=latest');
  expect(words('2.2.0-rc.1')).toEqual(expect.arrayContaining(['--tag=next', '--prerelease']));
});

test('publishing stops at the first failed command, and says what is already published', async () => {
  const { PATH, log } = programs(ALL, { failing: 'npm stage' });

  const failure = publish(publishingCommands(PUBLICATION), {
    cwd: tmpdir(),
    env: { PATH: `${PATH}:${process.env.PATH}` },
    tell: () => {},
  });

  await expect(failure).rejects.toThrow(
    /stopped at "npm stage publish .*kettle-2.1.0.tgz.*"; 3 of 6 commands were done before: .*no$/s,
  );
  expect(log().at(-1)).toBe('npm stage');
});

/** Publishes with programs that print this, and tells how far it came. */
async function publishedWith(printing: Readonly<Record<string, string>>) {
  const { PATH, log } = programs(ALL, { printing });
  const told: string[] = [];
  const failure = await publish(publishingCommands(PUBLICATION), {
    cwd: tmpdir(),
    env: { PATH: `${PATH}:${process.env.PATH}` },
    tell: (command) => told.push(command),
  }).catch((error: Error) => error.message);
  return { log: log(), told, failure };
}

test('if a publication has stopped half-way, the next run publishes the rest', async () => {
  const { log, told } = await publishedWith({ 'npm view kettle@2.1.0': 'sha512-a' });

  expect(log.slice(4)).toEqual(['npm view', 'npm view', 'npm stage', 'gh release']);
  expect(told[3]).toMatch(/^done before: npm stage publish .*kettle-2\.1\.0\.tgz/);
});

test('[security P8] images of a complete release are not replaced', async () => {
  const { log, told, failure } = await publishedWith({ 'gh release view v2.1.0': 'false' });

  expect({ log, failure }).toEqual({ log: ['gh release'], failure: undefined });
  expect(told).toEqual([expect.stringMatching(/^done before: gh release create /)]);
});

test('[security P2] packages are staged and the release is a draft, until maintainers approve', () => {
  const commands = publishingCommands(PUBLICATION);
  const npm = commands.filter(({ program }) => program === 'npm');

  expect(npm.map(({ args }) => args.slice(0, 2))).toEqual([
    ['stage', 'publish'],
    ['stage', 'publish'],
  ]);
  expect(npm.every(({ args }) => args.includes('--provenance'))).toBe(true);
  expect(commands.at(-1)?.args).toEqual(expect.arrayContaining(['release', 'create', '--draft']));
});

test('an existing draft of another run stops the publication', async () => {
  const { log, failure } = await publishedWith({ 'gh release view': 'true' });

  expect(log).toEqual(['gh release']);
  expect(failure).toContain('--jq=.isDraft" has true, not false');
});

test('an existing version with other content stops the publication', async () => {
  const { log, failure } = await publishedWith({ 'npm view': 'sha512-other' });

  expect(failure).toContain('"npm view kettle@2.1.0 dist.integrity" has sha512-other');
  expect(log.at(-1)).toBe('npm view');
});

test('a missing program, or a run outside of a CI job, counts as a refusal', async () => {
  const { PATH } = programs(['skopeo', 'npm', 'gh']);
  const commands = publishingCommands(PUBLICATION);
  const refusalsIn = (env: NodeJS.ProcessEnv) =>
    publishingRefusals(commands, { cwd: tmpdir(), env });

  expect(await refusalsIn({ PATH })).toEqual([
    'cosign is not here',
    'npm and cosign know the workflow by the identity of a CI job, and this is none',
  ]);
  const inJob = { PATH: programs(ALL).PATH, ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example' };
  expect(await refusalsIn(inJob)).toEqual([]);
});

test.each([
  ['11.14.9', ['npm 11.14.9 stages no packages; 11.15 does']],
  ['10.20.0', ['npm 10.20.0 stages no packages; 11.15 does']],
  ['11.15.0', []],
  ['12.0.1', []],
])('npm %s is refused if it cannot stage packages', async (version, refusals) => {
  const { PATH } = programs(ALL, { printing: { 'npm --version': version } });
  const env = { PATH, ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example' };

  expect(await publishingRefusals(publishingCommands(PUBLICATION), { cwd: tmpdir(), env })).toEqual(
    refusals,
  );
});

test('a check that throws counts as a refusal, and the results of all other checks are reported in their order', async () => {
  const refusals = new Refusals();

  refusals.add('bundle', ['two\n  lines\n']);
  const made = await refusals.guard('pins', 'otherwise', () => {
    throw new Error('no file');
  });
  refusals.add('manifests', ['first']);

  expect(made).toBe('otherwise');
  expect(refusals.all).toEqual([
    { check: 'manifests', problem: 'first' },
    { check: 'pins', problem: 'could not be checked: no file' },
    { check: 'bundle', problem: 'two | lines' },
  ]);
});

test.each([
  ['--dry-run', {}],
  ['--registry=ghcr.io/tea/kettle', { npm_config_dry_run: 'true' }],
])('the argument %s with the environment %o means a dry run', (word, env) => {
  expect(parseReleaseArguments([word], env)).toMatchObject({ isDryRun: true });
});

test.each([
  [['--publish']],
  [['--dry-run', '--except', 'pins,weather']],
  [['--except', 'pins']],
  [['--registry', 'ghcr.io']],
  [['--registry', 'ghcr.io/Tea/kettle']],
  [['--registry', 'ghcr.io/tea/kettle:1.0']],
])('the arguments %j are refused', (args) => {
  expect(() => parseReleaseArguments(args, {})).toThrow(UsageError);
});

test('the given folder must be missing or empty, because files in it would be lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-output-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  await checkOutput(folder, 'absent');
  await checkOutput(folder, '.');
  writeFileSync(join(folder, 'thesis.txt'), 'x');
  await expect(checkOutput(folder, '.')).rejects.toThrow('--output . is not empty');
  await expect(checkOutput(folder, 'thesis.txt')).rejects.toThrow(UsageError);
});
