/** The hooks say in files what they watch, so that none of them is started. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseYaml, parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import { folderWith } from '../../../../test/cli/child.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import { CRD_NAME, converting, crontabs, GROUP } from '../support/crontabs.ts';
import { CONFIG_MAPS } from '../support/reviewing.ts';

const BOAT = `
kind: CustomResourceDefinition
spec:
  group: harbour.example
  scope: Namespaced
  names: {plural: boats, kind: Boat}
  versions: [{name: v1}]
`;

const HOOKS: Readonly<Record<string, string>> = {
  'hooks/copy.sh': '#!/bin/sh',
  'hooks/copy.sh.yaml':
    'configVersion: v1\nkubernetes: [{kind: secret, executeHookOnEvent: [Deleted]}]',
  'hooks/copy.rights.yaml':
    'rules: [{apiGroups: [""], resources: [secrets], verbs: [patch], namespaces: [blue]}]',
};

const BOATS: Readonly<Record<string, string>> = {
  'hooks/sub/boats.sh': '#!/bin/sh',
  'hooks/sub/boats.sh.yaml': 'configVersion: v1\nkubernetes: [{kind: Boat}]',
  'hooks/README.md': '# Boats',
  'hooks/.hidden': '',
};

/** A folder with a folder of hooks. */
function setUp(files: Readonly<Record<string, string>> = HOOKS) {
  const folder = folderWith({});
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (name.endsWith('.sh')) chmodSync(path, 0o755);
  }
  const generate = (what: string, ...more: readonly string[]) =>
    invoke(['generate', what, '--hooks', join(folder, 'hooks'), ...more]);
  return { folder, generate, out: join(folder, 'out') };
}

