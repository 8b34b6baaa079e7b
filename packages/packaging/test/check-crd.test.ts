/** `chancery check crd` as a command: what it reads, how it ends, and where it writes what. */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatYaml, parseYaml } from '../../../operator/core/yaml.ts';
import { chancery, folderWith } from '../../../test/cli/child.ts';
import { invoke } from '../../../test/cli/invocation.ts';
import { definitionOf, versionOf } from '../../../test/scaffold/support/definitions.ts';

const text = (maxLength: number): object => ({ type: 'string', maxLength });
const kite = (maxLength: number): string =>
  formatYaml(definitionOf('Kite', { spec: text(maxLength) }));
const gull = formatYaml(definitionOf('Gull'));
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n';
const LOWERED = 'kites.x.example.com v1: .spec: maxLength: lowered from 9 to 8';

async function check(
  args: readonly string[],
  stdin?: string,
): Promise<{
  readonly code: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
}> {
  const { exit, stdout, stderr } = invoke(
    ['check', 'crd', ...args],
    stdin === undefined ? {} : { stdin },
  );
  return { code: await exit, out: stdout.lines, err: stderr.lines };
}

test('[packaging 18] `check crd` reads both sides from files, folders or standard input, and ignores other objects', async () => {
  const files = folderWith({
    'a.yaml': `${NAMESPACE}---\n${kite(8)}---\n`,
    'b.json': '{}',
    'c.txt': '{',
  });
  const old = join(folderWith({ 'old.yaml': `${gull}---\n${kite(9)}` }), 'old.yaml');

  const all = [
    await check([files, '--against', old]),
    await check([files, '--against', '-'], `${gull}---\n${kite(9)}`),
    await check(['-', '--against', old], kite(8)),
    await check(['--against', old, join(files, 'a.yaml'), join(files, 'b.json')]),
  ];

  for (const { code, out, err } of all) {
    expect({ code, out }).toEqual({ code: 1, out: [LOWERED] });
    expect(err).toEqual([
      'chancery check crd: gulls.x.example.com is only in OLD, and was not compared',
      'chancery check crd: 1 unsafe change in 1 definition',
    ]);
  }
});

test('[packaging 18] `check crd` exits with 0 after a safe change or a new definition, and prints nothing on standard output', async () => {
  const old = join(folderWith({ a: kite(8) }), 'a');

  expect(await check(['-', '--against', old], `${kite(9)}---\n${gull}`)).toEqual({
    code: 0,
    out: [],
    err: [
      'chancery check crd: gulls.x.example.com is only in NEW, so nothing can break',
      'chancery check crd: 0 unsafe changes in 1 definition',
    ],
  });
});

test('[packaging 18] `check crd -o json` prints one document even for a safe change', async () => {
  const old = join(folderWith({ a: kite(8) }), 'a');

  const { code, out } = await check(['-', '--against', old, '-o', 'json'], kite(8));

  expect(code).toBe(0);
  expect(JSON.parse(out.join('\n'))).toEqual({
    safe: true,
    definitions: [{ name: 'kites.x.example.com', state: 'compared' }],
    findings: [],
    migrations: [],
  });
});

/** A definition with two versions, of which this one is the storage version. */
const stores = (stored: string, status: object = {}): string =>
  formatYaml({
    ...definitionOf('Kite', {
      versions: ['v1alpha1', 'v1'].map((name) =>
        versionOf(name, { type: 'object' }, { storage: name === stored }),
      ),
    }),
    status,
  });

test('`check crd` accepts a change of the storage version, and prints the necessary migration on standard error', async () => {
  const old = join(folderWith({ a: stores('v1alpha1') }), 'a');

  const { code, out, err } = await check(['-', '--against', old], stores('v1'));

  expect({ code, out }).toEqual({ code: 0, out: [] });
  expect(err.slice(0, 3)).toEqual([
    'chancery check crd: kites.x.example.com stores objects as v1 from now on, and has stored v1alpha1',
    'after the upgrade run: chancery migrate kites.x.example.com',
    'or apply this (storagemigration.k8s.io/v1beta1 before Kubernetes 1.37):',
  ]);
  expect(parseYaml(err.slice(3, -1).join('\n'))).toEqual({
    apiVersion: 'storagemigration.k8s.io/v1',
    kind: 'StorageVersionMigration',
    metadata: { name: 'kites.x.example.com-v1' },
    spec: { resource: { group: 'x.example.com', resource: 'kites' } },
  });
  expect(err.at(-1)).toBe('chancery check crd: 0 unsafe changes in 1 definition');
});

