/** `chancery upgrade`: what it does not upgrade, and the record that it reads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordFile, type ScaffoldRecord } from '../../operator/cli/files/scaffold-record.ts';
import { VERSION } from '../../operator/core/version.ts';
import { formatYaml } from '../../operator/core/yaml.ts';
import { definitionOf } from '../scaffold/support/definitions.ts';
import { newProject, textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const RECORD: ScaffoldRecord = { version: VERSION, commands: [['init', 'demo']], files: {} };
const recordWith = (changes: object): string =>
  recordFile({ ...RECORD, ...changes } as ScaffoldRecord).text;
const upgradeOf = (folder: string, env = {}) => invoke(['upgrade', folder, '--force'], { env });

test('`upgrade` refuses a folder without the file .chancery.json', async () => {
  const folder = folderWith({ 'package.json': '{}' });

  const { exit, stderr } = upgradeOf(folder);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringMatching(/\.chancery\.json is missing: chancery init and npm create chancery/),
  ]);
});

test.each<[string, string, RegExp]>([
  ['invalid JSON', '{', /\.chancery\.json is not JSON: .*; restore the file that is committed$/],
  ['null', 'null', /names no version/],
  ['a version without numbers', recordWith({ version: 'next' }), /names no version/],
  ['commands that are strings', recordWith({ commands: ['init demo'] }), /has no list of commands/],
  ['files that are numbers', recordWith({ files: { 'a.ts': 1 } }), /has no texts of files/],
  ['a newer version', recordWith({ version: '99.0.0' }), /was written by chancery 99\.0\.0/],
  ['another command', recordWith({ commands: [['rm']] }), /only init and create are recorded$/],
  [
    'an invalid kind',
    recordWith({ commands: [['init', 'demo', '--kind', 'a-b']] }),
    /has the command "init demo --kind a-b", which cannot be repeated: .*CamelCase/,
  ],
  [
    'a module outside of the project',
    recordWith({
      commands: [
        ['create', 'api', '--group=a.b', '--version=v1', '--kind=A', '--module=../operator.ts'],
      ],
    }),
    /\.\.\/operator\.ts is not in the project$/,
  ],
])('`upgrade` refuses a .chancery.json with %s, and writes nothing', async (_, text, message) => {
  const folder = folderWith({ '.chancery.json': text });

  const { exit, stdout, stderr } = upgradeOf(folder);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([expect.stringMatching(message)]);
  expect(textsBelow(folder)).toEqual({ '.chancery.json': text });
});

test.each([
  '../outside.ts',
  '/etc/passwd',
  'src/../../outside.ts',
  'C:\\outside.ts',
  '.git/config',
  'src//a.ts',
])('`upgrade` refuses a .chancery.json that lists the file %s', async (path) => {
  const folder = folderWith({ '.chancery.json': recordWith({ files: { [path]: '' } }) });

  const { exit, stderr } = upgradeOf(folder);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringContaining(`names a file that is not in the project, ${path}`),
  ]);
});

test('a release can upgrade a project that its own release candidate created', async () => {
  const folder = folderWith({ '.chancery.json': recordWith({ version: `${VERSION}-rc.1` }) });

  const { exit } = upgradeOf(folder, { PATH: process.env.PATH ?? '' });

  expect(await exit).toBe(0);
});

test('if git is not installed, `upgrade` says that it needs git', async () => {
  const { folder } = await newProject('demo');

  const { exit, stderr } = invoke(['upgrade', folder], { env: { PATH: folderWith({}) } });

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    'chancery upgrade: git cannot be started: an upgrade merges with it',
  ]);
});

test('in a project made from definitions, `upgrade` does not change the files that depend on the kinds', async () => {
  const folder = join(folderWith({}), 'fleet');
  const definition = formatYaml(definitionOf('Captain', { group: 'crew.example.com' }));
  await invoke(['init', folder, '--from-crd', '-'], { stdin: definition }).exit;
  writeFileSync(join(folder, 'tsconfig.json'), '{}\n');
  const before = textsBelow(folder);

  const { exit, stdout, stderr } = upgradeOf(folder, { PATH: process.env.PATH ?? '' });

  expect([await exit, stderr.lines[0]]).toEqual([0, expect.stringContaining('fleet went from')]);
  expect(stdout.lines).toContain(`left ${join(folder, 'src/captain-definition.ts')}`);
  expect(stdout.lines.filter((line) => !line.startsWith('left '))).toEqual([]);
  expect(textsBelow(folder)).toEqual(before);
});

test('`init --force` records in .chancery.json only the files that it wrote', async () => {
  const folder = join(folderWith({}), 'demo');
  mkdirSync(folder);
  writeFileSync(join(folder, 'README.md'), 'mine\n');

  await invoke(['init', folder, '--force']).exit;

  const { version, commands, files } = JSON.parse(textsBelow(folder)['.chancery.json'] ?? '');
  expect({ version, commands }).toEqual({
    version: VERSION,
    commands: [
      [
        'init',
        'demo',
        '--template',
        'custom-resource',
        '--group',
        'example.com',
        '--version',
        'v1',
      ].concat(['--kind', 'Demo']),
    ],
  });
  const { '.chancery.json': _, 'README.md': readme, ...written } = textsBelow(folder);
  expect(readme).toBe('mine\n');
  expect(files).toEqual(written);
});
