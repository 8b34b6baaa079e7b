import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/apiserver/objects/json-value.ts';
import type { ManagedFieldsEntry } from '../../../../src/apiserver/patch/managers/managed-fields-entry.ts';
import { applied, configMap, LATER, owners, pod, updated, website } from '../stored-objects.ts';

describe('an apply that omits a field', () => {
  test('a field is removed when its only manager omits it', () => {
    const live = applied(undefined, configMap({ a: '1', b: '2' }));

    const after = applied(live, configMap({ a: '1' }));

    expect(after.data).toEqual({ a: '1' });
  });

  test('when a manager omits a field, the field stays if another manager also owns it', () => {
    const shared = applied(undefined, configMap({ a: '1', b: '2' }));
    const both = applied(shared, configMap({ b: '2' }), { manager: 'two' });

    const after = applied(both, configMap({ a: '1' }));

    expect(after.data).toEqual({ a: '1', b: '2' });
    expect(owners(after)).toEqual({
      'one Apply': { 'f:data': { 'f:a': {} } },
      'two Apply': { 'f:data': { 'f:b': {} } },
    });
  });

  test('a field that the manager has never applied stays', () => {
    const live = updated(undefined, configMap({ b: '2' }));

    const after = applied(applied(live, configMap({ a: '1' })), configMap({ a: '1' }));

    expect(after.data).toEqual({ a: '1', b: '2' });
  });

  test('a struct is removed with its last field', () => {
    const probe = { httpGet: { path: '/', port: 80 } };
    const container = { name: 'c', image: 'i' };
    const live = applied(undefined, pod({ containers: [{ ...container, livenessProbe: probe }] }));

    const after = applied(live, pod({ containers: [container] }));

    expect(after.spec).toEqual({ containers: [container] });
  });

  test('when a manager omits its list item, the item is removed together with the fields that other managers set in it', () => {
    const live = applied(
      undefined,
      pod({ containers: [{ name: 'a' }, { name: 'b', image: 'i' }] }),
    );
    const withEditor = updated(live, {
      ...live,
      spec: { containers: [{ name: 'a' }, { name: 'b', image: 'i', tty: true }] },
    });

    const after = applied(withEditor, pod({ containers: [{ name: 'a' }] }));

    // Whoever changed a field of an item without naming it does not own the item.
    expect(after.spec).toEqual({ containers: [{ name: 'a' }] });
    expect(owners(after)).not.toHaveProperty('editor Update');
  });
});

test('a list item stays as long as at least one manager applies it', () => {
  const items = (...all: JsonObject[]): JsonObject => pod({ containers: all });
  const one = applied(undefined, items({ name: 'a' }, { name: 'b', image: 'i' }));
  const both = applied(one, items({ name: 'b', tty: true }), { manager: 'two' });

  const after = applied(both, items({ name: 'a' }));

  expect(after.spec).toEqual({ containers: [{ name: 'a' }, { name: 'b', tty: true }] });
});

describe('a conflict of server-side apply', () => {
  const live = updated(undefined, configMap({ a: '1', b: '2' }));

  test('the message of a conflict contains every field and its owner', () => {
    const apply = (): unknown => applied(live, configMap({ a: 'x', b: 'y' }));

    expect(apply).toThrow(
      expect.objectContaining({
        status: 409,
        reason: 'Conflict',
        message:
          '409 Conflict: Apply failed with 2 conflicts: conflicts with "editor" using v1:\n- .data.a\n- .data.b',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "editor" using v1',
              field: '.data.a',
            },
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "editor" using v1',
              field: '.data.b',
            },
          ],
        },
      }),
    );
  });

  test('a manager that applies an equal value becomes a second owner of the field, without a conflict', () => {
    const after = applied(live, configMap({ a: '1' }));

    expect(owners(after)).toMatchObject({
      'one Apply': { 'f:data': { 'f:a': {} } },
      'editor Update': { 'f:data': { 'f:a': {}, 'f:b': {} } },
    });
  });

  test('a forced apply takes over the fields in conflict', () => {
    const after = applied(live, configMap({ a: 'x' }), { force: true });

    expect(after.data).toEqual({ a: 'x', b: '2' });
    expect(owners(after)).toEqual({
      'one Apply': { 'f:data': { 'f:a': {} } },
      'editor Update': { 'f:data': { '.': {}, 'f:b': {} } },
    });
  });

  test('the message of a conflict identifies list items by their keys', () => {
    const before = updated(undefined, pod({ containers: [{ name: 'a', image: 'one' }] }));

    const apply = (): unknown =>
      applied(before, pod({ containers: [{ name: 'a', image: 'two' }] }));

    expect(apply).toThrow('.spec.containers[name="a"].image');
  });
});

