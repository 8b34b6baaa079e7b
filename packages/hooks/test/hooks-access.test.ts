import { knownKinds } from 'chancery/internal';
import { expect, test } from 'vitest';
import { rbac } from '../../../operator/access/rbac.ts';
import { ConfigurationError } from '../../../operator/core/errors.ts';
import { apiVersionOf, defineResource, resourceName } from '../../../operator/model/resource.ts';
import { type Discover, kindResolver } from '../src/discovery/resolve-kind.ts';
import type { Hook } from '../src/hook.ts';
import { hooksAccess } from '../src/rights/hooks-access.ts';
import { PATCH_OPERATIONS, verbsOfOperation } from '../src/rights/verbs-of-operation.ts';
import { configOf, rightsOf } from './support/documents.ts';

const boats = {
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'harbour.example',
    scope: 'Cluster',
    names: { plural: 'boats', kind: 'Boat', singular: 'boat', shortNames: ['bt'] },
    versions: ['v1beta2', 'v1alpha9', 'v1', 'v2beta1', 'old'].map((name) => ({
      name,
      served: name !== 'v2beta1',
    })),
  },
};

const { signal } = new AbortController();

test.each([
  ['Pod', undefined, 'v1 pods'],
  ['PODS', 'v1', 'v1 pods'],
  ['deploy', undefined, 'apps/v1 deployments.apps'],
  ['NetworkPolicy', undefined, 'networking.k8s.io/v1 networkpolicies.networking.k8s.io'],
  ['Event', undefined, 'v1 events'],
  ['Event', 'events.k8s.io/v1', 'events.k8s.io/v1 events.events.k8s.io'],
  ['hpa', 'autoscaling/v1', 'autoscaling/v1 horizontalpodautoscalers.autoscaling'],
  ['bt', undefined, 'harbour.example/v1 boats.harbour.example'],
  ['boat', 'harbour.example/v1alpha9', 'harbour.example/v1alpha9 boats.harbour.example'],
  ['boat', 'harbour.example/v2beta1', undefined],
  ['boat', 'other.example/v1', undefined],
  ['Deployment', 'v1', undefined],
])('the kind %s of apiVersion %s is %s', (kind, apiVersion, expected) => {
  const resource = knownKinds([boats, null, { kind: 'ConfigMap' }])(kind, apiVersion);

  expect(resource && `${apiVersionOf(resource)} ${resourceName(resource)}`).toBe(expected);
});

test('a kind that exists in several groups needs its apiVersion, unless one of them is the core group', () => {
  const other = { ...boats, spec: { ...boats.spec, group: 'sea.example' } };
  const pod = { ...boats.spec, names: { plural: 'pods', kind: 'Pod' } };
  const known = knownKinds([boats, other, { ...boats, spec: pod }]);

  expect(() => known('Boat')).toThrow(
    'is ambiguous: say with apiVersion which one of harbour.example/v1, sea.',
  );
  expect(known('Boat', 'sea.example/v1')?.group).toBe('sea.example');
  expect(known('Pod')?.group).toBe('');
});

test('[hooks S7] the runner looks up an unknown kind at the API server until the kind exists, and not again afterwards', async () => {
  const asked: string[] = [];
  const ship = defineResource({
    group: 'harbour.example',
    version: 'v1',
    plural: 'ships',
    kind: 'Ship',
    namespaced: true,
  });
  const discover: Discover = async (name) => {
    asked.push(name);
    if (asked.length === 1) throw new ConfigurationError('not there yet');
    return ship;
  };
  const kinds = kindResolver(knownKinds(), discover);

  await expect(kinds.resolve('ship', undefined, signal)).rejects.toThrow('not there yet');
  expect(await kinds.resolve('ship', undefined, signal)).toBe(ship);
  expect(await kinds.resolve('ship', undefined, signal)).toBe(ship);
  expect(await kinds.resolve('Ship', 'harbour.example/v1', signal)).toBe(ship);
  expect((await kinds.resolve('cm', undefined, signal)).plural).toBe('configmaps');
  expect(asked).toEqual(['ship', 'ship', 'Ship.harbour.example/v1']);
  await expect(kinds.resolve('Ship', 'v1', signal)).rejects.toThrow(
    'v1 has no kind "Ship": Ship is in apiVersion harbour.example/v1',
  );
});

