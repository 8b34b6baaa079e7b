/** F-8: what an apply removes when a manager drops the last field of a map, a struct or a list. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/apiserver/objects/json-value.ts';
import { applied, configMap, owners, pod, updated, website } from './stored-objects.ts';

const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid: 'uid-parent' };

describe('an apply that omits the last metadata field of its manager', () => {
  const PARTS: readonly [string, unknown, unknown][] = [
    ['annotations', { 'example.dev/note': 'hot' }, { 'example.dev/other': 'cold' }],
    ['labels', { team: 'red' }, { tier: 'front' }],
    ['finalizers', ['example.dev/one'], ['example.dev/two']],
    ['ownerReferences', [OWNER], [{ ...OWNER, name: 'aunt', uid: 'uid-aunt' }]],
  ];

  test.each(
    PARTS,
  )('an apply that omits its %s removes them and no other metadata', (part, value) => {
    const live = applied(undefined, configMap({ k: 'v' }, { [part]: value }));

    const after = applied(live, configMap({ k: 'v' }));

    expect(after.metadata).toEqual({
      name: 'c',
      uid: 'uid-1',
      managedFields: [expect.objectContaining({ fieldsV1: { 'f:data': { 'f:k': {} } } })],
    });
  });

  test.each(
    PARTS,
  )('an apply that omits its %s does not remove the ones of another manager', (part, value, others) => {
    const one = applied(undefined, configMap({}, { [part]: value }));
    const both = applied(one, configMap({}, { [part]: others }), { manager: 'two' });

    const after = applied(both, configMap({}));

    expect(after.metadata).toMatchObject({ name: 'c', uid: 'uid-1', [part]: others });
    expect(owners(after)['two Apply']).toEqual(owners(both)['two Apply']);
  });

  test('when the only manager owns nothing any more, managedFields is an empty list', () => {
    const live = applied(undefined, configMap({ k: 'v' }, { labels: { team: 'red' } }));
    const config: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };

    const after = applied(live, config);

    expect(after).toEqual({ ...config, metadata: { name: 'c', uid: 'uid-1', managedFields: [] } });
  });

  test('an object keeps its name if an apply has no name in its metadata', () => {
    const live = applied(undefined, configMap({}, { labels: { team: 'red' } }));

    const after = applied(live, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });

    expect(after.metadata).toEqual({ name: 'c', uid: 'uid-1', managedFields: [] });
  });
});

describe('a map that an apply empties', () => {
  test('a map stays owned by its manager when another manager has removed its last entry', () => {
    const created = updated(undefined, configMap({ level: 'info' }));
    const taken = applied(created, configMap({ level: 'debug' }), { force: true });

    const after = applied(taken, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });

    expect(after.data).toEqual({}); // Go leaves it out when it writes the object
    expect(owners(after)).toEqual({ 'editor Update': { 'f:data': {} } });
  });

  test('an emptied map stays if another manager owns it, however deeply it is nested', () => {
    const live = updated(undefined, website({ any: { deep: { er: { x: 1 } } }, gone: {} }));
    const config = website({ any: { deep: { er: { x: 2, y: 2 } } }, more: { z: 1 } });
    const taken = applied(live, config, { force: true });

    const after = applied(taken, website({}));

    expect(after.spec).toEqual({ any: { deep: { er: {} } }, gone: {} });
    expect(owners(after)['editor Update']).toEqual({
      'f:spec': {
        '.': {},
        'f:any': { '.': {}, 'f:deep': { '.': {}, 'f:er': {} } },
        'f:gone': {},
      },
    });
  });

  test('a manager that applies an empty map owns the map', () => {
    const live = applied(undefined, configMap({ level: 'info' }));

    const after = applied(live, configMap({}));

    expect(after).not.toHaveProperty('data.level');
    expect(owners(after)).toEqual({ 'one Apply': { 'f:data': {} } });
  });
});

describe('an apply that drops a struct in a list item', () => {
  const withProbe = (livenessProbe?: JsonObject): JsonObject =>
    pod({ containers: [{ name: 'web', ...(livenessProbe && { livenessProbe }) }] });
  const probed = applied(undefined, withProbe({ tcpSocket: { port: 80 } }));
  // The server added a default, which nobody owns.
  const defaulted: JsonObject = {
    ...probed,
    spec: withProbe({ tcpSocket: { port: 80 }, periodSeconds: 10 }).spec,
  };

  test('if a manager applies a struct without fields, the struct loses only the fields of this manager', () => {
    const after = applied(defaulted, withProbe({}));

    expect(after.spec).toEqual(withProbe({ periodSeconds: 10 }).spec);
  });

  test('a dropped struct is removed together with the defaults that the server added', () => {
    const after = applied(defaulted, withProbe());

    expect(after.spec).toEqual(withProbe().spec);
  });
});

test('if a manager no longer applies a keyed list, the items of another manager stay; without any items, the list is removed', () => {
  const withVolumes = (...names: string[]): JsonObject =>
    pod({
      containers: [{ name: 'web' }],
      volumes: names.map((name) => ({ name, configMap: { name } })),
    });
  const one = applied(undefined, withVolumes('mine', 'ours'));
  const both = applied(one, withVolumes('ours', 'theirs'), { manager: 'two' });

  const after = applied(both, pod({ containers: [{ name: 'web' }] }));
  const last = applied(after, pod({}), { manager: 'two' });

  expect(after.spec).toEqual(withVolumes('ours', 'theirs').spec);
  expect(last.spec).toEqual({ containers: [{ name: 'web' }] });
});

test('an applied null conflicts with the owner of the value that it would remove', () => {
  const live = updated(undefined, configMap({}, { annotations: { 'example.dev/note': 'hot' } }));

  const apply = (): unknown =>
    applied(live, configMap({}, { annotations: { 'example.dev/note': null } }));

  expect(apply).toThrow('.metadata.annotations.example.dev/note');
});

test('an applied null in a map of strings counts as the empty string, and conflicts with another manager', () => {
  const config = configMap({}, { annotations: { 'example.dev/note': null } });
  const live = applied(undefined, config);

  const apply = (): unknown => applied(live, config, { manager: 'two' });

  expect(live.metadata).toMatchObject({ annotations: { 'example.dev/note': '' } });
  expect(apply).toThrow('conflict with "one": .metadata.annotations.example.dev/note');
});
