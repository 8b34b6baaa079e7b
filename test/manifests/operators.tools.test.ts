/**
 * Trees of operators of any name, with and without what they may have, as kubectl renders them.
 *
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import type { ManifestsOptions } from '../../operator/generate/manifests/manifests-options.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import {
  containerNamed,
  type DeploymentObject,
  only,
  podSpec,
  render,
} from './support/rendered.ts';
import { CONFIG_RESTART, options, overlay, SITE, written } from './support/trees.ts';

const EVERYTHING = [
  'namespaced',
  'unix-socket',
  'network-policy',
  'high-availability',
  'prometheus',
  'debug',
  'native-sidecar',
];

/** One overlay of the tree that these options give. */
async function rendered(
  changed: Partial<ManifestsOptions>,
  components: readonly string[] = ['namespaced'],
  controllers = CONFIG_RESTART.controllers,
): Promise<readonly KubernetesObject[]> {
  const files = operatorManifests(controllers, options(changed));
  const folder = await written([...files, overlay('mine', components)]);
  return render(`${folder}/mine`);
}

describe('names', () => {
  test('[security 17] two operators in one namespace share only the namespace', async () => {
    const shared = { namespace: 'shared' };

    const one = await rendered({ ...shared, name: 'one' }, EVERYTHING);
    const two = await rendered({ ...shared, name: 'one-two' }, EVERYTHING);

    const both = identities(one).filter((identity) => identities(two).includes(identity));
    expect(both).toEqual(['Namespace shared']);
    expect(leaseOf(one)).toBe('one-leader');
    expect(leaseOf(two)).toBe('one-two-leader');
    for (const objects of [one, two]) {
      const { name } = only(objects, 'Deployment').metadata;
      expect(selectors(objects)).toEqual(Array(6).fill({ 'app.kubernetes.io/name': name }));
    }
  });

  test.each([
    'a',
    '1e3',
    '0x1f',
    '017',
    '2026-01-01',
    'yes',
    'null',
    'true',
    'x'.repeat(52),
  ])('an operator may have the name %s, which stays a string everywhere', async (name) => {
    const namespace = name.includes('-') ? 'demo' : name;

    const objects = await rendered({ name, namespace }, EVERYTHING);

    const places = objects.map(({ metadata }) => metadata.namespace ?? namespace);
    expect(new Set(places)).toEqual(new Set([namespace]));
    const others = objects.filter(({ kind }) => kind !== 'Namespace');
    const names = new Set(others.map(({ metadata }) => metadata.name));
    expect(names).toEqual(new Set([name, `${name}-election`]));
    expect(selectors(objects)).toEqual(Array(6).fill({ 'app.kubernetes.io/name': name }));
    expect(podSpec(objects).serviceAccountName).toBe(name);
    expect(leaseOf(objects)).toBe(`${name}-leader`);
  });
});

