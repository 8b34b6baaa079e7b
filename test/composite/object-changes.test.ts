import { expect, test } from 'vitest';
import { selectedObjects } from '../../operator/composite/decorator/decorated-source.ts';
import { visibleChanges } from '../../operator/composite/object-changes.ts';
import type { PredicateEvent } from '../../operator/controller/predicate.ts';
import { Entry } from '../../operator/model/entry.ts';
import { deployments } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';

const FINALIZER = 'example.dev/decorated';

function object(metadata: Partial<ObjectMeta> = {}, fields: object = {}): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'n', uid: 'u', generation: 1, ...metadata },
    ...fields,
  };
}

function update(old: KubernetesObject, now: KubernetesObject): PredicateEvent {
  return { type: 'update', object: now, metadata: now.metadata, old: Entry.of(old) };
}

const passes = visibleChanges({
  decorator: 'ours',
  finalizer: { name: FINALIZER, isUsed: true },
  failures: { condition: true },
});
const ignoring = visibleChanges({ decorator: 'ours', ignoreStatusChanges: true });

test.each([
  ['only the version and managedFields', { resourceVersion: '9', managedFields: [{}] }, false],
  ['its own finalizer', { finalizers: [FINALIZER] }, false],
  ['the finalizer of another controller', { finalizers: ['other/one'] }, true],
  ['a label', { labels: { a: '1' } }, true],
  ['an annotation', { annotations: { a: '1' } }, true],
  ['the generation', { generation: 2 }, true],
  ['an owner', { ownerReferences: [] }, true],
  ['the deletion', { deletionTimestamp: '2026-01-01T00:00:00Z' }, true],
])('whether an update that changes %s causes a reconcile: %s', (_, changed, expected) => {
  expect(passes(update(object(), object(changed)))).toBe(expected);
});

test('[contract 98] a change of the status causes a reconcile, unless status changes are ignored', () => {
  const changed = update(object(), object({ resourceVersion: '9' }, { status: { ready: 1 } }));

  expect(passes(changed)).toBe(true);
  expect(ignoring(changed)).toBe(false);
});

test("a decorator's own failure condition causes no reconcile, but another decorator's condition does", () => {
  const stated = (type: string) =>
    update(object(), object({}, { status: { conditions: [{ type, status: 'False' }] } }));

  expect(passes(stated('ours/Synced'))).toBe(false);
  expect(passes(stated('theirs/Synced'))).toBe(true);
});

test('if status changes are ignored, labels, deletions and resyncs still cause a reconcile', () => {
  const resync: PredicateEvent = { type: 'generic', object: object(), metadata: object().metadata };
  const plain = { generation: undefined };
  const data = update(object(plain as never), object(plain as never, { data: { a: '1' } }));

  expect(ignoring(update(object(), object({ labels: { a: '1' } })))).toBe(true);
  expect(ignoring(update(object(), object({ deletionTimestamp: 'now' })))).toBe(true);
  expect(ignoring(update(object(), object({ finalizers: ['other/one'] })))).toBe(false);
  expect(ignoring(resync)).toBe(true);
  expect(ignoring(data)).toBe(true);
});

test.each([
  true,
  false,
])('the removal of an unused finalizer causes a reconcile, with status changes ignored: %s', (ignoreStatusChanges) => {
  const finalizer = { name: FINALIZER, isUsed: false };
  const changes = visibleChanges({ decorator: 'ours', finalizer, ignoreStatusChanges });

  expect(changes(update(object({ finalizers: [FINALIZER] }), object()))).toBe(true);
});

test('an object is reconciled while it is selected, and once more when it is no longer selected', () => {
  const { selects } = selectedObjects(deployments, { labels: { matchLabels: { app: 'shop' } } });
  const chosen = visibleChanges({ decorator: 'ours', selects });
  const yes = object({ labels: { app: 'shop' } });
  const no = object({ labels: { app: 'other' } });
  const event = (type: 'create' | 'delete', of: KubernetesObject): PredicateEvent => ({
    ...{ type, object: of, metadata: of.metadata },
  });

  expect(chosen(event('create', no))).toBe(false);
  expect(chosen(event('delete', no))).toBe(false);
  expect(chosen(event('create', yes))).toBe(true);
  expect(chosen(update(no, object({ labels: { app: 'none' } })))).toBe(false);
  expect(chosen(update(no, yes))).toBe(true);
  expect(chosen(update(yes, no))).toBe(true);
});
