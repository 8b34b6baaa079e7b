/** `chancery check crd`: pairs of definitions with what is told about them, and what cannot be compared. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatYaml, parseYamlDocuments } from '../../../operator/core/yaml.ts';
import { folderWith } from '../../cli/child.ts';
import { invoke } from '../../cli/invocation.ts';

const PAIRS = fileURLToPath(new URL('pairs/', import.meta.url));

const pairs = readdirSync(PAIRS).map((file) => {
  const text = readFileSync(join(PAIRS, file), 'utf8');
  const [head = '', old = '', now = ''] = text.split(/^---\n/m);
  const [{ expected }] = parseYamlDocuments(head) as [{ readonly expected: readonly string[] }];
  const [, title = ''] = /^# (.*)$/m.exec(head) ?? [];
  return { file, title, expected, old, now };
});

/** A definition with one version and the given schema of `spec`. */
const definition = (spec: object, over: object = {}): Record<string, unknown> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'kites.air.example' },
  spec: {
    group: 'air.example',
    names: { kind: 'Kite', plural: 'kites' },
    scope: 'Namespaced',
    versions: [version('v1', spec)],
  },
  ...over,
});

const version = (name: string, spec: object, over: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  ...over,
});

async function check(
  old: unknown,
  now: unknown,
  args: readonly string[] = [],
): Promise<{ readonly code: number; readonly out: readonly string[]; readonly err: string }> {
  const text = (value: unknown): string => (typeof value === 'string' ? value : formatYaml(value));
  const folder = folderWith({ 'old.yaml': text(old), 'new.yaml': text(now) });
  const { exit, stdout, stderr } = invoke([
    ...['check', 'crd', join(folder, 'new.yaml')],
    ...['--against', join(folder, 'old.yaml'), ...args],
  ]);
  const code = await exit;
  return { code, out: stdout.lines, err: stderr.lines.join('\n').replaceAll(folder, '') };
}

test('[packaging 18] there are at least twenty pairs, safe ones and unsafe ones', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(20);
  expect(pairs.filter(({ expected }) => expected.length === 0).length).toBeGreaterThan(5);
});

test.each(pairs)('[I-8] [packaging 18] $file: $title', async ({ old, now, expected }) => {
  const { code, out } = await check(old, now);

  expect(out).toEqual(expected);
  expect(code).toBe(expected.length === 0 ? 0 : 1);
});

test.each(pairs)('$file: nothing has changed when both are the same', async ({ old, now }) => {
  expect(await check(old, old)).toMatchObject({ code: 0, out: [] });
  expect(await check(now, now)).toMatchObject({ code: 0, out: [] });
});

test('the definition of a cluster comes from standard input, in a List, and the files are a folder', async () => {
  const old = definition({ type: 'object', properties: { tail: { type: 'string' } } });
  const folder = folderWith({ 'a.yaml': formatYaml(definition({ type: 'object' })) });
  const args = ['check', 'crd', folder, '--against', '-'];

  const { exit, stdout } = invoke(args, {
    stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [old] }),
  });

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([
    'kites.air.example v1: .spec.tail: existingFieldRemoval: the field is removed',
  ]);
});

test('-o json is one document with every definition of both sides', async () => {
  const gone = definition({ type: 'object' }, { metadata: { name: 'gliders.air.example' } });
  const added = definition({ type: 'object' }, { metadata: { name: 'drones.air.example' } });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'air' } };
  const stream = (...objects: object[]): string => objects.map(formatYaml).join('---\n');

  const { code, out, err } = await check(
    stream(gone, namespace, definition({ type: 'object', maxProperties: 3 })),
    stream(definition({ type: 'object', maxProperties: 2 }), added, namespace),
    ['-o', 'json'],
  );

  expect(code).toBe(1);
  expect(JSON.parse(out.join('\n'))).toEqual({
    safe: false,
    definitions: [
      { name: 'drones.air.example', state: 'new' },
      { name: 'gliders.air.example', state: 'absent' },
      { name: 'kites.air.example', state: 'compared' },
    ],
    findings: [
      {
        definition: 'kites.air.example',
        version: 'v1',
        path: '.spec',
        rule: 'maxProperties',
        message: 'lowered from 3 to 2',
      },
    ],
  });
  expect(err).toContain('gliders.air.example is only in OLD, and was not compared');
  expect(err).toContain('1 unsafe change in 1 definition');
});

