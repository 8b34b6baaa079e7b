/** The OLM bundle of an operator: what it contains, what it refuses, and that it grants no more than kustomize does. */
import { describe, expect, test } from 'vitest';
import nodeReboot from '../../../../examples/node-reboot/operator.ts';
import type { RbacRole, RoleRule } from '../../../../operator/access/rbac.ts';
import { parseYaml } from '../../../../operator/core/yaml.ts';
import type { ModelDeployment } from '../../../../operator/generate/manifests/model-deployment.ts';
import { renderedObjects } from '../../../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import type { BundleOptions } from '../../src/bundle/bundle-options.ts';
import type { PackageMetadata } from '../../src/metadata.ts';
import { bundle, type Csv, csvOf, demo, METADATA, thing } from './support/bundles.ts';

const DIGEST = `@sha256:${'a'.repeat(64)}`;

function sortedRules(rules: readonly RoleRule[]): readonly string[] {
  return [...new Set(rules.map((rule) => JSON.stringify(rule)))].sort();
}

function rulesOf(objects: readonly KubernetesObject[], kind: string): readonly RoleRule[] {
  const roles = objects.filter((object) => object.kind === kind) as unknown as readonly RbacRole[];
  return roles.flatMap(({ rules }) => rules);
}

function granted({ spec }: Csv, part: 'permissions' | 'clusterPermissions'): readonly RoleRule[] {
  return spec.install.spec[part]?.flatMap(({ rules }) => rules) ?? [];
}

describe('the objects that OLM installs', () => {
  test('[packaging 11] in the mode AllNamespaces, OLM installs the same Deployment and rules as the cluster-scoped overlay', () => {
    const model = demo();
    const objects = renderedObjects(model, { scope: 'cluster-scoped' });

    const csv = csvOf(bundle(model));

    const [deployment] = csv.spec.install.spec.deployments;
    const expected = objects.find(({ kind }) => kind === 'Deployment') as ModelDeployment;
    expect(deployment).toEqual({
      name: 'demo',
      label: expected.spec.template.metadata.labels,
      spec: expected.spec,
    });
    expect(sortedRules(granted(csv, 'clusterPermissions'))).toEqual(
      sortedRules(rulesOf(objects, 'ClusterRole')),
    );
    expect(sortedRules(granted(csv, 'permissions'))).toEqual(sortedRules(rulesOf(objects, 'Role')));
    expect(csv.spec.install.spec.permissions?.[0]?.serviceAccountName).toBe('demo');
  });

  test('[packaging 11] if the operator watches single namespaces, OLM installs the rules of the namespaced overlay, and the filter allows all namespaces', () => {
    const model = demo();

    const csv = csvOf(bundle(model, { installModes: ['SingleNamespace', 'OwnNamespace'] }));

    const objects = renderedObjects(model, { scope: 'namespaced' });
    expect(sortedRules(granted(csv, 'permissions'))).toEqual(sortedRules(rulesOf(objects, 'Role')));
    expect(granted(csv, 'clusterPermissions')).toEqual(rulesOf(objects, 'ClusterRole'));
    const [proxy] = csv.spec.install.spec.deployments[0]?.spec.template.spec.containers ?? [];
    expect(proxy?.args).toEqual(model.scopes['cluster-scoped'].proxyArguments);
    expect(csv.spec.description).toContain('the Roles that OLM creates are the limit');
    expect(csv.spec.installModes).toEqual([
      { type: 'OwnNamespace', supported: true },
      { type: 'SingleNamespace', supported: true },
      { type: 'MultiNamespace', supported: false },
      { type: 'AllNamespaces', supported: false },
    ]);
  });

  test('a bundle contains no ServiceAccount, role, Deployment or Namespace', () => {
    const kinds = [...bundle()]
      .filter(([path]) => path.startsWith('manifests/'))
      .map(([, text]) => (parseYaml(text) as KubernetesObject).kind);

    expect(kinds).toEqual(['ClusterServiceVersion', 'CustomResourceDefinition']);
  });

  test('a mounted folder becomes a ConfigMap without a namespace, and changed content starts new Pods', () => {
    const mounted = (text: string) => {
      const folder = {
        mount: 'hooks',
        fromBase: '../../../hooks/test',
        files: ['run.sh'],
        texts: new Map([['run.sh', text]]),
      };
      return bundle(demo({ program: { words: ['hooks', '/hooks'], folder } }));
    };

    const [one, other] = [mounted('echo "{{ a }}"\n'), mounted('echo b\n')];

    expect(parseYaml(one.get('manifests/demo-hooks_v1_configmap.yaml') ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'demo-hooks' },
      data: { 'run.sh': 'echo "{{ a }}"\n' },
    });
    const hash = (files: ReadonlyMap<string, string>) =>
      csvOf(files).spec.install.spec.deployments[0]?.spec.template.metadata.annotations;
    expect(hash(one)).not.toEqual(hash(other));
    expect(hash(one)).toEqual(hash(mounted('echo "{{ a }}"\n')));
  });

  test('an operator for all namespaces has permissions for Events about cluster-scoped objects', () => {
    const model = demo({}, [nodeReboot]);
    const objects = renderedObjects(model, { scope: 'cluster-scoped' });

    expect(sortedRules(granted(csvOf(bundle(model)), 'permissions'))).toEqual(
      sortedRules(rulesOf(objects, 'Role')),
    );
    expect(() => bundle(model, { installModes: ['OwnNamespace'] })).toThrow(
      'the operator needs rights in the namespace default (create, patch events), and OLM grants them only in the ' +
        'watched namespaces: use the install mode AllNamespaces, or Helm or kustomize',
    );
  });

  test('permissions in another namespace are refused, because OLM would grant them everywhere', () => {
    const model = demo({ watched: ['team-a', 'demo-system'] });

    expect(() => bundle(model)).toThrow(/rights in the namespace team-a .* in all namespaces/);
  });
});

