/** `chancery init --from` and `--from-crd`: which kinds are taken, what is told of them, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { formatYaml, parseYaml } from '../../operator/core/yaml.ts';
import { definitionOf, HOSTILE, HOSTILE_SPEC, versionOf } from '../scaffold/support/definitions.ts';
import {
  FLEET,
  kubebuilderProject,
  projectOf,
  resourceOf,
} from '../scaffold/support/kubebuilder-project.ts';
import { textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

interface Made {
  readonly code: number;
  readonly files: Readonly<Record<string, string>>;
  /** What was told, without the name of the command and without what comes next. */
  readonly told: readonly string[];
}

async function init(args: readonly string[], stdin?: string): Promise<Made> {
  const folder = join(folderWith({}), 'demo');
  const { exit, stderr } = invoke(['init', folder, ...args], stdin === undefined ? {} : { stdin });
  const code = await exit;
  const told = stderr.lines.flatMap((line) => /^chancery init: (.*)$/.exec(line)?.[1] ?? []);
  return { code, files: textsBelow(folder), told: code === 0 ? told.slice(0, -1) : told };
}

const stream = (...objects: readonly object[]): string => objects.map(formatYaml).join('---\n');
const controllersIn = ({ files }: Made): readonly string[] =>
  (files['src/operator.ts'] ?? '').match(/(?<=from '\.\/)[^']+(?=\.ts')/g) ?? [];

describe('[scaffolding 20] the option `--from` of `init`', () => {
  test('`init --from` converts all kinds of the sample project, and gives a reason for each omission', async () => {
    const made = await init(['--from', kubebuilderProject(projectOf(FLEET))]);

    expect(made.code).toBe(0);
    expect(controllersIn(made)).toEqual([
      ...['captain', 'admiral', 'frigate', 'destroyer', 'cruiser', 'kraken', 'health-check-policy'],
      ...['bar', 'bar-fiz', 'lakers', 'wordpress'],
    ]);
    expect(made.told).toEqual([
      'skipped: Deployment of apps: its definition belongs to Kubernetes; a controller can watch it as a further source',
      'skipped: Pod of the core group: its definition belongs to Kubernetes; a controller can watch it as a further source',
      'skipped: Certificate of cert-manager.io: its definition belongs to another project; a controller can watch it as a further source',
      'skipped: Laker of crew.fleet.example: PROJECT lists its controller and no API',
      'skipped: Removed of crew.fleet.example: it is in config/crd/bases, and not in PROJECT',
      'Wordpress of example.com.fleet.example is taken in the version v1, not v2',
      ...[
        'Frigate of ship',
        'Cruiser of ship',
        'Kraken of sea-creatures',
        'HealthCheckPolicy of foo.policy',
      ].map((kind) =>
        expect.stringContaining(`${kind}.fleet.example has no definition in config/crd/bases`),
      ),
    ]);
    expect(made.files['src/admiral.ts']).toMatch(/plural: 'admirales',\n.*\n.*namespaced: false,/);
    expect(made.files['src/cruiser.ts']).toContain("scope: 'Cluster'");
    expect(made.files['src/frigate.ts']).not.toContain('scope:');
    expect(made.files['src/bar-fiz.ts']).toContain("name: 'bar-fiz'");
  });

  test.each<[string, object]>([
    ['one group', { multigroup: undefined }],
    ['several groups', { multigroup: true }],
    ['a layout that is a string', { layout: 'go.kubebuilder.io/v3' }],
    ['a project without Go', { layout: ['helm.sdk.operatorframework.io/v1'], repo: undefined }],
  ])('`init --from` finds the same kinds in any project layout: %s', async (_, more) => {
    const made = await init(['--from', kubebuilderProject(projectOf(FLEET.slice(0, 3), more))]);

    expect(made.code).toBe(0);
    expect(controllersIn(made)).toEqual(['captain', 'admiral', 'frigate']);
  });

  test('`init --from` accepts a copy of a PROJECT file under any name, without other files', async () => {
    const resources = [resourceOf('ship', 'Raft', 'v1'), resourceOf('ship', 'Raft', 'v1beta2')];
    const file = join(folderWith({ copy: formatYaml(projectOf(resources)) }), 'copy');

    const made = await init(['--from', file]);

    expect(controllersIn(made)).toEqual(['raft']);
    expect(made.files['src/raft.ts']).toContain("version: 'v1',");
    expect(made.told).toEqual([
      'Raft of ship.fleet.example is taken in the version v1, not v1beta2',
      expect.stringContaining('check its plural, rafts; or run make manifests'),
    ]);
  });

  test('`init --from` finds no definitions in an empty folder', async () => {
    const folder = kubebuilderProject(projectOf([resourceOf('ship', 'Raft', 'v1')]), []);
    writeFileSync(join(folder, 'config/crd/bases/.gitkeep'), '');

    expect(await init(['--from', folder])).toMatchObject({ code: 0 });
  });

  test.each<[string, string, string]>([
    ['no mapping', '- a', 'is no PROJECT file'],
    ['nothing', '', 'is no PROJECT file'],
    ['an older version', 'version: "2"', 'has version "2"; only "3" can be read'],
    ['a version that is a number', 'version: 3', 'has version 3; only "3" can be read'],
    [
      'resources that are not a list',
      'version: "3"\nresources: {a: 1}',
      'resources must be a list of',
    ],
    ['no resource', 'version: "3"', 'has no kind for a new project'],
    ['no YAML', 'version: [', 'invalid YAML'],
    [
      'only built-in kinds',
      'version: "3"\nresources: [{kind: Pod, core: true, version: v1}]',
      'has no kind for a new project: Pod of the core group: its definition belongs to Kubernetes',
    ],
    [
      'a protected group of Kubernetes',
      'version: "3"\nresources: [{kind: A, group: x.k8s.io, version: v1, api: {}}]',
      'A of x.k8s.io: group x.k8s.io belongs to the Kubernetes project',
    ],
  ])('`init --from` refuses a project with %s, and writes nothing', async (_, text, message) => {
    const { code, told, files } = await init(['--from', folderWith({ PROJECT: text })]);

    expect({ code, files }).toEqual({ code: 2, files: {} });
    expect(told).toEqual([expect.stringContaining(message)]);
  });
});

describe('[scaffolding 20] the option `--from-crd` of `init`', () => {
  test('`init --from-crd` reads files, folders and standard input, with several definitions each', async () => {
    const folder = folderWith({
      'b.yml': stream(
        definitionOf('Bee'),
        { kind: 'Namespace', metadata: { name: 'x' } },
        definitionOf('Cat'),
      ),
      'c.json': JSON.stringify({ kind: 'List', items: [definitionOf('Cow')] }),
      'notes.txt': 'not: [yaml',
    });
    const file = join(
      folderWith({ 'a.yaml': `# comment\n---\n---\n${stream(definitionOf('Ant'))}` }),
      'a.yaml',
    );

    const made = await init(
      ['--from-crd', file, '--from-crd', folder, '--from-crd', '-'],
      stream(definitionOf('Dog', { scope: 'Cluster' })),
    );

    expect(controllersIn(made)).toEqual(['ant', 'bee', 'cat', 'cow', 'dog']);
    expect(made.told).toEqual(['skipped: 1 object that is no CustomResourceDefinition']);
    expect(made.files['src/dog.ts']).toContain('namespaced: false,');
    expect(made.files['README.md']).toContain('Ant (x.example.com/v1), Bee');
  });

  test('`init --from-crd` uses the storage version, or, if it is not served, the newest served version, and prints it', async () => {
    const versions = (...all: readonly [string, object][]): readonly object[] =>
      all.map(([name, more]) => versionOf(name, { type: 'object' }, more));
    const away = { served: false };
    const made = await init(
      ['--from-crd', '-'],
      stream(
        definitionOf('Stored', { versions: versions(['v2', { storage: false }], ['v1', {}]) }),
        definitionOf('Served', {
          versions: versions(
            ['v1', away],
            ['v1beta1', { storage: false }],
            ['v1alpha9', { storage: false }],
          ),
        }),
        definitionOf('Gone', { versions: versions(['v1', away]) }),
      ),
    );

    expect(made.told).toEqual([
      'skipped: gones.x.example.com: no version of it is served',
      'Stored of x.example.com is taken in the version v1, not v2',
      'Served of x.example.com is taken in the version v1beta1, not v1, v1alpha9',
    ]);
    expect(made.files['src/served.ts']).toContain("version: 'v1beta1'");
    expect(made.files['samples/stored.yaml']).toContain('apiVersion: x.example.com/v1\n');
  });

  test('`init` prints a message if the version it uses has no status subresource', async () => {
    const none = { subresources: undefined };
    const scale = { subresources: { scale: {} }, storage: false };

    const made = await init(
      ['--from-crd', '-'],
      stream(
        definitionOf('Bare', { versions: [versionOf('v1', {}, none)] }),
        definitionOf('Late', { versions: [versionOf('v2', {}), versionOf('v1', {}, scale)] }),
      ),
    );

    expect(made.told).toEqual([
      'Bare of x.example.com has no status subresource in v1: setStatus fails until that version of the definition has "subresources: { status: {} }"',
      'Late of x.example.com is taken in the version v2, not v1',
    ]);
  });

  test('the kinds of `init --from-crd` have different files, controller names and constants', async () => {
    const made = await init(
      ['--from-crd', '-'],
      stream(
        ...['Foo', 'FooDefinition', 'Operator', 'OperatorController'].map((kind) =>
          definitionOf(kind),
        ),
        definitionOf('HTTPRoute'),
        definitionOf('HttpRoute', { plural: 'others' }),
        ...['y.example.com', 'y.example.org'].map((group) => definitionOf('Foo', { group })),
        definitionOf('Foo', { plural: 'more', group: 'y.example.org' }),
        definitionOf('X-1y'),
        definitionOf('X1y'),
      ),
    );

    const sources = Object.keys(made.files).filter((file) => /^src\/[^.]*\.ts$/.test(file));
    expect(controllersIn(made)).toEqual([
      ...['foo', 'foo-definition-x', 'operator-controller', 'operator-controller-x'],
      ...['http-route', 'http-route-x', 'foo-y', 'foo-y-example-org', 'foo-2', 'x-1y', 'x1y-x'],
    ]);
    expect(sources).toHaveLength(1 + 2 * 11);
    const constants = (made.files['src/operator.ts'] ?? '').match(/(?<=^import )\w+/gm) ?? [];
    expect(new Set(constants).size).toBe(11);
  });

  test('`init --from-crd` copies a definition unchanged, except for fields that a cluster adds', async () => {
    const definition = definitionOf('Hostile', {
      spec: HOSTILE_SPEC,
      metadata: {
        uid: 'u',
        labels: { [HOSTILE]: 'x' },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', a: HOSTILE },
      },
    });

    const { files } = await init(['--from-crd', '-'], JSON.stringify(definition));

    const module = files['src/hostile-definition.ts'] ?? '';
    const folder = folderWith({ 'definition.ts': module });
    const { definition: copy } = await import(/* @vite-ignore */ join(folder, 'definition.ts'));
    const { spec, metadata } = parseYaml(JSON.stringify(definition)) as {
      spec: { names: object };
      metadata: { name: string };
    };
    expect(copy).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: metadata.name, labels: { [HOSTILE]: 'x' }, annotations: { a: HOSTILE } },
      spec: { ...spec, names: { ...spec.names, singular: 'hostile' } },
    });
    const { properties } = copy.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    expect(Object.hasOwn(properties, '__proto__')).toBe(true);
  });

  test('no string of a definition becomes code, and none spans several lines', async () => {
    const { files } = await init(
      ['--from-crd', '-'],
      stream(definitionOf('Hostile', { spec: HOSTILE_SPEC }), definitionOf('Plain')),
    );

    const plain = files['src/plain.ts'] ?? '';
    const source = files['src/hostile.ts'] ?? '';
    const shape = (text: string): readonly string[] =>
      parseAst(text, { lang: 'ts' }).body.map(({ type }) => type);
    expect(shape(source)).toEqual(shape(plain));
    expect(shape(files['src/hostile.test.ts'] ?? '')).toEqual(
      shape(files['src/plain.test.ts'] ?? ''),
    );
    expect(source).not.toMatch(/[\u2028\u2029]/);
    expect(source).toContain(
      `readonly ${JSON.stringify(HOSTILE).replace('\u2028', '\\u2028').replace('\u2029', '\\u2029')}: `,
    );
    expect(source).toContain('  readonly level?: "low" | 1 | true | null;');
    expect(parseYaml(files['samples/hostile.yaml'] ?? '')).toMatchObject({
      spec: {
        [HOSTILE]: HOSTILE,
        constructor: -3,
        code: expect.stringMatching(/^AB-[a-f0-9]{4}$/),
        either: { a: expect.any(String), b: false },
      },
    });
  });

  test('if no valid sample can be generated, the generated test is skipped, and a message says so', async () => {
    const spec = {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', pattern: '^\\d{3}$', maxLength: 2 } },
      'x-kubernetes-validations': [{ rule: 'self.code != ""' }],
    };

    const made = await init(['--from-crd', '-'], stream(definitionOf('Impossible', { spec })));

    expect(made.told).toEqual([
      'complete samples/impossible.yaml: spec.code: Invalid value: "sa": spec.code in body should match \'^\\d{3}$\'; then take "skip" out of src/impossible.test.ts',
      'samples/impossible.yaml was not checked by the CEL rules of its definition: npm test does',
    ]);
    expect(made.files['src/impossible.test.ts']).toContain(
      '{ skip: "complete samples/impossible.yaml',
    );
  });

  test.each<[string, object, string]>([
    [
      'the API version v1beta1',
      { ...definitionOf('Old'), apiVersion: 'apiextensions.k8s.io/v1beta1' },
      'olds.x.example.com: apiVersion must be apiextensions.k8s.io/v1, not "apiextensions.k8s.io/v1beta1"',
    ],
    [
      'a kind that is a path',
      definitionOf('../A', { plural: 'as' }),
      'its kind must be at most 63',
    ],
    [
      'a kind of 300 characters',
      definitionOf('A'.repeat(300), { plural: 'as', listKind: 'L' }),
      'its kind must be',
    ],
    [
      'a list kind that is too long',
      definitionOf('A', { listKind: 'L'.repeat(64) }),
      'its listKind must be',
    ],
    [
      'a plural with a quote',
      definitionOf('A', { plural: "a'" }),
      'its plural must be in lower case',
    ],
    ['a group without a dot', definitionOf('A', { group: 'a' }), 'its group must be a domain'],
    [
      'a group that contains code',
      definitionOf('A', { group: "a.b'+c" }),
      'its group must be a domain',
    ],
    [
      'a version with a dot',
      definitionOf('A', { versions: [versionOf('v1.0', {})] }),
      'its version must be',
    ],
    [
      'another name',
      definitionOf('A', { metadata: { name: 'b' } }),
      'metadata.name must be as.x.example.com',
    ],
  ])('`init --from-crd` refuses a definition with %s, and writes nothing', async (_, definition, message) => {
    const { code, told, files } = await init(['--from-crd', '-'], formatYaml(definition));

    expect({ code, files }).toEqual({ code: 2, files: {} });
    expect(told).toEqual([expect.stringContaining('--from-crd - has no kind for a new project: ')]);
    expect(told[0]).toContain(message);
    expect(told[0]?.length).toBeLessThan(1_500);
  });

  test('one unusable definition does not affect the other definitions', async () => {
    const bad = definitionOf('\u001b[2J', { plural: 'bads' });

    const made = await init(['--from-crd', '-'], stream(bad, definitionOf('Good')));

    expect(controllersIn(made)).toEqual(['good']);
    expect(made.told).toEqual([
      expect.stringMatching(/^skipped: bads\.x\.example\.com: its kind .*\\u001b\[2J"$/),
    ]);
  });

  test('if two definitions with the same name differ, the first is used, and a message says so', async () => {
    const first = definitionOf('Twin', { scope: 'Cluster' });

    const made = await init(['--from-crd', '-'], stream(first, definitionOf('Twin'), first));

    expect(made.told).toEqual([
      'skipped: Twin of x.example.com: it is defined twice; the first definition is used',
    ]);
    expect(made.files['src/twin.ts']).toContain('namespaced: false,');
  });
});

test('[scaffolding 18] `init` writes the same files for the same definitions', async () => {
  const text = stream(definitionOf('Hostile', { spec: HOSTILE_SPEC }), definitionOf('Other'));

  const [first, second] = [
    await init(['--from-crd', '-'], text),
    await init(['--from-crd', '-'], text),
  ];

  expect(second.files).toEqual(first.files);
});

test.each<[readonly string[], string]>([
  [['--from', 'a', '--from-crd', 'b'], '--from names the kinds; leave out --from-crd'],
  [
    ['--from-crd', 'b', '--template', 'built-in', '--kind', 'A'],
    '--from-crd names the kinds; leave out --template, --kind',
  ],
  [['--from', '/nowhere'], 'cannot read --from /nowhere/PROJECT: no such file or folder'],
  [['--from-crd', '/nowhere'], 'cannot read --from-crd /nowhere: no such file or folder'],
])('`init` with the arguments %j exits with 2 and prints one line', async (args, message) => {
  const { code, told } = await init(args);

  expect({ code, told }).toEqual({ code: 2, told: [message] });
});