test('[hooks S8] the roles of hooks grant what the hooks watch and what they declare, in every namespace', async () => {
  const { exit, stdout } = setUp().generate('rbac', '--no-leader-election');

  expect(await exit).toBe(0);
  const rules = parseYamlDocuments(stdout.lines.join('\n')).flatMap((document) => {
    const {
      kind,
      metadata,
      rules: own,
    } = document as {
      kind: string;
      metadata: { namespace?: string };
      rules?: unknown;
    };
    return own === undefined ? [] : [[kind, metadata.namespace, own]];
  });
  expect(rules).toEqual([
    [
      'ClusterRole',
      undefined,
      [
        { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      ],
    ],
    ['Role', 'blue', [{ apiGroups: [''], resources: ['secrets'], verbs: ['patch'] }]],
  ]);
});

test('[hooks S12] a warning says that a hook with a binding for deletions also runs at startup', async () => {
  const { exit, stderr } = setUp().generate('proxy');

  expect(await exit).toBe(0);
  expect(stderr.lines).toEqual([
    'chancery generate: proxy: copy.sh: kubernetes[0] receives deletions only, and is also run for all objects at ' +
      'the start; executeHookOnSynchronization: false prevents that',
  ]);
});

test('the filter that is generated for hooks allows the paths of the kinds that they watch', async () => {
  const { exit, stdout } = setUp({ ...HOOKS, ...BOATS, 'hooks/crds/boats.yaml': BOAT }).generate(
    'proxy',
    '--watch',
    'green',
    '--format',
    'paths',
  );

  expect(await exit).toBe(0);
  const opens = (path: string): boolean =>
    stdout.lines.some((pattern) => new RegExp(pattern).test(path));
  expect(opens('/apis/harbour.example/v1')).toBe(true);
  expect(opens('/apis/harbour.example/v1/namespaces/green/boats')).toBe(true);
  expect(opens('/apis/harbour.example/v1/namespaces/blue/boats')).toBe(false);
  expect(opens('/api/v1/namespaces/blue/secrets/a')).toBe(true);
  expect(opens('/apis')).toBe(false);
});

test('for a kind without a definition, the error contains the kind, and the option `--crd` can add the definition', async () => {
  const { folder, generate } = setUp(BOATS);
  const missing = generate('rbac');
  expect(await missing.exit).toBe(2);
  expect(missing.stderr.lines[0]).toContain(
    'the rights need the definitions of sub/boats.sh: kind Boat; name their files with --crd',
  );

  writeFileSync(join(folder, 'boat.yaml'), BOAT);
  const given = generate('rbac', '--crd', join(folder, 'boat.yaml'));
  expect(await given.exit).toBe(0);
  expect(given.stdout.lines.join()).toContain('harbour.example');
  expect(given.stderr.lines[0]).toContain(
    'the Pod cannot find the kind Boat without its definition',
  );
});

test('the manifests mount the hooks from a ConfigMap that a kustomization in the hooks folder generates', async () => {
  const { folder, out, generate } = setUp({ ...HOOKS, ...BOATS, 'hooks/crds/boats.yaml': BOAT });

  expect(await generate('manifests', '-o', out).exit).toBe(0);
  expect(await generate('manifests', '-o', out, '--check').exit).toBe(0);

  const read = (path: string): unknown => parseYaml(readFileSync(join(folder, path), 'utf8'));
  const keys = ['copy.rights.yaml', 'copy.sh', 'copy.sh.yaml'];
  const placed = ['crds/boats.yaml', 'sub/boats.sh', 'sub/boats.sh.yaml'];
  const keyOf = (path: string): string => path.replace('/', '__');
  expect(read('hooks/kustomization.yaml')).toMatchObject({
    configMapGenerator: [
      {
        name: 'hooks-hooks',
        files: [...keys, ...placed.map((path) => `${keyOf(path)}=${path}`)],
      },
    ],
  });
  expect(read('out/base/kustomization.yaml')).toMatchObject({
    resources: expect.arrayContaining(['../../hooks']),
  });
  const { spec } = (read('out/base/deployment.yaml') as { spec: { template: { spec: unknown } } })
    .spec.template as { spec: { containers: readonly object[]; volumes: readonly object[] } };
  expect(spec.containers[1]).toMatchObject({
    image: expect.stringMatching(/^chancery-hooks:/),
    args: ['hooks', '/hooks'],
    volumeMounts: [{ mountPath: '/hooks', readOnly: true }, { mountPath: '/tmp' }],
  });
  expect(spec.volumes[1]).toMatchObject({
    configMap: {
      name: 'hooks-hooks',
      defaultMode: 0o755,
      items: [...keys, ...placed].sort().map((path) => ({ key: keyOf(path), path })),
    },
  });
});

const ANSWERING: Readonly<Record<string, string>> = {
  'hooks/check.sh': '#!/bin/sh',
  'hooks/check.sh.yaml': JSON.stringify({
    configVersion: 'v1',
    kubernetesValidating: [
      { name: 'sizes.shop.example.com', rules: [CONFIG_MAPS], timeoutSeconds: 7 },
    ],
  }),
  'hooks/convert.sh': '#!/bin/sh',
  'hooks/convert.sh.yaml': JSON.stringify({
    configVersion: 'v1',
    ...converting('v1beta1 v1', 'v1 v1beta1'),
  }),
  'hooks/crds/crontabs.yaml': JSON.stringify(crontabs('v1beta1', 'v1')),
};

test('[hooks 26] [hooks 27] the manifests of hooks that answer the API server contain the gate, the webhook configurations and the Service, like the manifests of a module', async () => {
  const { out, generate } = setUp(ANSWERING);

  const { exit } = generate('manifests', '--operator-image', 'hooks:1', '-o', out);
  expect(await exit).toBe(0);
  expect(
    await generate('manifests', '--operator-image', 'hooks:1', '-o', out, '--check').exit,
  ).toBe(0);

  const objects = objectsIn(out);
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const service = { name: expect.stringContaining('hooks'), namespace: 'hooks', port: 443 };
  const [deployment] = ofKind('Deployment');
  expect(ofKind('ValidatingWebhookConfiguration')).toContainEqual(
    expect.objectContaining({
      webhooks: [
        expect.objectContaining({
          name: 'sizes.shop.example.com',
          clientConfig: { service: { ...service, path: '/validate/sizes.shop.example.com' } },
          failurePolicy: 'Fail',
          timeoutSeconds: 7,
        }),
      ],
    }),
  );
  expect(ofKind('CustomResourceDefinition')).toMatchObject([
    {
      metadata: { name: CRD_NAME },
      spec: {
        conversion: { webhook: { clientConfig: { service: { ...service, path: '/convert' } } } },
      },
    },
  ]);
  expect(ofKind('Service')).toHaveLength(1);
  expect(JSON.stringify(deployment)).toContain('"name":"gate"');
  expect(JSON.stringify(ofKind('ConfigMap'))).toContain('/validate/sizes.shop.example.com');
  expect(JSON.stringify([...ofKind('Role'), ...ofKind('ClusterRole')])).not.toContain(
    'admissionregistration',
  );
});

test('a hook with failurePolicy Fail requires leader election, because its manifests have two replicas', async () => {
  const { out, generate } = setUp(ANSWERING);

  const { exit, stderr } = generate('manifests', '--no-leader-election', '-o', out);

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain(
    'the webhook sizes.shop.example.com has failurePolicy Fail',
  );
});

test('the error about a missing definition for a conversion contains the hook', async () => {
  const { 'hooks/crds/crontabs.yaml': _, ...without } = ANSWERING;
  const { out, generate } = setUp(without);

  const { exit, stderr } = generate('manifests', '-o', out);

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain(
    `convert.sh: kubernetesCustomResourceConversion[0].crdName: the definition ${CRD_NAME} is not known`,
  );
});

test('a warning reports a conversion that the API server may request and no hook provides', async () => {
  const oneWay = JSON.stringify({ configVersion: 'v1', ...converting('v1beta1 v1') });
  const { out, generate } = setUp({ ...ANSWERING, 'hooks/convert.sh.yaml': oneWay });

  const { exit, stderr } = generate('manifests', '-o', out);

  expect(await exit).toBe(0);
  expect(stderr.lines).toContain(
    `chancery generate: manifests: no hook converts ${CRD_NAME} from v1 to v1beta1, and clients may ask for it`,
  );
});

test.each<[what: string, definition: object, problem: string]>([
  ['other versions', crontabs('v1', 'v2'), `${CRD_NAME} has no version v1beta1: `],
  ['no versions', { ...crontabs('v1'), spec: { group: GROUP } }, 'is not known: put its'],
])('a definition with %s is refused, and the error contains the path of the binding', async (_, definition, problem) => {
  const crd = { 'hooks/crds/crontabs.yaml': JSON.stringify(definition) };
  const { out, generate } = setUp({ ...ANSWERING, ...crd });

  const { exit, stderr } = generate('manifests', '-o', out);

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain('convert.sh: kubernetesCustomResourceConversion[0].');
  expect(stderr.lines.join()).toContain(problem);
});

/** All objects in the files of a folder, those of kustomizations and patches included. */
function objectsIn(folder: string): readonly { readonly kind?: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseYamlDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => Object(document) as { readonly kind?: string });
}

