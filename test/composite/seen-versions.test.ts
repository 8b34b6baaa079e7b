import { configMap, eventually, FakeClock } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SeenVersions } from '../../operator/composite/seen-versions.ts';
import type { PredicateEvent } from '../../operator/controller/predicate.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';

function object(name: string, resourceVersion: string, owner?: string): KubernetesObject {
  const { metadata, ...rest } = configMap(name, { namespace: 'n' });
  const reference = { apiVersion: 'v1', kind: 'Orchard', name: 'p', controller: true };
  return {
    ...rest,
    metadata: {
      ...metadata,
      uid: `uid-${name}`,
      resourceVersion,
      ...(owner !== undefined && { ownerReferences: [{ ...reference, uid: owner }] }),
    },
  };
}

function event(type: PredicateEvent['type'], of: KubernetesObject): PredicateEvent {
  return { type, object: of, metadata: of.metadata } as PredicateEvent;
}

const CHILD = (version: string, name = 'c') => object(name, version, 'uid-p');

function begun(stop: AbortController = new AbortController()): SeenVersions {
  const seen = new SeenVersions();
  const ended = seen.life.run(() => {}, { clock: new FakeClock(), signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  return seen;
}

function afterCall(stop?: AbortController): SeenVersions {
  const seen = begun(stop);
  seen.note(object('p', '100'), [CHILD('90')]);
  return seen;
}

test.each([
  ['older', '99', false],
  ['the same', '100', false],
  ['newer', '101', true],
  ['newer, with one more digit', '1000', true],
])("whether an event causes a reconcile if the parent's version is %s", (_what, version, isNew) => {
  expect(afterCall().newParent(event('update', object('p', version)))).toBe(isNew);
});

test.each([
  ['the known version', '90', false],
  ['an older version', '89', false],
  ['a newer version', '91', true],
])('whether an event causes a reconcile if it has %s of a child', (_what, version, isNew) => {
  expect(afterCall().newChild(event('create', CHILD(version)))).toBe(isNew);
  expect(afterCall().newChild(event('update', CHILD(version)))).toBe(isNew);
});

describe('events that always cause a reconcile', () => {
  test.each(['delete', 'generic'] as const)('a %s event always causes a reconcile', (type) => {
    expect(afterCall().newParent(event(type, object('p', '1')))).toBe(true);
    expect(afterCall().newChild(event(type, CHILD('1')))).toBe(true);
  });

  test('an event for a parent that is new to the cache causes a reconcile', () => {
    expect(afterCall().newParent(event('create', object('p', '100')))).toBe(true);
  });

  test('an event for a child that was not passed to the last call causes a reconcile', () => {
    expect(afterCall().newChild(event('create', CHILD('1', 'other')))).toBe(true);
  });

  test('an event for a child of another parent causes a reconcile', () => {
    expect(afterCall().newChild(event('update', object('c', '1', 'uid-q')))).toBe(true);
  });

  test('an event for a parent without a version, or for a new parent of the same name, causes a reconcile', () => {
    expect(afterCall().newParent(event('update', object('p', '')))).toBe(true);
    const recreated = object('p', '50');
    const other = { ...recreated, metadata: { ...recreated.metadata, uid: 'new' } };
    expect(afterCall().newParent(event('create', other))).toBe(true);
  });

  test('every event for a parent that is no longer remembered causes a reconcile', () => {
    const seen = afterCall();

    seen.forget(keyOf(object('p', '1')));

    expect(seen.newParent(event('update', object('p', '1')))).toBe(true);
    expect(seen.newChild(event('update', CHILD('1')))).toBe(true);
  });
});

test('a later call replaces the remembered versions of an earlier call', () => {
  const seen = afterCall();

  seen.note(object('p', '200'), []);

  expect(seen.newParent(event('update', object('p', '150')))).toBe(false);
  expect(seen.newChild(event('update', CHILD('1')))).toBe(true);
});

test('after the controller has ended, every event causes a reconcile, until the controller runs again', async () => {
  const stop = new AbortController();
  const seen = afterCall(stop);

  stop.abort();
  await eventually(() => expect(seen.newParent(event('create', object('p', '100')))).toBe(true));
  seen.note(object('p', '100'), [CHILD('90')]); // the last reconcile ends after its controller

  expect(seen.newParent(event('create', object('p', '100')))).toBe(true);
  expect(seen.newChild(event('create', CHILD('90')))).toBe(true);
});