test('each patch operation needs the expected verbs', () => {
  const rights = (subresource?: string) =>
    Object.fromEntries(
      PATCH_OPERATIONS.map((operation) => [
        operation,
        verbsOfOperation(operation, subresource)
          .map((each) => `${each.subresource ?? ''}:${each.verbs.join()}`)
          .join(' '),
      ]),
    );

  const own = {
    Create: ':create',
    CreateIfNotExists: ':create',
    CreateOrUpdate: ':get,create,update',
    Delete: ':get,delete',
    DeleteInBackground: ':delete',
    DeleteNonCascading: ':delete',
    Status: 'status:patch',
  };
  expect(rights()).toEqual({
    ...own,
    JQPatch: ':get,update',
    MergePatch: ':patch',
    JSONPatch: ':patch',
    Apply: ':create,patch',
  });
  expect(rights('scale')).toEqual({
    ...own,
    JQPatch: ':get scale:update',
    MergePatch: 'scale:patch',
    JSONPatch: 'scale:patch',
    Apply: 'scale:patch',
  });
});

/** A hook with these texts. */
function hook(name: string, config: string, rights?: string): Hook {
  return {
    name,
    path: `/hooks/${name}`,
    config: configOf(`configVersion: v1\n${config}`),
    rights: rights === undefined ? undefined : rightsOf(rights),
  };
}

test('the read permissions follow from the bindings: one source per namespace, name and selector', () => {
  const { sources, unknown } = hooksAccess(
    [
      hook(
        'a.sh',
        `kubernetes:
- {kind: Secret, namespace: {nameSelector: {matchNames: [x, z]}}, nameSelector: {matchNames: [one, two]}}
- {name: nodes, kind: node, labelSelector: {matchLabels: {zone: a}}, namespace: {nameSelector: {matchNames: [x]}}}
- {name: again, kind: Node, labelSelector: {matchLabels: {zone: a}}}
- {name: labelled, kind: po, namespace: {labelSelector: {matchLabels: {team: blue}}}}`,
      ),
      hook(
        'b.sh',
        'kubernetes: [{kind: Ferry, apiVersion: sea.example/v1}, {kind: Ferry, apiVersion: sea.example/v1}]',
      ),
    ],
    knownKinds(),
  );

  const told = sources.map(({ resource, namespace, labelSelector, fieldSelector }) =>
    [
      resource.plural,
      typeof namespace === 'string' ? namespace : `in ${namespace.name}`,
      labelSelector ?? '-',
      fieldSelector ?? '-',
    ].join(' '),
  );
  expect(told).toEqual([
    'secrets in x - metadata.name=one',
    'secrets in x - metadata.name=two',
    'secrets in z - metadata.name=one',
    'secrets in z - metadata.name=two',
    'nodes configured zone=a -',
    'pods configured - -',
    'namespaces configured team=blue -',
  ]);
  expect(unknown).toEqual(['b.sh: kind Ferry of sea.example/v1']);
});

test('[hooks 25] [hooks S8] the roles of a hook that copies Secrets allow the reads of its bindings and its declared writes', () => {
  const copier = hook(
    'copy.py',
    'kubernetes: [{kind: Secret, name: secrets}, {kind: ns, name: namespaces}]',
    `rules:
- {apiGroups: [''], resources: [secrets], verbs: [create, patch], namespaces: [blue, green]}
- {apiGroups: [sea.example], resources: [ferries], verbs: [get]}`,
  );
  const { sources, permissions, unknown } = hooksAccess([copier], knownKinds());

  const documents = rbac([{ name: 'hooks', sources, permissions }], {
    namespaces: undefined,
    name: 'hooks',
    serviceAccount: { name: 'hooks', namespace: 'runner' },
  });

  expect(unknown).toEqual(['copy.py: resource ferries.sea.example']);
  const rules = documents.flatMap((document) => ('rules' in document ? [document] : []));
  expect(rules.map(({ metadata, rules: [...own] }) => [metadata.namespace, own])).toEqual([
    [
      undefined,
      [
        { apiGroups: [''], resources: ['namespaces', 'secrets'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      ],
    ],
    ['blue', [{ apiGroups: [''], resources: ['secrets'], verbs: ['create', 'patch'] }]],
    ['green', [{ apiGroups: [''], resources: ['secrets'], verbs: ['create', 'patch'] }]],
  ]);
});
