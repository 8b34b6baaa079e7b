/**
 * `chancery upgrade` from each version that users may have. `test/scaffold/written-by/VERSION.json` is the record of
 * `chancery init demo` and of two kinds that `create api` added, as that version wrote it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const ROOT = new URL('../../', import.meta.url);
const RECORDS = new URL('test/scaffold/written-by/', ROOT);
const VERSIONS = readdirSync(RECORDS).map((name) => name.replace(/\.json$/, ''));

test('for each version in CHANGELOG.md there is a recorded list of the files that its `init` creates', () => {
  const changelog = readFileSync(new URL('CHANGELOG.md', ROOT), 'utf8');
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(([, version]) => version);

  expect(released.length).toBeGreaterThan(0);
  expect(VERSIONS).toEqual(expect.arrayContaining(released));
});

test.each(
  VERSIONS,
)('`upgrade` turns an unchanged project of %s into exactly the project that this version creates', async (version) => {
  const record = readFileSync(new URL(`${version}.json`, RECORDS), 'utf8');
  const { commands, files } = JSON.parse(record) as {
    readonly commands: readonly (readonly string[])[];
    readonly files: Readonly<Record<string, string>>;
  };
  const parent = folderWith({});
  const [older, newer] = ['older', 'newer'].map((name) => join(parent, name, 'demo')) as [
    string,
    string,
  ];
  for (const [path, text] of Object.entries({ ...files, '.chancery.json': record })) {
    mkdirSync(dirname(join(older, path)), { recursive: true });
    writeFileSync(join(older, path), text);
  }
  for (const [name = '', word = '', ...options] of commands) {
    const isInit = name === 'init';
    const module = options.map((each) => (each === 'src/operator.ts' ? join(newer, each) : each));
    expect(await invoke([name, isInit ? newer : word, ...module]).exit).toBe(0);
  }

  const { exit, stdout } = invoke(['upgrade', older, '--force'], {
    env: { PATH: process.env.PATH ?? '' },
  });

  expect(await exit).toBe(0);
  expect(stdout.lines.filter((line) => !/^(?:left|updated|added|removed) /.test(line))).toEqual([]);
  expect(textsBelow(older)).toEqual(textsBelow(newer));
});
