/** Controllers in files, and what follows from them. No test asks an API server. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseYaml, parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import { folderWith } from '../../../../test/cli/child.ts';
import { invoke } from '../../../../test/cli/invocation.ts';

const KILN = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kilns.clay.example}
spec:
  group: clay.example
  scope: Namespaced
  names: {plural: kilns, kind: Kiln}
  versions: [{name: v1, served: true, storage: true, subresources: {status: {}}}]
`;

const KILNS = `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata: {name: kilns, uid: u-1, resourceVersion: "5", managedFields: [{manager: kubectl}]}
spec:
  parentResource: {apiVersion: clay.example/v1, resource: kilns}
  childResources:
    - {apiVersion: v1, resource: pods, updateStrategy: {method: RollingInPlace}}
  hooks:
    sync:
      webhook:
        url: https://kilns.clay/sync
        authorization: {secretRef: {name: token, namespace: vault, key: token}}
status: {}
`;

const GLAZES = `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: DecoratorController
metadata: {name: glazes}
spec:
  resources: [{apiVersion: apps/v1, resource: statefulsets}]
  attachments: [{apiVersion: v1, resource: services}]
  hooks: {sync: {webhook: {url: http://a.example}}, customize: {webhook: {url: http://a.example}}}
`;

const FUNCTIONS = `
- kind: CompositeController
  name: kilns
  sync: {exec: [./sync.sh]}
- kind: DecoratorController
  name: glazes
  related: [{apiVersion: v1, resource: configmaps}]
`;

const FILES: Readonly<Record<string, string>> = {
  'all.yaml': `${KILN}---${KILNS}---${GLAZES}---\nkind: Deployment\napiVersion: apps/v1\n`,
  'functions/functions.yaml': FUNCTIONS,
  'functions/sync.sh': '#!/bin/sh',
};

function setUp(more: Readonly<Record<string, string>> = {}) {
  const folder = folderWith({});
  for (const [name, text] of Object.entries({ ...FILES, ...more })) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const at = (name: string): string => join(folder, name);
  const generate = (what: string, ...words: readonly string[]) =>
    invoke(['generate', what, ...words]);
  const from = (...names: readonly string[]) =>
    names.flatMap((name) => ['--from-metacontroller', at(name)]);
  const read = (path: string): unknown => parseYaml(readFileSync(at(path), 'utf8'));
  return { at, from, generate, read };
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Each right on a resource, by the place of the role: `*: list pods`. */
function rightsIn(lines: readonly string[]): string[] {
  return (parseYamlDocuments(lines.join('\n')) as readonly Role[]).flatMap(
    ({ metadata, rules = [] }) =>
      rules.flatMap(({ resources, resourceNames = [], verbs }) =>
        resources.map((resource) =>
          [`${metadata.namespace ?? '*'}:`, verbs.join(','), resource, ...resourceNames].join(' '),
        ),
      ),
  );
}

test('[metacontroller M11] the roles grant the permissions that the controllers of a file need, and list each resource', async () => {
  const { from, generate } = setUp();

  const { exit, stdout, stderr } = generate('rbac', ...from('all.yaml'), '--no-leader-election');

  expect(await exit).toBe(0);
  expect(rightsIn(stdout.lines).sort()).toEqual([
    '*: create,patch events',
    '*: get customresourcedefinitions kilns.clay.example',
    '*: get,list,watch compositecontrollers',
    '*: get,list,watch decoratorcontrollers',
    '*: get,list,watch,create,delete services',
    '*: get,list,watch,create,patch,delete controllerrevisions',
    '*: get,list,watch,create,patch,delete pods',
    '*: get,list,watch,patch kilns',
    '*: get,list,watch,patch statefulsets',
    '*: patch compositecontrollers/status',
    '*: patch decoratorcontrollers/status',
    '*: patch kilns/status',
    '*: patch statefulsets/status',
    '*: update kilns/finalizers',
    '*: update statefulsets/finalizers',
    'vault: get,list,watch secrets token',
  ]);
  expect(stderr.lines).toEqual([
    'chancery generate: rbac: decoratorcontroller/glazes: its customize hook can name no resource; declare those that ' +
      'it names with the annotation metacontroller.chancery.dev/related-resources: v1/configmaps,apps/v1/deployments',
  ]);
});

