import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import { adoptOrphans, claim, UNCONTROLLED_INDEX } from '../../operator/composite/adopt-orphans.ts';
import { childTypes } from '../../operator/composite/child-types.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { configSet, configSets } from './parents.ts';

const SELECTOR = [{ key: 'app', operator: 'in', values: ['x'] }] as const;

const parent: KubernetesObject = {
  ...configSet('n', { names: [] }),
  metadata: { name: 'set', namespace: 'n', uid: 'p' },
};

const deleting: KubernetesObject = {
  ...parent,
  metadata: { ...parent.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' },
};

function candidate(fields: { owner?: string; app?: string; isGoing?: boolean }): ConfigMap {
  const object = configMap('c', { namespace: 'n' });
  const { owner, app, isGoing } = fields;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      uid: 'c',
      ...(app && { labels: { app } }),
      ...(isGoing && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
      ...(owner && {
        ownerReferences: [
          {
            apiVersion: 'example.dev/v1',
            kind: 'ConfigSet',
            name: 'set',
            uid: owner,
            controller: true,
          },
        ],
      }),
    },
  };
}

test.each([
  ['an owned, matching object', { owner: 'p', app: 'x' }, 'own'],
  ['an owned object that no longer matches', { owner: 'p', app: 'y' }, 'orphan'],
  [
    'an owned object that no longer matches, during deletion',
    { owner: 'p', app: 'y', isGoing: true },
    'own',
  ],
  ["another controller's matching object", { owner: 'q', app: 'x' }, 'none'],
  ['a matching object without a controller', { app: 'x' }, 'adopt'],
  ['an object without a controller that does not match', { app: 'y' }, 'none'],
  ['a matching object without a controller, during deletion', { app: 'x', isGoing: true }, 'none'],
] as const)('[K-32] claim() decides whether to keep, adopt, orphan or ignore an object: %s', (_what, fields, expected) => {
  const claimed = claim(parent, [candidate(fields)], SELECTOR);

  const found = Object.entries(claimed).filter(([, objects]) => objects.length > 0);
  expect(found.map(([name]) => name)).toEqual(expected === 'none' ? [] : [expected]);
});

test('without a selector, claim() keeps only objects that are controlled by the parent', () => {
  const ours = candidate({ owner: 'p' });

  const claimed = claim(parent, [ours, candidate({ app: 'x' })], undefined);

  expect(claimed).toEqual({ own: [ours], adopt: [], orphan: [] });
});

test.each([
  ['without a selector', undefined],
  ['with a selector', SELECTOR],
])('[contract 54] claim() ignores attachments of decorators, %s', (_what, selector) => {
  const { metadata, ...rest } = candidate({ owner: 'p' });
  const annotations = { 'metacontroller.k8s.io/decorator-controller': 'painter' };

  const claimed = claim(parent, [{ ...rest, metadata: { ...metadata, annotations } }], selector);

  expect(claimed).toEqual({ own: [], adopt: [], orphan: [] });
});

test('[contract 54] [K-32] a parent that is being deleted adopts and orphans no children', () => {
  const left = candidate({ owner: 'p', app: 'y' });

  const claimed = claim(deleting, [left, candidate({ app: 'x' })], SELECTOR);

  expect(claimed).toEqual({ own: [left], adopt: [], orphan: [] });
});

test.each([
  ['is gone', undefined],
  ['is being deleted', deleting],
  [
    'is another object of the same name',
    { ...parent, metadata: { ...parent.metadata, uid: 'other' } },
  ],
])('[K-32] no child is adopted if the API server reports that the parent %s', async (_what, live) => {
  const patched: string[] = [];
  const context = {
    store: () => ({
      byIndex: (name: string) => (name === UNCONTROLLED_INDEX ? [candidate({ app: 'x' })] : []),
    }),
    client: {
      find: async () => live,
      patch: async () => void patched.push('patched'),
    },
    log: { info: () => {}, warn: () => {}, debug: () => {}, error: () => {} },
  } as unknown as ReconcileContext;
  const sources = childTypes([configMaps]);

  const own = await adoptOrphans({
    parent,
    parentResource: configSets,
    sources,
    selector: SELECTOR,
    context,
  });

  expect(own).toBeUndefined();
  expect(patched).toEqual([]);
});