test('without a status the storage version of the old definition is a stored one', async () => {
  const versions = [version('v2', { type: 'object' })];
  const { spec } = definition({ type: 'object' });

  const { out } = await check(
    definition({ type: 'object' }),
    definition({}, { spec: { ...(spec as object), versions } }),
  );

  expect(out).toEqual([
    'kites.air.example: spec.versions: storedVersionRemoval: v1 is removed, and objects are stored in it',
  ]);
});

test('a definition that is not in the cluster yet passes', async () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [] };

  expect(await check(list, definition({ type: 'object' }))).toMatchObject({ code: 0, out: [] });
});

test('characters that a terminal would obey are escaped', async () => {
  const field = (pattern: string): object => definition({ type: 'string', pattern });

  const { out } = await check(field('^a'), field('\u009b2J\nSAFE'));

  expect(out).toHaveLength(1);
  expect(out[0]).toMatch(/changed from "\^a" to "\\u009b2J\\nSAFE"$/);
});

const fine = definition({ type: 'object' });
const nested = (depth: number): object =>
  depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) };
const { spec: fineSpec } = fine as { readonly spec: object };

test.each<[string, unknown, unknown, string]>([
  ['no YAML', 'a: [', fine, 'invalid YAML'],
  ['no definition in OLD', { kind: 'Namespace' }, fine, 'OLD has no CustomResourceDefinition'],
  ['no definition in NEW', fine, { kind: 'List', items: [] }, 'NEW has no CustomResourceDef'],
  ['nothing at all', '', fine, 'OLD has no CustomResourceDefinition'],
  [
    'one definition twice',
    fine,
    `${formatYaml(fine)}---\n${formatYaml(fine)}`,
    'kites.air.example twice',
  ],
  [
    'a version of the API that is gone',
    { ...fine, apiVersion: 'apiextensions.k8s.io/v1beta1' },
    fine,
    'kites.air.example: apiVersion must be apiextensions.k8s.io/v1, not "apiextensions.k8s.io/v1beta1"',
  ],
  ['no name', { ...fine, metadata: {} }, fine, 'has no metadata.name'],
  [
    'no schema',
    fine,
    { ...fine, spec: { ...fineSpec, versions: [{ name: 'v1', served: true }] } },
    'spec.versions[0].schema.openAPIV3Schema must be a mapping',
  ],
  [
    'a version twice',
    { ...fine, spec: { ...fineSpec, versions: [version('v1', {}), version('v1', {})] } },
    fine,
    'spec.versions has "v1" twice',
  ],
  [
    'a field that is no schema',
    definition({ properties: { a: 3 } }),
    fine,
    'the schema of .spec.a must',
  ],
  ['a schema too deep', fine, definition(nested(200)), 'nested deeper than 100, at .spec[][]'],
  [
    'a default too deep',
    fine,
    definition({ type: 'object', default: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) }),
    'nested deeper than 100, at .spec',
  ],
])('%s cannot be compared: exit code 2', async (_what, old, now, message) => {
  const { code, out, err } = await check(old, now);

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err).toContain(message);
});

test.each([
  [['new.yaml'], 'expected NEW --against OLD'],
  [['--against', 'old.yaml'], 'expected NEW --against OLD'],
  [['-', '--against', '-'], 'only one of NEW and OLD'],
  [['a', '--against', 'b', '-o', 'yaml'], '--output must be text or json'],
  [['/nowhere/a', '--against', '/nowhere/b'], 'cannot read /nowhere/a: no such file or folder'],
])('check crd %j is refused', async (args, message) => {
  const { exit, stderr } = invoke(['check', 'crd', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toContain(message);
});
