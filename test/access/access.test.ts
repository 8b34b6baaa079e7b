import { expect, test } from 'vitest';
import { accessOf } from '../../operator/access/required-access.ts';
import { controller, type Permission } from '../../operator/controller/controller.ts';
import { type SourceOptions, source } from '../../operator/controller/source.ts';
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  pods,
} from '../../operator/model/builtin.ts';

const inDemo = { namespaces: ['demo'] };

/** One that owns ConfigMaps, so that admission asks for the finalizers of its Deployments. */
function owner(permissions: readonly Permission[] = [], options: SourceOptions = {}) {
  return controller({
    name: 'a',
    for: source(deployments, options),
    owns: [configMaps],
    permissions,
    reconcile: async () => {},
  });
}

/** What is done to finalizers, as `verbs place`, with a mark where nothing is requested. */
function finalizers(controllers: Parameters<typeof accessOf>[0]): readonly string[] {
  return accessOf(controllers, inDemo)
    .filter(({ subresource }) => subresource === 'finalizers')
    .map(({ verbs, namespace = '*', unrequested }) =>
      [...verbs, namespace, ...(unrequested ? ['unrequested'] : [])].join(' '),
    );
}

test('access that is checked only by admission is marked as unrequested, unless a permission requests it', () => {
  const requested: Permission[] = [
    { resource: deployments, subresource: 'finalizers', verbs: ['update'] },
  ];
  const other: Permission[] = [
    { resource: deployments, subresource: 'finalizers', verbs: ['patch'] },
  ];

  expect(finalizers([owner()])).toEqual(['update demo unrequested']);
  expect(finalizers([owner(requested)])).toEqual(['update demo']);
  expect(finalizers([owner(other)])).toEqual(['patch demo', 'update demo unrequested']);
});

test('access that is declared for every namespace is not listed again for a single namespace', () => {
  const everywhere = owner([], { namespace: 'all' });

  expect(finalizers([owner(), everywhere])).toEqual(['update * unrequested']);
});

test('rules are sorted by resource, namespace and names, and a rule for every object comes first', () => {
  const permissions: Permission[] = [
    { resource: pods, resourceNames: ['b', 'a'], verbs: ['delete'] },
    { resource: pods, resourceNames: ['a'], verbs: ['patch'] },
    { resource: pods, verbs: ['list', 'get'] },
  ];
  const declared = controller({
    name: 'a',
    for: source(configMaps),
    permissions,
    reconcile: async () => {},
  });

  const accesses = accessOf([declared], { namespaces: ['b', 'a'] });

  const ofPods = accesses.filter(({ resource }) => resource === pods);
  expect(
    ofPods.map(({ namespace, verbs, resourceNames }) => [namespace, verbs, resourceNames]),
  ).toEqual([
    ['a', ['get', 'list'], undefined],
    ['a', ['delete'], ['a', 'b']],
    ['a', ['patch'], ['a']],
    ['b', ['get', 'list'], undefined],
    ['b', ['delete'], ['a', 'b']],
    ['b', ['patch'], ['a']],
  ]);
});

test('a resource in `reads` grants permissions to list and watch, but not to write', () => {
  const declared = controller({
    name: 'a',
    for: source(configMaps),
    reads: [pods, source(deployments, { namespace: { name: 'other' } })],
    reconcile: async () => {},
  });

  const read = accessOf([declared], inDemo)
    .filter(({ resource }) => resource !== configMaps && resource.kind !== 'Event')
    .map(({ resource, namespace, verbs }) => [resource.plural, namespace, ...verbs]);

  expect(read).toEqual([
    ['pods', 'demo', 'get', 'list', 'watch'],
    ['deployments', 'other', 'get', 'list', 'watch'],
  ]);
});

test('a permission with `namespaces` applies only in these namespaces, except for a cluster-scoped resource', () => {
  const permissions: Permission[] = [
    { resource: pods, namespaces: ['system'], verbs: ['delete'] },
    { resource: customResourceDefinitions, namespaces: ['system'], verbs: ['delete'] },
  ];

  const accesses = accessOf([owner(permissions)], inDemo);

  const deleting = accesses.filter(({ verbs }) => verbs.includes('delete'));
  expect(deleting.map(({ resource, namespace }) => [resource.plural, namespace])).toEqual([
    ['pods', 'system'],
    ['customresourcedefinitions', undefined],
  ]);
});
