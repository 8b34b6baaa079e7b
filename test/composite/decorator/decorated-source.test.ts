import { expect, test } from 'vitest';
import { selectedObjects } from '../../../operator/composite/decorator/decorated-source.ts';
import { deployments } from '../../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject, ObjectMeta } from '../../../operator/model/object.ts';

const FINALIZER = 'example.dev/decorated';
const labels = { matchLabels: { app: 'shop' } };
const annotations = { matchLabels: { 'example.dev/path': '/a path: any text/' } };

function deployment(metadata: Partial<ObjectMeta>): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', managedFields: [{}], ...metadata },
    spec: { replicas: 1 },
  } as KubernetesObject;
}

function cached(object: KubernetesObject, made: ReturnType<typeof selectedObjects>) {
  return made.source.transform?.(object as never) as KubernetesObject & { spec?: object };
}

test('without a finalizer, the server selects by labels, and the toolkit by annotations', () => {
  const made = selectedObjects(deployments, { labels, annotations });

  expect(made.source.labelSelector).toBe('app=shop');
  expect(cached(deployment({}), made)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', annotations: {} },
  });
  const chosen = deployment({ annotations: annotations.matchLabels, labels: { app: 'shop' } });
  expect(cached(chosen, made).spec).toEqual({ replicas: 1 });
  expect(made.selects(chosen)).toBe(true);
  expect(made.selects(deployment({ annotations: annotations.matchLabels }))).toBe(false);
});

test('[contract 99] [metacontroller M12] with a finalizer, all objects are listed; of unselected objects, only the metadata is cached', () => {
  const made = selectedObjects(deployments, { labels }, { finalizer: FINALIZER });
  const kept = (metadata: Partial<ObjectMeta>) => cached(deployment(metadata), made);

  expect(made.source.labelSelector).toBeUndefined();
  expect(kept({ labels: { app: 'shop' } }).spec).toEqual({ replicas: 1 });
  expect(kept({ finalizers: [FINALIZER] }).spec).toEqual({ replicas: 1 });
  const reduced = kept({
    labels: { app: 'other' },
    annotations: { a: '1', 'kubectl.kubernetes.io/last-applied-configuration': '{…}' },
  });
  expect(reduced.spec).toBeUndefined();
  expect(reduced.metadata).toEqual({
    name: 'a',
    labels: { app: 'other' },
    annotations: { a: '1' },
  });
});

test('managedFields are cached only when requested', () => {
  const chosen = deployment({ labels: { app: 'shop' } });
  const fieldsOf = (made: ReturnType<typeof selectedObjects>) =>
    cached(chosen, made).metadata.managedFields;

  expect(fieldsOf(selectedObjects(deployments, {}))).toBeUndefined();
  expect(fieldsOf(selectedObjects(deployments, {}, { managedFields: true }))).toEqual([{}]);
  const options = { finalizer: FINALIZER, managedFields: true };
  expect(fieldsOf(selectedObjects(deployments, { labels }, options))).toEqual([{}]);
});

test('sources with equal selections have the same transform, and so share a cache', () => {
  const of = (
    ...given: Parameters<typeof selectedObjects> extends [unknown, ...infer R] ? R : never
  ) => selectedObjects(deployments, ...given).source.transform;

  expect(of({})).toBe(of({}));
  expect(of({ labels })).toBe(of({}));
  expect(of({ annotations })).toBe(of({ annotations }));
  expect(of({ labels }, { finalizer: 'a/b' })).toBe(of({ labels }, { finalizer: 'a/b' }));
  expect(of({ labels }, { finalizer: 'a/b' })).not.toBe(of({ labels }, { finalizer: 'a/c' }));
  expect(of({ labels }, { finalizer: 'a/b' })).not.toBe(of({ annotations }, { finalizer: 'a/b' }));
  expect(of({}, { managedFields: true })).not.toBe(of({}));
});

test.each([
  ['an operator', { matchExpressions: [{ key: 'a', operator: 'Near', values: ['x'] }] }],
  ['missing values', { matchExpressions: [{ key: 'a', operator: 'In' }] }],
  ['a key', { matchLabels: { 'a key': 'x' } }],
])('an invalid annotation selector is refused: %s', (_, wrong) => {
  expect(() => selectedObjects(deployments, { annotations: wrong })).toThrow('selector');
});