test('the message of a conflict lists the fields of a struct before nested fields', () => {
  const config = (image: string, value: string): JsonObject =>
    pod({ containers: [{ name: 'c', env: [{ name: 'E', value }], image }], hostname: value });
  const live = applied(undefined, config('one', 'old'));

  const apply = (): unknown => applied(live, config('two', 'new'), { manager: 'two' });

  expect(apply).toThrow(
    [
      '- .spec.hostname',
      '- .spec.containers[name="c"].image',
      '- .spec.containers[name="c"].env[name="E"].value',
    ].join('\n'),
  );
});

test('the message of a conflict lists several managers alphabetically, each with sorted fields', () => {
  const zed = updated(undefined, configMap({ b: '1', d: '1' }), { manager: 'zed' });
  const all = configMap({ a: '1', b: '1', c: '1', d: '1' });
  const live = updated(zed, all, { manager: 'amy', time: LATER });

  const apply = (): unknown => applied(live, configMap({ d: '2', c: '2', b: '2', a: '2' }));

  const ofAmy = 'conflict with "amy" using v1';
  const ofZed = 'conflict with "zed" using v1';
  expect(apply).toThrow(
    expect.objectContaining({
      details: {
        causes: [
          [ofAmy, '.data.a'],
          [ofAmy, '.data.c'],
          [ofZed, '.data.b'],
          [ofZed, '.data.d'],
        ].map(([message, field]) => ({ reason: 'FieldManagerConflict', message, field })),
      },
    }),
  );
});

describe('lists in server-side apply', () => {
  test('an apply to a keyed list does not move the items of other managers', () => {
    const items = (...names: string[]): JsonObject =>
      pod({ containers: names.map((name) => ({ name })) });
    const live = updated(undefined, items('x', 'a', 'y', 'b', 'z'));

    const after = applied(live, items('a', 'new', 'b'));

    expect(after.spec).toEqual(items('x', 'a', 'y', 'new', 'b', 'z').spec);
  });

  test('an apply sets the order of the list items that it contains', () => {
    const items = (...names: string[]): JsonObject =>
      pod({ containers: names.map((name) => ({ name })) });
    const live = applied(undefined, items('a', 'b'));

    const after = applied(live, items('b', 'a'));

    expect(after.spec).toEqual(items('b', 'a').spec);
  });

  test('the items of a list of ports are identified by number and protocol, which is TCP by default', () => {
    const ports = (...all: JsonObject[]): JsonObject =>
      pod({ containers: [{ name: 'c', ports: all }] });
    const tcp = { containerPort: 53, protocol: 'TCP' };
    const udp = { containerPort: 53, protocol: 'UDP' };
    const live = updated(undefined, ports(tcp, udp));

    const after = applied(live, ports({ containerPort: 53, name: 'dns' }));

    expect(after.spec).toEqual(ports({ ...tcp, name: 'dns' }, udp).spec);
  });

  test('[F-8] finalizers are a set, and each finalizer has separate owners', () => {
    const one = applied(undefined, configMap({}, { finalizers: ['x/1'] }));
    const both = applied(one, configMap({}, { finalizers: ['x/2'] }), { manager: 'two' });

    const after = applied(both, configMap({}));

    expect(after.metadata).toMatchObject({ finalizers: ['x/2'] });
    expect(owners(both)['two Apply']).toMatchObject({
      'f:metadata': { 'f:finalizers': { 'v:"x/2"': {} } },
    });
  });

  test('a list without keys has one owner for the whole list', () => {
    const live = updated(undefined, pod({ containers: [{ name: 'c', args: ['a', 'b'] }] }));

    const apply = (): unknown =>
      applied(live, pod({ containers: [{ name: 'c', args: ['a', 'c'] }] }));

    expect(apply).toThrow('.spec.containers[name="c"].args');
  });
});

