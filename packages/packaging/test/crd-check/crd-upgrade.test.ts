/** `chancery check crd`: pairs of definitions with what is told about them, and what cannot be compared. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatYaml, parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import { folderWith } from '../../../../test/cli/child.ts';
import { invoke } from '../../../../test/cli/invocation.ts';

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

test('[packaging 18] the recorded pairs of definitions are at least twenty, and contain safe and unsafe changes', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(20);
  expect(pairs.filter(({ expected }) => expected.length === 0).length).toBeGreaterThan(5);
});

test.each(
  pairs,
)('[I-8] [packaging 18] `check crd` reports what the recorded pair $file expects: $title', async ({
  old,
  now,
  expected,
}) => {
  const { code, out } = await check(old, now);

  expect(out).toEqual(expected);
  expect(code).toBe(expected.length === 0 ? 0 : 1);
});

test.each(pairs)('`check crd` finds no change between equal definitions of $file', async ({
  old,
  now,
}) => {
  expect(await check(old, old)).toMatchObject({ code: 0, out: [] });
  expect(await check(now, now)).toMatchObject({ code: 0, out: [] });
});

/** The definition of `fine` with two versions, in which parts are replaced. */
const surface = (
  spec: object = {},
  one: object = {},
  other: object = {},
): Record<string, unknown> => ({
  ...definition({ type: 'object' }),
  spec: {
    group: 'air.example',
    names: { kind: 'Kite', plural: 'kites' },
    scope: 'Namespaced',
    versions: [
      version('v1', { type: 'object' }, one),
      version('v1beta1', { type: 'object' }, { storage: false, ...other }),
    ],
    ...spec,
  },
});
const names = (more: object): object => ({ names: { kind: 'Kite', plural: 'kites', ...more } });
const webhook = (clientConfig: object, versions: readonly string[] = ['v1']): object => ({
  conversion: {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: versions, clientConfig },
  },
});
const scale = (more: object): object => ({
  subresources: {
    scale: {
      ...{ specReplicasPath: '.spec.strings', statusReplicasPath: '.status.strings' },
      ...more,
    },
  },
});
const withLongestName = (maxLength: number): object => ({
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength } } },
        spec: { type: 'object' },
      },
    },
  },
});
const service = { name: 'turn', namespace: 'air', path: '/turn' };