test('the same controllers in a List, several files, a folder or standard input result in the same roles', async () => {
  const indented = (text: string) => text.trim().replaceAll('\n', '\n    ');
  const { at, from, generate } = setUp({
    'list.yaml': `kind: List\napiVersion: v1\nitems:\n  - ${indented(KILN)}\n  - ${indented(KILNS)}\n  - ${indented(GLAZES)}\n`,
    'folder/a.yaml': KILNS,
    'folder/b.yaml': GLAZES,
    'kiln.yaml': KILN,
  });
  const roles = async (...words: readonly string[]) => {
    const { exit, stdout } = generate('rbac', ...words, '--command', 'any');
    expect(await exit).toBe(0);
    return stdout.lines;
  };

  const whole = await roles(...from('all.yaml'));

  expect(await roles(...from('list.yaml'))).toEqual(whole);
  expect(await roles(...from('folder/b.yaml', 'folder/a.yaml'), '--crd', at('kiln.yaml'))).toEqual(
    whole,
  );
  expect(await roles(...from('folder', 'kiln.yaml'))).toEqual(whole);
  const piped = invoke(['generate', 'rbac', '--from-metacontroller', '-', '--command', 'any'], {
    stdin: FILES['all.yaml'] ?? '',
  });
  expect(await piped.exit).toBe(0);
  expect(piped.stdout.lines).toEqual(whole);
});

test("with functions, the roles do not allow reads of the webhooks' Secrets, and allow reads of related objects", async () => {
  const { at, from, generate } = setUp();

  const { exit, stdout, stderr } = generate(
    'rbac',
    ...from('all.yaml'),
    '--functions',
    at('functions/functions.yaml'),
  );

  expect(await exit).toBe(0);
  expect(stderr.lines).toEqual([]);
  expect(rightsIn(stdout.lines)).toContain('*: get,list,watch configmaps');
  expect(stdout.lines.join()).not.toContain('secrets');
});

test('the filter allows the paths of the controllers, and discovery only for custom groups', async () => {
  const { from, generate } = setUp();

  const { exit, stdout } = generate(
    ...(['proxy', ...from('all.yaml'), '--watch', 'east', '--format', 'paths'] as const),
  );

  expect(await exit).toBe(0);
  const opens = (path: string): boolean =>
    stdout.lines.some((pattern) => new RegExp(pattern).test(path));
  const clay = '/apis/clay.example/v1';
  expect(
    [clay, `${clay}/namespaces/east/kilns`, `${clay}/namespaces/east/kilns/a/status`].map(opens),
  ).toEqual([true, true, true]);
  expect(opens('/api/v1/namespaces/vault/secrets/token')).toBe(true);
  expect(opens('/api/v1/namespaces/vault/secrets/other')).toBe(false);
  expect(opens(`${clay}/namespaces/west/kilns`)).toBe(false);
  expect(opens(`${clay}/namespaces/east/kilns/a/finalizers`)).toBe(false);
  expect(opens('/api/v1')).toBe(false);
});

test('without functions, the manifests run the command without a mounted folder, and contain its definitions', async () => {
  const { at, from, generate, read } = setUp();

  const { exit } = generate('manifests', ...from('all.yaml'), '-o', at('out'));

  expect(await exit).toBe(0);
  expect(await generate('manifests', ...from('all.yaml'), '-o', at('out'), '--check').exit).toBe(0);
  expect(operatorIn(read('out/base/deployment.yaml'))).toMatchObject({
    image: expect.stringMatching(/^chancery-metacontroller:/),
    args: ['metacontroller'],
  });
  expect(operatorIn(read('out/base/deployment.yaml'))).not.toHaveProperty('volumeMounts');
  expect(read('out/crds/kustomization.yaml')).toMatchObject({
    resources: [
      'compositecontrollers.metacontroller.k8s.io.yaml',
      'controllerrevisions.metacontroller.k8s.io.yaml',
      'decoratorcontrollers.metacontroller.k8s.io.yaml',
    ],
  });
  // Who deletes an overlay must not delete the objects of the original.
  expect(read('out/overlays/cluster-scoped/kustomization.yaml')).toMatchObject({
    resources: ['../../base'],
  });
});

test('the manifests mount the folder of the functions, and pass on the arguments after "--"', async () => {
  const { at, from, generate, read } = setUp();
  const given = ['--functions', at('functions/functions.yaml'), '-o', at('out')];
  const words = ['--no-leader-election', '--target-label-selector', 'of in (a, b)'];

  const { exit } = generate('manifests', ...from('all.yaml'), ...given, '--', ...words);

  expect(await exit).toBe(0);
  expect(operatorIn(read('out/base/deployment.yaml'))).toMatchObject({
    args: [
      'metacontroller',
      '--functions=/functions/functions.yaml',
      '--no-leader-election',
      '--target-label-selector',
      'of in (a, b)',
    ],
    volumeMounts: [
      { name: 'functions', mountPath: '/functions', readOnly: true },
      { mountPath: '/tmp' },
    ],
  });
  expect(read('functions/kustomization.yaml')).toMatchObject({
    configMapGenerator: [
      { name: 'chancery-metacontroller-functions', files: ['functions.yaml', 'sync.sh'] },
    ],
  });
  expect(read('out/base/kustomization.yaml')).toMatchObject({
    resources: expect.arrayContaining(['../../functions']),
  });
  expect(readFileSync(at('out/base/proxy-filter.yaml'), 'utf8')).not.toContain('leases');
});