test('an atomic map is replaced as a whole', () => {
  const live = updated(undefined, pod({ containers: [], nodeSelector: { a: '1', b: '2' } }));

  const after = applied(live, pod({ nodeSelector: { a: '1' } }), { force: true });

  expect(after.spec).toEqual({ containers: [], nodeSelector: { a: '1' } });
  expect(owners(after)['one Apply']).toEqual({ 'f:spec': { 'f:nodeSelector': {} } });
});

test('a manager that applies in another API version still owns its fields', () => {
  const live = applied(undefined, website({ a: 1, b: 2 }));

  const after = applied(live, { ...website({ a: 1 }), apiVersion: 'example.dev/v2' });

  expect(after.spec).toEqual({ a: 1 });
  expect(Object.keys(owners(after))).toEqual(['one Apply']);
});

describe('custom resources in server-side apply', () => {
  const SCHEMA: JsonObject = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          pages: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['path'],
            items: {
              type: 'object',
              properties: { path: { type: 'string' }, title: { type: 'string' } },
            },
          },
          tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          theme: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
        },
      },
    },
  };

  test('lists of a custom resource without a schema are atomic', () => {
    const live = applied(undefined, website({ tags: ['a'] }));

    const apply = (): unknown => applied(live, website({ tags: ['b'] }), { manager: 'two' });

    expect(apply).toThrow('.spec.tags');
  });

  test('lists of a custom resource are merged as its schema defines', () => {
    const spec = { tags: ['a'], pages: [{ path: '/', title: 'Home' }] };
    const live = applied(undefined, website(spec), { schema: SCHEMA });

    const after = applied(live, website({ tags: ['b'], pages: [{ path: '/b' }] }), {
      manager: 'two',
      schema: SCHEMA,
    });

    expect(after.spec).toEqual({
      tags: ['a', 'b'],
      pages: [{ path: '/', title: 'Home' }, { path: '/b' }],
    });
    expect(owners(after)['two Apply']).toEqual({
      'f:spec': {
        'f:tags': { 'v:"b"': {} },
        'f:pages': { 'k:{"path":"/b"}': { '.': {}, 'f:path': {} } },
      },
    });
  });

  test('when a new schema makes a list or map atomic, the owners of its fields become owners of the whole value', () => {
    const before = { tags: ['a'], pages: [{ path: '/', title: 'Home' }], theme: { color: 'red' } };
    const spec = { type: 'object', properties: { tags: {}, pages: {}, theme: {} } };
    const ATOMIC: JsonObject = { type: 'object', properties: { spec } };
    for (const name of ['tags', 'pages'] as const) spec.properties[name] = { type: 'array' };
    spec.properties.theme = { type: 'object', 'x-kubernetes-map-type': 'atomic' };
    const GRANULAR: JsonObject = JSON.parse(JSON.stringify(SCHEMA).replace('atomic', 'granular'));
    const whole = { 'f:spec': { 'f:pages': {}, 'f:tags': {}, 'f:theme': {} } };
    const live = applied(undefined, website(before), { schema: GRANULAR });

    const narrowed = applied(live, website(before), { manager: 'two', schema: ATOMIC });
    const widened = applied(narrowed, website(before), { schema: GRANULAR });

    expect(owners(narrowed)['one Apply']).toEqual(whole);
    expect(widened.spec).toEqual(before);
    expect(owners(widened)['two Apply']).toEqual(whole);
  });

  test('a map that is atomic in the schema is owned as one field', () => {
    const after = applied(undefined, website({ theme: { color: 'red' } }), { schema: SCHEMA });

    expect(owners(after)['one Apply']).toEqual({ 'f:spec': { 'f:theme': {} } });
  });

  test('the creator of a custom resource owns its maps as well as their fields', () => {
    const after = updated(undefined, website({ replicas: 1 }));

    expect(owners(after)).toEqual({
      'editor Update': { 'f:spec': { '.': {}, 'f:replicas': {} } },
    });
  });
});

