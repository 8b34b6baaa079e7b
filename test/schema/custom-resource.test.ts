import { expect, test } from 'vitest';
import { parseYaml } from '../../operator/core/yaml.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { hasDefinition } from '../../operator/model/custom-resource-definition.ts';
import { crdYaml, customResource, EmbeddedResource, Type } from '../../operator/schema.ts';
import { websites } from './website.ts';

function website(spec: object, metadata: object = { name: 'a' }): object {
  return { apiVersion: 'example.dev/v1', kind: 'Website', metadata, spec };
}

test('a custom resource derives its names from its kind', () => {
  const policy = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'NetworkPolicy',
    scope: 'Cluster',
    spec: Type.Object({}),
  });

  expect(policy).toMatchObject({
    group: 'example.dev',
    version: 'v1',
    plural: 'networkpolicies',
    kind: 'NetworkPolicy',
    namespaced: false,
    hasStatus: false,
    definition: {
      metadata: { name: 'networkpolicies.example.dev' },
      spec: {
        scope: 'Cluster',
        names: { singular: 'networkpolicy', listKind: 'NetworkPolicyList' },
      },
    },
  });
  expect(policy.definition.spec.versions[0]).not.toHaveProperty('subresources');
});

test.each([
  ['Website', 'websites'],
  ['Policy', 'policies'],
  ['Gateway', 'gateways'],
  ['Ingress', 'ingresses'],
  ['Mesh', 'meshes'],
  ['Box', 'boxes'],
])('the plural of %s is %s', (kind, plural) => {
  const resource = customResource({
    group: 'example.dev',
    version: 'v1',
    kind,
    spec: Type.Object({}),
  });

  expect(resource.plural).toBe(plural);
});

test('a custom resource is deeply frozen', () => {
  const root = websites.definition.spec.versions[0]?.schema.openAPIV3Schema;

  expect(Object.isFrozen(websites)).toBe(true);
  expect(Object.isFrozen(root?.properties?.spec?.properties?.image)).toBe(true);
});

test('a declared schema may be used in another resource', () => {
  const image = Type.String();
  const declare = (kind: string) =>
    customResource({
      group: 'example.dev',
      version: 'v1',
      kind,
      spec: Type.Object({ image, copy: Type.Optional(image) }),
    });

  expect(declare('A').definition.spec.versions).toEqual(declare('B').definition.spec.versions);
});

test('hasDefinition distinguishes resources with a definition from other resources', () => {
  expect(hasDefinition(websites)).toBe(true);
  expect(hasDefinition(configMaps)).toBe(false);
});

test('a revision is stored as an annotation of the definition', () => {
  const { definition } = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'Website',
    revision: 3,
    spec: Type.Object({}),
  });

  expect(definition.metadata.annotations).toEqual({ 'chancery.dev/definition-revision': '3' });
});

test.each([
  'unapproved, an example',
  'https://github.com/kubernetes/enhancements/pull/1111',
])('a definition in a group of the Kubernetes project has its approval annotation: %s', (apiApproved) => {
  const { definition, group } = customResource({
    group: 'example.k8s.io',
    version: 'v1',
    kind: 'Website',
    apiApproved,
    revision: 3,
    spec: Type.Object({}),
  });

  expect(group).toBe('example.k8s.io');
  expect(definition.metadata).toEqual({
    name: 'websites.example.k8s.io',
    annotations: {
      'api-approved.kubernetes.io': apiApproved,
      'chancery.dev/definition-revision': '3',
    },
  });
});

test('the YAML of a definition equals the definition, and is the same each time', () => {
  const yaml = crdYaml(websites);

  expect(parseYaml(yaml)).toEqual(websites.definition);
  expect(crdYaml({ definition: structuredClone(websites.definition) })).toBe(yaml);
  expect(yaml).toMatch(/^apiVersion: apiextensions\.k8s\.io\/v1\nkind: CustomResourceDefinition\n/);
  expect(yaml).not.toMatch(/[&*]a\d/);
});

test('a valid object has no problems, and is not changed', () => {
  const object = Object.freeze(website(Object.freeze({ image: 'nginx', unknown: 1 })));

  expect(websites.validate(object)).toEqual([]);
  expect(object).toEqual(website({ image: 'nginx', unknown: 1 }));
});

test('validation problems have the paths that the API server uses', () => {
  const problems = websites.validate(
    website({
      replicas: 11,
      tier: 'gold',
      labels: { a: 'too long' },
      hosts: ['a', 'a'],
      ports: [{ name: 'a', port: 0 }, 7],
      memory: 'much',
    }),
  );

  expect(problems.map(({ path }) => path).sort()).toEqual([
    'spec.hosts[1]',
    'spec.image',
    'spec.labels.a',
    'spec.memory',
    'spec.ports[0].port',
    'spec.ports[1]', // no object, and no item of a list map
    'spec.ports[1]',
    'spec.replicas',
    'spec.tier',
  ]);
  expect(problems).toContainEqual({
    path: 'spec.image',
    reason: 'FieldValueRequired',
    message: 'Required value',
  });
});

test.each<[unknown, string]>([
  [undefined, ''],
  [[], ''],
  [{ ...website({ image: 'a' }), kind: 'Site' }, 'kind'],
  [{ ...website({ image: 'a' }), apiVersion: 'v1' }, 'apiVersion'],
  [website({ image: 'a' }, {}), 'metadata.name'],
  [website({ image: 'a' }, { name: 'A' }), 'metadata.name'],
  [{ ...website({ image: 'a' }), metadata: undefined }, 'metadata'],
  [{ ...website({}), spec: undefined }, 'spec'],
])('the object %j is invalid at the path %j', (object, path) => {
  const [problem] = websites.validate(object);

  expect(problem?.path).toBe(path);
});

test('an object with generateName needs no name', () => {
  const object = website({ image: 'nginx' }, { generateName: 'web-' });

  expect(websites.validate(object)).toEqual([]);
});

test('values that the subresource scale cannot contain are reported as problems', () => {
  const scaled = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'Website',
    spec: Type.Object({ replicas: Type.Integer() }),
    status: Type.Object({ replicas: Type.Integer() }),
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  });

  expect(scaled.validate(website({ replicas: -1 }))).toMatchObject([{ path: '.spec.replicas' }]);
  expect(scaled.validate(website({ replicas: 2 ** 31 }))).toMatchObject([
    { path: '.spec.replicas' },
  ]);
});

test('an embedded resource needs an apiVersion and a kind', () => {
  const wrapped = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'Website',
    spec: Type.Object({ pod: EmbeddedResource() }),
  });

  const problems = wrapped.validate(website({ pod: { kind: '1', metadata: {} } }));

  expect(problems.map(({ path }) => path)).toEqual(['spec.pod.apiVersion', 'spec.pod.kind']);
});
