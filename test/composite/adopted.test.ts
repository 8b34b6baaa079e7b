import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  byLabelIfUncontrolled,
  uncontrolledMatching,
} from '../../operator/composite/adopt-orphans.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import {
  matchesSelector,
  type Selector,
  selectorFromObject,
} from '../../operator/model/selector.ts';

const OBJECTS: readonly KubernetesObject[] = [
  map('red', 'east', { colour: 'red', size: 'big' }),
  map('small', 'east', { colour: 'red', size: 'small' }),
  map('blue', 'east', { colour: 'blue', size: 'big' }),
  map('far', 'west', { colour: 'red', size: 'big' }),
  map('plain', 'east', {}),
  map('owned', 'east', { colour: 'red', size: 'big' }, true),
];

test.each([
  ['a label', { matchLabels: { colour: 'red' } }, ['red', 'small']],
  ['two labels', { matchLabels: { colour: 'red', size: 'big' } }, ['red']],
  [
    'several values',
    { matchExpressions: [{ key: 'colour', operator: 'In', values: ['blue', 'red'] }] },
    ['blue', 'red', 'small'],
  ],
  [
    'a label that must be absent',
    { matchExpressions: [{ key: 'colour', operator: 'DoesNotExist' }] },
    ['plain'],
  ],
])("uncontrolledMatching finds, by %s, objects without a controller in the parent's namespace", (_what, selector, names) => {
  const found = uncontrolledMatching(selectorFromObject(selector), parentIn('east'), store());

  expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(names);
});

test('uncontrolledMatching finds objects in all namespaces for a cluster-scoped parent', () => {
  const selector = selectorFromObject({ matchLabels: { size: 'big' } });

  const found = uncontrolledMatching(selector, parentIn(undefined), store());

  expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(['blue', 'far', 'red']);
});

test('uncontrolledMatching uses the index, and does not list all objects, if the selector has a value', () => {
  const selector = selectorFromObject({ matchLabels: { colour: 'green' } });
  const { byIndex } = store();
  const list = () => {
    throw new Error('all objects were listed');
  };

  expect(uncontrolledMatching(selector, parentIn('east'), { byIndex, list })).toEqual([]);
});

function map(
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  isOwned = false,
): KubernetesObject {
  const object = configMap(name, { namespace, labels });
  const owner = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'o', controller: true };
  const ownerReferences = isOwned ? [owner] : [];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function parentIn(namespace: string | undefined): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Parent',
    metadata: { name: 'p', ...(namespace !== undefined && { namespace }) },
  };
}

/** A store with the index, without a cache behind it. */
function store() {
  return {
    byIndex: (_name: string, value: string) =>
      OBJECTS.filter((object) => byLabelIfUncontrolled(object).includes(value)),
    list: ({ selector = [], namespace }: { selector?: Selector; namespace?: string } = {}) =>
      OBJECTS.filter(
        ({ metadata }) =>
          matchesSelector(selector, metadata.labels) &&
          (namespace === undefined || metadata.namespace === namespace),
      ),
  };
}