describe('entries of managedFields', () => {
  test('the first apply to an object without managedFields adds an entry named before-first-apply', () => {
    const live = configMap({ a: '1' }, { uid: 'uid-1' });

    const after = applied(live, configMap({ b: '2' }));

    expect(owners(after)).toEqual({
      'one Apply': { 'f:data': { 'f:b': {} } },
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
    });
  });

  test('an apply that changes nothing keeps the times of managedFields', () => {
    const live = applied(undefined, configMap({ a: '1' }));

    const after = applied(live, configMap({ a: '1' }), { time: LATER });

    expect(after).toEqual(live);
  });

  test('a manager has separate entries for applies and updates', () => {
    const live = applied(undefined, configMap({ a: '1' }));

    const after = updated(live, { ...live, data: { a: '2' } }, { manager: 'one' });

    expect(owners(after)).toEqual({ 'one Update': { 'f:data': { 'f:a': {} } } });
  });

  test('a manager has separate entries for status and spec', () => {
    const live = updated(undefined, website({ replicas: 1 }));

    const after = updated(live, { ...live, status: { ready: true } }, { subresource: 'status' });

    const { managedFields } = after.metadata as { managedFields: ManagedFieldsEntry[] };
    expect(managedFields.map(({ subresource }) => subresource)).toEqual([undefined, 'status']);
  });

  test('managedFields do not list fields that the endpoint does not write', () => {
    const config = { ...website({ replicas: 1 }), status: { ready: true } };

    const after = applied(undefined, config, { ignoredFields: [['status']] });

    expect(after).not.toHaveProperty('status');
    expect(owners(after)['one Apply']).not.toHaveProperty('f:status');
  });

  test.each([
    [[]],
    [[{}]],
  ])('an update with the managedFields %j removes all entries of managedFields', (managedFields) => {
    const live = updated(undefined, configMap({ a: '1' }));

    const after = updated(live, {
      ...live,
      data: { a: '2' },
      metadata: { name: 'c', managedFields },
    });

    expect(owners(after)).toEqual({});
  });

  test('at most ten entries for updates are kept, and older entries are merged', () => {
    let live = updated(undefined, configMap({ k0: '' }), { manager: 'm0', time: timeOf(0) });
    for (let index = 1; index <= 12; index++) {
      const data = { ...(live.data as object), [`k${index}`]: '' };
      live = updated(live, { ...live, data }, { manager: `m${index}`, time: timeOf(index) });
    }

    const names = Object.keys(owners(live));
    expect(names).toHaveLength(10);
    expect(names).toContain('ancient-changes Update');
    expect(names).not.toContain('m0 Update');
    expect(owners(live)['ancient-changes Update']).toMatchObject({
      'f:data': { 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} },
    });
  });
});

function timeOf(minute: number): string {
  return `2026-11-21T12:${String(minute).padStart(2, '0')}:00Z`;
}

test('an apply modifies neither the live object nor the configuration passed in', () => {
  const live = applied(undefined, configMap({ a: '1', b: '2' }, { finalizers: ['x/1'] }));
  const config = configMap({ a: '3' }, { finalizers: ['x/2'] });
  const before = JSON.stringify([live, config]);

  applied(live, config, { manager: 'two', force: true });

  expect(JSON.stringify([live, config])).toBe(before);
});

test('server-side apply handles __proto__ as an ordinary key', () => {
  const config = JSON.parse(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"__proto__":"x"}}',
  );

  const live = applied(undefined, config);
  const gone = applied(live, configMap({ a: '1' }));

  expect(JSON.stringify(live.data)).toBe('{"__proto__":"x"}');
  expect(owners(live)).toEqual({ 'one Apply': { 'f:data': { 'f:__proto__': {} } } });
  expect(gone.data).toEqual({ a: '1' });
});

test('a forced apply with a null creationTimestamp removes this field, and a forced apply with a null label keeps the labels', () => {
  const live = updated(undefined, configMap({ a: '1' }, { labels: { x: 'y' } }));

  const after = applied(live, configMap({}, { creationTimestamp: null, labels: { x: null } }), {
    force: true,
  });

  expect(after.metadata).not.toHaveProperty('creationTimestamp');
  expect(after.metadata).toMatchObject({ labels: {} });
});
