import { expect, test } from 'vitest';
import type { JsonPatchOperation } from '../../operator/client/client.ts';
import { isAsPatched, isAsUpdated } from '../../operator/client/interceptors/retry-outcome.ts';

const live = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'a',
    resourceVersion: '9',
    generation: 2,
    managedFields: [{ manager: 'x' }],
    finalizers: ['a.b/c', 'd.e/f'],
    annotations: { 'x/y': '1', 'p~q': '2' },
  },
  spec: { replicas: 3, list: [{ a: 1 }, { a: 2 }] },
  status: { replicas: 3 },
};

test('[P-13] a stored update is recognised even if fields that the server sets are different', () => {
  const sent = {
    ...live,
    metadata: { ...live.metadata, resourceVersion: '8', generation: 1, managedFields: [] },
  };

  expect(isAsUpdated(live, sent, undefined)).toBe(true);
});

test.each<[string, object]>([
  ['an additional field', { spec: { ...live.spec, paused: true } }],
  ['a missing field', { spec: { replicas: 3 } }],
  ['another value', { spec: { ...live.spec, replicas: 4 } }],
  ['a shorter list', { spec: { ...live.spec, list: [{ a: 1 }] } }],
  ['a list in place of an object', { spec: [] }],
  ['other finalizers', { metadata: { ...live.metadata, finalizers: ['a.b/c'] } }],
])('[P-13] an update does not count as done if the stored object has %s', (_, change) => {
  expect(isAsUpdated(live, { ...live, ...change }, undefined)).toBe(false);
});

test('[P-13] a stored status update is recognised by its status; a scale update cannot be recognised', () => {
  const other = { ...live, spec: {} };

  expect(isAsUpdated(live, other, 'status')).toBe(true);
  expect(isAsUpdated(live, { ...live, status: { replicas: 2 } } as typeof live, 'status')).toBe(
    false,
  );
  expect(isAsUpdated(live, live, 'scale')).toBe(false);
});

test.each<[object, boolean]>([
  [{ metadata: { resourceVersion: '8' }, spec: { replicas: 3 } }, true],
  [{ metadata: { finalizers: ['a.b/c', 'd.e/f'] } }, true],
  [{ metadata: { finalizers: ['a.b/c'] } }, false],
  [{ metadata: { finalizers: ['d.e/f', 'a.b/c'] } }, false],
  [{ metadata: { finalizers: null } }, false],
  [{ metadata: { labels: null } }, true],
  [{ metadata: { labels: { a: null } } }, true],
  [{ metadata: { labels: {} } }, true],
  [{ spec: { replicas: { a: null } } }, false],
  [{ spec: { list: {} } }, false],
  [{ spec: { constructor: {} } }, true],
])('[P-13] whether the merge patch %j counts as done: %s', (body, done) => {
  expect(isAsPatched(live, { type: 'merge', body })).toBe(done);
});

test.each<[JsonPatchOperation, boolean]>([
  [{ op: 'test', path: '/spec/replicas', value: 1 }, true],
  [{ op: 'add', path: '/metadata/annotations/x~1y', value: '1' }, true],
  [{ op: 'add', path: '/metadata/annotations/p~0q', value: '2' }, true],
  [{ op: 'replace', path: '/spec/list/1/a', value: 2 }, true],
  [{ op: 'replace', path: '/spec/list/1', value: { a: 1 } }, false],
  [{ op: 'add', path: '/spec/list/-', value: { a: 2 } }, false],
  [{ op: 'add', path: '/spec/list/length', value: 2 }, false],
  [{ op: 'remove', path: '/spec/paused' }, true],
  [{ op: 'remove', path: '/spec/replicas' }, false],
  [{ op: 'remove', path: '/nowhere/at/all' }, true],
  [{ op: 'copy', from: '/spec/replicas', path: '/status/replicas' }, false],
])('[P-13] whether the JSON patch %j counts as done: %s', (operation, done) => {
  expect(isAsPatched(live, { type: 'json', body: [operation] })).toBe(done);
});