describe('the files of a bundle', () => {
  test('[packaging 14] the files of a bundle are the same in two runs, and contain a date only if the option for it is set', () => {
    const runs = [bundle(), bundle()];

    expect([...(runs[0] ?? [])]).toEqual([...(runs[1] ?? [])]);
    expect(csvOf(bundle()).metadata.annotations.createdAt).toBeUndefined();
    const createdAt = '2031-02-03T04:05:06Z';
    expect(csvOf(bundle(demo(), { createdAt })).metadata.annotations.createdAt).toBe(createdAt);
  });

  test('[packaging 15] the image has the annotations as its labels', () => {
    const files = bundle(demo(), { channels: ['fast', 'stable'], defaultChannel: 'stable' });

    const labels = [...(files.get('bundle.Dockerfile') ?? '').matchAll(/^LABEL (\S+?)=(.*)$/gm)];
    const { annotations } = parseYaml(files.get('metadata/annotations.yaml') ?? '') as {
      readonly annotations: Readonly<Record<string, string>>;
    };
    expect(Object.fromEntries(labels.map(([, key, value]) => [key, value]))).toEqual(annotations);
    expect(annotations).toMatchObject({
      'operators.operatorframework.io.bundle.package.v1': 'demo',
      'operators.operatorframework.io.bundle.channels.v1': 'fast,stable',
      'operators.operatorframework.io.bundle.channel.default.v1': 'stable',
    });
    const folders = [...(files.get('bundle.Dockerfile') ?? '').matchAll(/^COPY (\S+) (\S+)$/gm)];
    for (const [, from = '', to] of folders) {
      expect(to).toBe(`/${from}/`);
      expect([...files.keys()].some((path) => path.startsWith(`${from}/`))).toBe(true);
    }
    expect(folders).toHaveLength(3);
  });

  test('each file begins with a comment about the program that generated it', () => {
    for (const [, text] of bundle()) expect(text).toMatch(/^# Generated by `make bundle`\./);
  });

  test('[packaging 22] the images of all containers are listed, and must have a digest if the option requires digests', () => {
    const images = { ambassador: `chancery-proxy${DIGEST}`, operator: `demo${DIGEST}` };

    const csv = csvOf(bundle(demo({ images }), { pin: true }));

    expect(csv.spec.relatedImages).toEqual([
      { name: 'proxy', image: images.ambassador },
      { name: 'operator', image: images.operator },
    ]);
    expect(csv.metadata.annotations['features.operators.openshift.io/disconnected']).toBe('true');
    const loose = { ambassador: 'chancery-proxy:1', operator: images.operator };
    expect(() => bundle(demo({ images: loose }), { pin: true })).toThrow(
      '--pin: an image has no digest, as in NAME@sha256:…: chancery-proxy:1 (proxy)',
    );
  });

  test('if the bundle would be too large for OLM, its definitions lose their descriptions and nothing else', () => {
    const random = (seed: number): string => {
      let state = seed;
      return Array.from({ length: 3_000 }, () => {
        state = (state * 48_271) % 2_147_483_647;
        return state.toString(36);
      }).join('');
    };
    const properties = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [
        `field${index}`,
        { type: 'string', maxLength: index, description: random(index + 1) },
      ]),
    );
    const kept = { type: 'object', default: { description: 'a field, and no description' } };
    const spec = {
      type: 'object',
      properties: { ...properties, description: { type: 'string' }, kept },
    };
    // The descriptors repeat what is below `spec` and `status`, so these are elsewhere.
    const definition = thing({ properties: { settings: spec } });

    const files = bundle(demo({ definitions: [definition] }));

    const written = files.get('manifests/things.things.example.yaml') ?? '';
    expect(written.length).toBeLessThan(100_000);
    expect(written.length).toBeGreaterThan(1_000);
    const parsed = parseYaml(written) as ReturnType<typeof thing>;
    const settings =
      parsed.spec.versions[0]?.schema.openAPIV3Schema.properties?.settings?.properties ?? {};
    expect(settings).toMatchObject({
      field119: { maxLength: 119 },
      description: { type: 'string' },
      kept,
    });
  });

  test('a mounted folder that is too large for OLM is refused', () => {
    let state = 7;
    const text = Array.from({ length: 300_000 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state.toString(36);
    }).join('');
    const folder = {
      mount: 'hooks',
      fromBase: '../../../hooks/test',
      files: ['run'],
      texts: new Map([['run', text]]),
    };

    expect(() => bundle(demo({ program: { words: ['hooks', '/hooks'], folder } }))).toThrow(
      /the bundle has \d+ bytes when it is compressed, and OLM takes 1048576/,
    );
  });
});