test('with server-side apply, attachments with OnDelete need the verb `patch`', async () => {
  const { from, generate } = setUp();

  const { exit, stdout } = generate(
    ...(['rbac', ...from('all.yaml'), '--', '--apply-strategy=server-side-apply'] as const),
  );

  expect(await exit).toBe(0);
  expect(rightsIn(stdout.lines)).toContain('*: get,list,watch,create,patch,delete services');
});

test('manifests without leader election pass --no-leader-election, because a Pod elects a leader by default', async () => {
  const { at, from, generate, read } = setUp();

  await generate('manifests', ...from('all.yaml'), '-o', at('out'), '--no-leader-election').exit;

  expect(operatorIn(read('out/base/deployment.yaml'))).toMatchObject({
    args: ['metacontroller', '--no-leader-election'],
  });
});

test('the name `metacontroller` is refused, except for an operator that runs hooks', async () => {
  const { at, from, generate } = setUp();

  const refused = generate('rbac', ...from('all.yaml'), '--name', 'metacontroller');
  const hooks = generate('rbac', '--hooks', at('functions'), '--name', 'metacontroller');

  expect(await refused.exit).toBe(2);
  expect(refused.stdout.lines).toEqual([]);
  expect(refused.stderr.lines.join()).toContain(
    'choose another name, such as chancery-metacontroller',
  );
  await hooks.exit;
  expect(hooks.stderr.lines.join()).not.toContain('choose another name');
});

test('with --install-crds, the operator may write the three definitions itself, and the manifests contain no definitions', async () => {
  const { from, generate } = setUp();

  const { exit, stdout } = generate('rbac', ...from('all.yaml'), '--install-crds');

  expect(await exit).toBe(0);
  const group = 'metacontroller.k8s.io';
  expect(rightsIn(stdout.lines)).toContain(
    `*: create,patch customresourcedefinitions compositecontrollers.${group} controllerrevisions.${group} decoratorcontrollers.${group}`,
  );
});

test('`generate crd` writes the three definitions', async () => {
  const { from, generate } = setUp();

  const { exit, stdout } = generate('crd', ...from('all.yaml'));

  expect(await exit).toBe(0);
  const names = parseYamlDocuments(stdout.lines.join('\n')).map(
    (document) => (document as Role).metadata.name.split('.')[0],
  );
  expect(names).toEqual(['compositecontrollers', 'controllerrevisions', 'decoratorcontrollers']);
});

const WILD = GLAZES.replace('resource: services', 'resource: "*"');

test.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
  [
    'a kind without a definition',
    { 'a.yaml': KILNS },
    ['a.yaml'],
    'the rights need the definitions of compositecontroller/kilns: kilns in clay.example/v1: name their files with --crd',
  ],
  [
    'a wildcard',
    { 'a.yaml': WILD },
    ['a.yaml'],
    'DecoratorController glazes: spec.attachments[0].resource: a wildcard is refused',
  ],
  [
    'a file without controllers',
    { 'a.yaml': KILN },
    ['a.yaml'],
    'no CompositeController and no DecoratorController in',
  ],
  [
    'a controller that is given twice',
    { 'a.yaml': GLAZES },
    ['a.yaml', 'all.yaml'],
    'decoratorcontroller/glazes is given twice',
  ],
  ['a file that does not exist', {}, ['b.yaml'], 'cannot read --from-metacontroller'],
  [
    'a module in addition',
    {},
    ['all.yaml', '', 'x.ts'],
    '--from-metacontroller stands in place of modules',
  ],
  [
    'a folder of hooks in addition',
    {},
    ['all.yaml', '', '--hooks', 'd'],
    'expected --hooks or --from-metacontroller; got both',
  ],
  [
    'functions that cannot be read',
    {},
    ['all.yaml', '', '--functions', '/nowhere.yaml'],
    'cannot read --functions /nowhere.yaml',
  ],
  ['an unknown argument', {}, ['all.yaml', '', '--', '--aply'], '--aply'],
])('%s is refused with a message of one line', async (_, files, words, message) => {
  const { from, generate } = setUp(files);
  const names = words.slice(0, words.includes('') ? words.indexOf('') : undefined);
  const others = words.slice(words.includes('') ? words.indexOf('') + 1 : words.length);

  const { exit, stdout, stderr } = generate('rbac', ...from(...names), ...others);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines.filter((line) => line.includes(message))).toHaveLength(1);
});

test('--functions without controllers is refused', async () => {
  const { exit, stderr } = setUp().generate('rbac', 'x.ts', '--functions', 'f.yaml');

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain('--from-metacontroller is not given');
});

function operatorIn(deployment: unknown): unknown {
  const { spec } = deployment as {
    spec: { template: { spec: { containers: readonly unknown[] } } };
  };
  return spec.template.spec.containers[1];
}