test('`check crd` reports that a migration is needed if objects are stored in an older version', async () => {
  const of = (storedVersions: readonly string[]) =>
    join(folderWith({ a: stores('v1', { storedVersions }) }), 'a');

  const both = await check(['-', '--against', of(['v1alpha1', 'v1']), '-o', 'json'], stores('v1'));
  const migrated = await check(['-', '--against', of(['v1']), '-o', 'json'], stores('v1'));

  expect(JSON.parse(both.out.join('\n'))).toMatchObject({
    safe: true,
    migrations: [{ definition: 'kites.x.example.com', from: ['v1alpha1'], to: 'v1' }],
  });
  expect(JSON.parse(migrated.out.join('\n'))).toMatchObject({ migrations: [] });
});

test('[packaging 18] the findings of `check crd` do not depend on the order of versions and fields', async () => {
  const versions = [
    versionOf('v1', { type: 'object', properties: { a: text(9), b: text(9) } }),
    versionOf(
      'v1alpha1',
      { type: 'object', properties: { a: text(9), b: text(9) } },
      { storage: false },
    ),
    versionOf('v2', { type: 'object', properties: { b: text(7), a: text(9) } }, { storage: false }),
  ];
  const old = join(
    folderWith({ a: formatYaml(definitionOf('Kite', { versions: versions.slice(0, 2) })) }),
    'a',
  );
  const now = (all: readonly object[]): string =>
    formatYaml(definitionOf('Kite', { versions: all }));

  const { code, out } = await check(['-', '--against', old], now(versions));
  const reversed = await check(['-', '--against', old], now(versions.toReversed()));

  expect(code).toBe(1);
  expect(out).toEqual([
    'kites.x.example.com v1alpha1 -> v2: .spec.b: maxLength: lowered from 9 to 7',
    'kites.x.example.com v1 -> v2: .spec.b: maxLength: lowered from 9 to 7',
  ]);
  expect(reversed.out.toSorted()).toEqual(out.toSorted());
});

/** Writes a file into the folder, which is what is checked. */
const written =
  (name: string, content: string) =>
  (folder: string): string => {
    writeFileSync(join(folder, name), content);
    return '';
  };

const bomb = (): string =>
  [
    'a0: &a0 [x, x]',
    ...Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`),
  ].join('\n');

test.each<[string, (folder: string) => string, string]>([
  ['a folder without manifests', () => '', 'the folder has no .yaml, .yml or .json'],
  [
    'a folder without definitions',
    written('a.yaml', NAMESPACE),
    'NEW has no CustomResourceDefinition',
  ],
  ['a file that does not exist', () => 'b.yaml', 'no such file or folder'],
  [
    'a folder in a folder',
    (folder) => {
      mkdirSync(join(folder, 'c.yaml'));
      return '';
    },
    'EISDIR',
  ],
  ['aliases that expand without end', written('d.yaml', bomb()), 'Excessive alias count'],
  ['lists nested without end', written('e.json', '['.repeat(20_000)), 'invalid YAML'],
  [
    'a file of more than 64 MiB',
    (folder) => {
      writeFileSync(join(folder, 'f.yaml'), '');
      truncateSync(join(folder, 'f.yaml'), 64 * 1_048_576 + 1); // which takes no room
      return '';
    },
    'f.yaml has more than 67108864 bytes',
  ],
  [
    'v1beta1',
    written('g.yaml', kite(9).replace('.k8s.io/v1', '.k8s.io/v1beta1')),
    'kites.x.example.com: apiVersion must be apiextensions.k8s.io/v1, not "apiextensions.k8s.io/v1beta1", which no API server since',
  ],
  [
    'a definition twice, in two files',
    (folder) => {
      for (const name of ['h.yaml', 'i.yaml']) writeFileSync(join(folder, name), kite(9));
      return '';
    },
    'i.yaml: NEW has kites.x.example.com twice',
  ],
])('[packaging 18] for %s `check crd` exits with 2, and prints nothing on standard output', async (_, make, message) => {
  const folder = folderWith({});
  const path = join(folder, make(folder));
  const old = join(folderWith({ a: kite(9) }), 'a');

  const { code, out, err } = await check([path, '--against', old]);

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err).toHaveLength(1);
  expect(err[0]).toContain(message);
});

test('[packaging 18] the process of `check crd` ends with the exit code of the check', async () => {
  const folder = folderWith({ 'new.yaml': kite(8), 'old.yaml': kite(9) });
  const [now, old] = [join(folder, 'new.yaml'), join(folder, 'old.yaml')];

  const children = [
    chancery(['check', 'crd', old, '--against', now]),
    chancery(['check', 'crd', now, '--against', old]),
    chancery(['check', 'crd', now, '--against', join(folder, 'none')]),
  ];

  expect(await Promise.all(children.map(({ exit }) => exit))).toEqual([0, 1, 2]);
  expect(children[1]?.stdout.lines).toEqual([LOWERED]);
});