describe('optional settings of an operator', () => {
  test('without leader election only one Pod runs at a time, and there is no Lease', async () => {
    const objects = await rendered({ leaderElection: false });

    expect((only(objects, 'Deployment') as DeploymentObject).spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    });
    expect(objects.filter(({ kind }) => kind === 'Role')).toHaveLength(1);
    expect(JSON.stringify(objects)).not.toMatch(/lease|LEADER/i);
  });

  test('without leader election the base has no Role', async () => {
    const files = operatorManifests(CONFIG_RESTART.controllers, options({ leaderElection: false }));

    const objects = await render(`${await written(files)}/base`);

    expect(objects.map(({ kind }) => kind)).toEqual(['Namespace', 'ServiceAccount', 'Deployment']);
  });

  test('definitions of the resources are in the folder crds, and in the overlays', async () => {
    const files = operatorManifests([SITE], options());

    const objects = await render(`${await written(files)}/overlays/namespaced`);

    expect(only(objects, 'CustomResourceDefinition').metadata.name).toBe('websites.example.dev');
    expect(JSON.stringify(objects)).not.toContain('CHANCERY_INSTALL_CRDS');
  });

  test.each([
    'namespaced',
    'cluster-scoped',
  ])('in the scope %s, an operator that installs definitions may do so, and its manifests contain no definitions', async (scope) => {
    const files = operatorManifests([SITE], options({ installCrds: true }));

    const objects = await render(`${await written(files)}/overlays/${scope}`);

    const { rules } = only(objects, 'ClusterRole') as KubernetesObject & {
      readonly rules: readonly { readonly resources: readonly string[] }[];
    };
    expect(rules).toContainEqual({
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      resourceNames: ['websites.example.dev'],
      verbs: ['get', 'create', 'patch'],
    });
    expect(value(objects, 'CHANCERY_INSTALL_CRDS')).toBe('true');
    expect(objects.map(({ kind }) => kind)).not.toContain('CustomResourceDefinition');
    expect(files.filter(({ path }) => path.startsWith('crds/'))).toEqual([]);
  });

  test('a longer stop timeout changes every setting that depends on it', async () => {
    const objects = await rendered({ stopSeconds: 100 });

    expect(value(objects, 'CHANCERY_SHUTDOWN_TIMEOUT')).toBe('100');
    expect(containerNamed(podSpec(objects), 'proxy').lifecycle).toEqual({
      preStop: { sleep: { seconds: 100 } },
    });
    expect(podSpec(objects).terminationGracePeriodSeconds).toBe(115);
  });

  test('the modules become arguments, in the order in which they are given', async () => {
    const modules = ['/operators/b.ts', '/operators/a.ts', '@scope/package'];

    const objects = await rendered({ modules });

    expect(containerNamed(podSpec(objects), 'operator').args).toEqual(modules);
  });

  test('if the code specifies the namespace of a Role, the Role stays there, and an overlay that would move it is an error', async () => {
    const elsewhere = controller({
      name: 'elsewhere',
      for: source(configMaps, { namespace: { name: 'elsewhere' } }),
      watches: [{ source: source(configMaps), map: () => [] }],
      reconcile: () => Promise.reject(new Error('never run')),
    });
    const files = operatorManifests([elsewhere], options());
    const folder = await written([...files, overlay('moved', ['namespaced'], { namespace: 'x' })]);

    const objects = await render(`${folder}/overlays/namespaced`);

    expect(
      objects
        .filter(({ kind }) => kind === 'Role' || kind === 'RoleBinding')
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
        .toSorted(),
    ).toEqual([
      'Role config-restart/config-restart',
      'Role config-restart/config-restart-election',
      'Role elsewhere/config-restart',
      'RoleBinding config-restart/config-restart',
      'RoleBinding config-restart/config-restart-election',
      'RoleBinding elsewhere/config-restart',
    ]);
    await expect(render(`${folder}/moved`)).rejects.toThrow('namespace transformation');
  });

  test('a declaration for all namespaces needs a ClusterRole, even if all other permissions are for one namespace', async () => {
    const everywhere = controller({
      name: 'everywhere',
      for: source(configMaps, { namespace: 'all' }),
      reconcile: () => Promise.reject(new Error('never run')),
    });

    const objects = await rendered({}, ['namespaced'], [everywhere]);

    const roles = objects.filter(({ kind }) => /Role$/.test(kind));
    expect(identities(roles)).toEqual([
      'Role config-restart-election',
      'ClusterRole config-restart',
    ]);
  });
});

test.each([
  'chancery-proxy:0.1.0',
  'registry.example:5000/team/proxy:v1_2',
  'registry.example/proxy@sha256:0000000000000000000000000000000000000000000000000000000000000000',
  'proxy:1@sha256:0000000000000000000000000000000000000000000000000000000000000000',
])('the image reference %s is accepted', async (image) => {
  const objects = await rendered({ images: { ambassador: image, operator: image } });

  expect(containerNamed(podSpec(objects), 'proxy').image).toBe(image);
});

function identities(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

function value(objects: readonly KubernetesObject[], name: string): string | undefined {
  const { env = [] } = containerNamed(podSpec(objects), 'operator');
  return env.find((variable) => variable.name === name)?.value;
}

function leaseOf(objects: readonly KubernetesObject[]): string | undefined {
  return value(objects, 'CHANCERY_LEASE_NAME');
}

/** Every place that selects the operator's Pods. */
function selectors(objects: readonly KubernetesObject[]): readonly unknown[] {
  const found: unknown[] = [];
  JSON.stringify(objects, (key, inner: unknown) => {
    if (key === 'matchLabels') found.push(inner);
    return inner;
  });
  return found;
}