describe('bundles that are refused', () => {
  const WEBHOOK = {
    generateName: 'vthing.things.example',
    type: 'ValidatingAdmissionWebhook',
    deploymentName: 'demo',
  } as const;

  test('[packaging 19] a bundle with a webhook in the operator is refused, unless the operator may hold the key', () => {
    expect(() => bundle(demo(), { webhooks: [WEBHOOK] })).toThrow(
      /OLM mounts the serving key into every container .* --allow-key-in-operator/,
    );
    const allowed = bundle(demo(), { webhooks: [WEBHOOK], allowKeyInOperator: true });
    expect(csvOf(allowed).spec.webhookdefinitions).toEqual([WEBHOOK]);
  });

  test.each<[string, Partial<BundleOptions>, RegExp]>([
    [
      'of another Deployment',
      { webhooks: [{ ...WEBHOOK, deploymentName: 'other' }] },
      /only has demo/,
    ],
    ['with a caBundle', { webhooks: [{ ...WEBHOOK, caBundle: 'eA==' }] }, /caBundle.*remove it/],
    ['twice', { webhooks: [WEBHOOK, WEBHOOK] }, /two webhooks are called "vthing/],
    [
      'that converts for some namespaces only',
      {
        webhooks: [{ ...WEBHOOK, type: 'ConversionWebhook', conversionCRDs: ['a.b.example'] }],
        installModes: ['AllNamespaces', 'OwnNamespace'],
      },
      /install mode AllNamespaces only/,
    ],
  ])('a bundle is refused if it has a webhook %s', (_what, changed, message) => {
    expect(() => bundle(demo(), { allowKeyInOperator: true, ...changed })).toThrow(message);
  });

  test('a bundle is refused if a definition needs a conversion webhook that the bundle does not have', () => {
    const plain = thing({});
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: {} };
    const conversion = { strategy: 'Webhook', webhook } as const;
    const definitions = [{ ...plain, spec: { ...plain.spec, conversion } }];

    expect(() => bundle(demo({ definitions }))).toThrow(
      /no ConversionWebhook of the bundle names it/,
    );
  });

  test.each<[Partial<BundleOptions>, Partial<PackageMetadata>, RegExp]>([
    [{}, { version: 'v1.2.3' }, /--version must be a version such as 1.2.3/],
    [{}, { version: '1.2.3+build' }, /--version/],
    [{}, { version: '01.2.3' }, /--version/],
    [{}, { version: `1.2.3-${'a'.repeat(60)}` }, /at most 63 characters/],
    [{}, { minKubeVersion: '1.29.4' }, /minKubeVersion must be 1.30.0 or newer/],
    [{}, { minKubeVersion: '1.30' }, /minKubeVersion/],
    [{ channels: [] }, {}, /--channels must be one channel or more/],
    [{ channels: ['a b'] }, {}, /--channels must be lower-case/],
    [{ channels: ['a\nLABEL x=y'] }, {}, /--channels must be lower-case/],
    [{ defaultChannel: 'slow' }, {}, /--default-channel must be one of the channels: fast, stable/],
    [{ replaces: 'demo.v1.2.3' }, {}, /--replaces must be the name of another bundle/],
    [{ skips: ['Demo'] }, {}, /--skips/],
    [{ skipRange: 'all of them' }, {}, /--skip-range/],
    [{ createdAt: 'today' }, {}, /--created-at/],
    [{ architectures: ['x: y'] }, {}, /an architecture/],
    [{ installModes: ['None' as 'OwnNamespace'] }, {}, /--install-modes/],
  ])('a bundle with the options %j and the metadata %j is refused', (changed, metadata, message) => {
    expect(() => bundle(demo(), changed, { ...METADATA, ...metadata })).toThrow(message);
  });

  test.each([
    '>=1.0.0 <1.2.3',
    '<1.2.3',
    '1.0.0 || >1.1.0 <1.2.3',
  ])('an upgrade from the versions %s is accepted', (skipRange) => {
    const csv = csvOf(
      bundle(demo(), { skipRange, replaces: 'demo.v1.2.2', skips: ['demo.v1.2.1'] }),
    );

    expect(csv.metadata.annotations['olm.skipRange']).toBe(skipRange);
    expect(csv.spec).toMatchObject({ replaces: 'demo.v1.2.2', skips: ['demo.v1.2.1'] });
  });
});