test.each<[string, object, object, string]>([
  [
    'a removed status subresource',
    surface({}, { subresources: { status: {} } }),
    surface(),
    'v1: subresources.status: subresources: the subresource is removed',
  ],
  [
    'a new status subresource',
    surface({}, {}, {}),
    surface({}, {}, { subresources: { status: {} } }),
    'v1beta1: subresources.status: subresources: the subresource is new',
  ],
  [
    'a removed scale subresource',
    surface({}, scale({})),
    surface({}, { subresources: null }),
    'v1: subresources.scale: subresources: the subresource is removed',
  ],
  [
    'another path of replicas',
    surface({}, scale({})),
    surface({}, scale({ specReplicasPath: '.spec.lines' })),
    'v1: subresources.scale.specReplicasPath: subresources: changed from ".spec.strings" to ".spec.lines"',
  ],
  [
    'a selector that autoscalers no longer find',
    surface({}, scale({ labelSelectorPath: '.status.selector' })),
    surface({}, scale({})),
    'subresources.scale.labelSelectorPath: subresources: changed from ".status.selector" to nothing',
  ],
  [
    'a field that can no longer be selected',
    surface({}, { selectableFields: [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.b' }] }),
    surface({}, { selectableFields: [{ jsonPath: '.spec.b' }] }),
    'v1: selectableFields: selectableFields: removed: ".spec.a"',
  ],
  [
    'a version that is no longer served',
    surface(),
    surface({}, {}, { served: false }),
    'spec.versions: servedVersionRemoval: v1beta1 is no longer served',
  ],
  [
    'a removed served version in which nothing is stored',
    { ...surface(), status: { storedVersions: ['v1'] } },
    definition({ type: 'object' }),
    'spec.versions: servedVersionRemoval: v1beta1 is no longer served',
  ],
  [
    'a new webhook between versions with equal schemas',
    surface(),
    surface(webhook({ service })),
    'spec.conversion: conversion: changed from "None" to {"conversionReviewVersions":["v1"],"service":',
  ],
  [
    'a webhook at another address',
    surface(webhook({ service })),
    surface(webhook({ service: { ...service, path: '/convert' } })),
    'spec.conversion: conversion: changed from',
  ],
  [
    'a webhook with another version of reviews',
    surface(webhook({ url: 'https://turn.example' }, ['v1'])),
    surface(webhook({ url: 'https://turn.example' }, ['v1beta1', 'v1'])),
    'spec.conversion: conversion: changed from',
  ],
  [
    'another list kind',
    surface(),
    surface(names({ listKind: 'Kites' })),
    'spec.names.listKind: listKind: changed from "KiteList" to "Kites"',
  ],
  [
    'another singular name',
    surface(names({ singular: 'kite' })),
    surface(names({ singular: 'dragon' })),
    'spec.names.singular: singular: changed from "kite" to "dragon"',
  ],
  [
    'a removed short name',
    surface(names({ shortNames: ['kt', 'k'] })),
    surface(names({ shortNames: ['k'] })),
    'spec.names.shortNames: shortNames: removed: "kt"',
  ],
  [
    'a removed category',
    surface(names({ categories: ['all'] })),
    surface(),
    'spec.names.categories: categories: removed: "all"',
  ],
  [
    'unknown fields that are pruned from now on',
    surface({ preserveUnknownFields: true }),
    surface(),
    'spec.preserveUnknownFields: preserveUnknownFields: changed from true to false',
  ],
  [
    'a limit for the names of objects in a schema that had no limit',
    surface({}, { served: false }),
    surface({}, { served: false, ...withLongestName(20) }),
    'v1: .metadata.name: maxLength: added, 20',
  ],
])('[found 18] `check crd` finds %s', async (_, old, now, told) => {
  const { code, out } = await check(old, now);

  expect(out).toEqual([expect.stringContaining(told)]);
  expect(code).toBe(1);
});

test.each<[string, object, object]>([
  [
    'names, selectable fields, a scale subresource, columns and a deprecation that are new',
    surface({}, { subresources: { status: {} } }),
    surface(
      names({ shortNames: ['k'], categories: ['all'], singular: 'kite', listKind: 'KiteList' }),
      {
        ...{ selectableFields: [{ jsonPath: '.spec.a' }], deprecated: true },
        ...{ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }] },
        subresources: { status: {}, ...(scale({}) as { subresources: object }).subresources },
      },
    ),
  ],
  [
    'a certificate and the defaults of the API server',
    surface(webhook({ service })),
    surface(webhook({ service: { ...service, port: 443 }, caBundle: 'c2FtcGxl' })),
  ],
  [
    'a webhook that comes with the second version',
    definition({ type: 'object' }),
    surface(webhook({ service })),
  ],
  [
    'null fields, which the API server treats as absent',
    surface(names({ singular: 'kite', listKind: 'KiteList' }), scale({ labelSelectorPath: null })),
    surface(names({ singular: null, listKind: '' }), scale({})),
  ],
  [
    'a webhook path that is null',
    surface(webhook({ service: { name: 'turn', namespace: 'air' } })),
    surface(
      webhook({ service: { name: 'turn', namespace: 'air', path: null, port: null }, url: null }),
    ),
  ],
  [
    'names of objects that are longer than before',
    surface({}, withLongestName(20), withLongestName(20)),
    surface({}, withLongestName(30), withLongestName(30)),
  ],
  ['a version that is served again', surface({}, {}, { served: false }), surface()],
])('[found 18] `check crd` accepts %s', async (_, old, now) => {
  expect(await check(old, now)).toMatchObject({ code: 0, out: [] });
});

test.each<[string, object, string]>([
  ['subresources', { subresources: [] }, 'spec.versions[0].subresources must be a mapping'],
  ['a status', { subresources: { status: true } }, 'subresources.status must be a mapping'],
  ['selectable fields', { selectableFields: {} }, 'selectableFields must be a list'],
  [
    'a path',
    { selectableFields: [{ jsonPath: 3 }] },
    'selectableFields[0].jsonPath must be a string',
  ],
])('[found 18] `check crd` refuses to compare %s of a wrong type', async (_, over, told) => {
  const { code, err } = await check(surface(), surface({}, over));

  expect(code).toBe(2);
  expect(err).toContain(told);
});

test('`check crd` compares a List from standard input with the files of a folder', async () => {
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

test('`check crd -o json` prints one document with every definition of both sides', async () => {
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
    migrations: [],
  });
  expect(err).toContain('gliders.air.example is only in OLD, and was not compared');
  expect(err).toContain('1 unsafe change in 1 definition');
});

test('if the old definition has no status, objects count as stored in its storage version', async () => {
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

test('`check crd` accepts a definition that is not yet in the cluster', async () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [] };

  expect(await check(list, definition({ type: 'object' }))).toMatchObject({ code: 0, out: [] });
});

test('`check crd` escapes control characters in its output', async () => {
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
  ['input that is not YAML', 'a: [', fine, 'invalid YAML'],
  ['no definition in OLD', { kind: 'Namespace' }, fine, 'OLD has no CustomResourceDefinition'],
  ['no definition in NEW', fine, { kind: 'List', items: [] }, 'NEW has no CustomResourceDef'],
  ['empty input', '', fine, 'OLD has no CustomResourceDefinition'],
  [
    'a repeated definition',
    fine,
    `${formatYaml(fine)}---\n${formatYaml(fine)}`,
    'kites.air.example twice',
  ],
  [
    'a removed version of the API',
    { ...fine, apiVersion: 'apiextensions.k8s.io/v1beta1' },
    fine,
    'kites.air.example: apiVersion must be apiextensions.k8s.io/v1, not "apiextensions.k8s.io/v1beta1"',
  ],
  ['a definition without a name', { ...fine, metadata: {} }, fine, 'has no metadata.name'],
  [
    'a version without a schema',
    fine,
    { ...fine, spec: { ...fineSpec, versions: [{ name: 'v1', served: true }] } },
    'spec.versions[0].schema.openAPIV3Schema must be a mapping',
  ],
  [
    'a repeated version',
    { ...fine, spec: { ...fineSpec, versions: [version('v1', {}), version('v1', {})] } },
    fine,
    'spec.versions has "v1" twice',
  ],
  [
    'a field that is not a schema',
    definition({ properties: { a: 3 } }),
    fine,
    'the schema of .spec.a must',
  ],
  [
    'a schema that is nested too deeply',
    fine,
    definition(nested(200)),
    'nested deeper than 100, at .spec[][]',
  ],
  [
    'a default that is nested too deeply',
    fine,
    definition({ type: 'object', default: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) }),
    'nested deeper than 100, at .spec',
  ],
])('`check crd` exits with 2, because it cannot compare: %s', async (_what, old, now, message) => {
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
])('`check crd` refuses the arguments %j', async (args, message) => {
  const { exit, stderr } = invoke(['check', 'crd', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toContain(message);
});