test('[found 11] a file that is not a hook gets no execute bit in the ConfigMap, and a message reports the file', async () => {
  const { generate, out } = setUp({ ...HOOKS, 'hooks/common/functions': 'greet() { :; }' });

  const { exit, stderr } = generate('manifests', '--operator-image', 'hooks:1', '-o', out);
  expect(await exit).toBe(0);

  expect(stderr.lines).toContainEqual(expect.stringContaining('common/functions: no hook'));
  const deployment = parseYaml(readFileSync(join(out, 'base/deployment.yaml'), 'utf8'));
  const { volumes } = (deployment as Deployment).spec.template.spec;
  expect(volumes.find(({ name }) => name === 'hooks')?.configMap?.items).toEqual([
    { key: 'common__functions', path: 'common/functions', mode: 0o644 },
    { key: 'copy.rights.yaml', path: 'copy.rights.yaml' },
    { key: 'copy.sh', path: 'copy.sh' },
    { key: 'copy.sh.yaml', path: 'copy.sh.yaml' },
  ]);
});

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly volumes: readonly {
          readonly name: string;
          readonly configMap?: { readonly items?: readonly object[] };
        }[];
      };
    };
  };
}

test('`--check` fails when the hooks have changed, and a kustomization that the user wrote is not replaced', async () => {
  const { folder, out, generate } = setUp();
  expect(await generate('manifests', '-o', out).exit).toBe(0);

  writeFileSync(join(folder, 'hooks/notes.json'), '{}');
  expect(await generate('manifests', '-o', out, '--check').exit).toBe(1);

  writeFileSync(join(folder, 'hooks/kustomization.yaml'), 'resources: []');
  const foreign = generate('manifests', '-o', out);
  expect(await foreign.exit).toBe(1);
  expect(foreign.stderr.lines.join()).toContain('does not say that it was generated');
});

test.each<[string, readonly string[], string]>([
  [
    'manifests in the folder of the hooks',
    ['manifests', '-o', 'hooks/out'],
    'the manifests cannot be in',
  ],
  ['hooks together with modules', ['rbac', 'operator.ts'], '--hooks stands in place of modules'],
  [
    'definitions',
    ['crd'],
    '--hooks is for rbac, proxy, policies, manifests, chart, bundle, not for crd',
  ],
])('%s are refused', async (_, [what = '', ...more], message) => {
  const { folder, generate } = setUp();
  const words = more.map((word) => (word.startsWith('hooks/') ? join(folder, word) : word));

  const { exit, stderr } = generate(what, ...words);

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain(message);
  expect(existsSync(join(folder, 'hooks/out'))).toBe(false);
});

test('files that do not fit into a ConfigMap are refused', async () => {
  const { folder, out, generate } = setUp({ ...HOOKS, 'hooks/a b.json': '' });
  const named = generate('manifests', '-o', out);
  expect(await named.exit).toBe(2);
  expect(named.stderr.lines.join()).toContain('the file "a b.json" cannot be in a ConfigMap');

  renameSync(join(folder, 'hooks/a b.json'), join(folder, 'hooks/sub__a.json'));
  mkdirSync(join(folder, 'hooks/sub'));
  writeFileSync(join(folder, 'hooks/sub/a.json'), '');
  const twice = generate('manifests', '-o', out);
  expect(await twice.exit).toBe(2);
  expect(twice.stderr.lines.join()).toContain(
    'sub/a.json and sub__a.json would have the same key in the ConfigMap',
  );

  writeFileSync(join(folder, 'hooks/big.json'), 'x'.repeat(1_000_001));
  const large = generate('manifests', '-o', out);
  expect(await large.exit).toBe(2);
  expect(large.stderr.lines.join()).toContain('a ConfigMap takes 1000000');
});
