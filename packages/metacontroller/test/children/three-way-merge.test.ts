import { describe, expect, test } from 'vitest';
import { mergePatchOf } from '../../../../operator/controller/children/json-difference.ts';
import { mergeThreeWay } from '../../src/children/three-way-merge.ts';

const NONE = {};

describe('merging of fields', () => {
  test('[contract 76] fields of the previous answer that are missing in the new answer are removed, and fields of other writers stay', () => {
    const observed = { a: 1, b: 2, foreign: { x: 1 } };

    expect(mergeThreeWay(observed, { a: 1, b: 2 }, { a: 5 })).toEqual({ a: 5, foreign: { x: 1 } });
  });

  test('fields are merged at every level', () => {
    const observed = {
      spec: { size: 1, strategy: { type: 'Rolling', surge: 1 } },
      status: { up: 1 },
    };
    const last = { spec: { size: 1, strategy: { surge: 1 } } };

    const merged = mergeThreeWay(observed, last, { spec: { size: 3, strategy: {} } });

    expect(merged).toEqual({
      spec: { size: 3, strategy: { type: 'Rolling' } },
      status: { up: 1 },
    });
  });

  test('fields that are null in the answer are absent, even within a new object', () => {
    expect(mergeThreeWay({ a: 1 }, NONE, { a: null, b: null, c: { d: null, e: 1 } })).toEqual({
      c: { e: 1 },
    });
  });

  test('a map that is null in the answer loses only fields that were applied, and keeps fields of other writers', () => {
    const observed = { limits: { cpu: '1', memory: '2' } };

    const merged = mergeThreeWay(observed, { limits: { cpu: '1' } }, { limits: null });

    expect(merged).toEqual({ limits: { memory: '2' } });
  });

  test.each([
    ['an object', { a: { b: 1 } }, { a: 'text' }],
    ['a list', { a: [1] }, { a: { b: 1 } }],
    ['a string', { a: 'text' }, { a: [1] }],
  ])('%s is replaced if the answer has a value of another type', (_what, observed, desired) => {
    expect(mergeThreeWay(observed, NONE, desired)).toEqual(desired);
  });

  test('fields may have the names of built-in properties of objects', () => {
    const hostile = JSON.parse('{"constructor": 1, "__proto__": {"x": 1}, "toString": {"y": 2}}');

    const merged = mergeThreeWay({ kept: 1 }, NONE, hostile);

    expect(JSON.parse(JSON.stringify(merged))).toEqual({ kept: 1, ...hostile });
    expect(Object.hasOwn(merged, '__proto__')).toBe(true);
  });
});

describe('merging of lists', () => {
  const container = (name: string, fields: object = {}) => ({ name, ...fields });

  test('lists of named items are merged item by item, and existing items come first, in their order', () => {
    const observed = [container('b', { injected: 1 }), container('sidecar'), container('a')];
    const last = [container('a', { image: '1' }), container('b'), container('gone')];
    const desired = [container('new'), container('a', { image: '2' }), container('b')];

    expect(mergeThreeWay({ of: observed }, { of: last }, { of: desired })).toEqual({
      of: [
        container('b', { injected: 1 }),
        container('sidecar'),
        container('a', { image: '2' }),
        container('new'),
      ],
    });
  });

  test('items of the previous answer that are missing in the new answer are removed from lists', () => {
    const merged = mergeThreeWay(
      { of: [container('a'), container('b')] },
      { of: [container('a')] },
      { of: [container('c')] },
    );

    expect(merged).toEqual({ of: [container('b'), container('c')] });
  });

  test.each([
    'containerPort',
    'port',
    'mountPath',
    'name',
    'uid',
    'ip',
    'path',
  ])('[contract 77] lists are merged by %s', (key) => {
    const observed = { of: [{ [key]: 'x', own: 1 }, { [key]: 'y' }] };

    const merged = mergeThreeWay(observed, NONE, { of: [{ [key]: 'x', more: 2 }] });

    expect(merged).toEqual({ of: [{ [key]: 'x', own: 1, more: 2 }, { [key]: 'y' }] });
  });

  test('[contract 77] lists are merged by the first known key field that all items of all lists have', () => {
    const observed = { of: [{ name: 'web', port: 80, nodePort: 30_001 }] };
    const desired = { of: [{ name: 'http', port: 80 }] };

    expect(mergeThreeWay(observed, NONE, desired)).toEqual({
      of: [{ name: 'http', port: 80, nodePort: 30_001 }],
    });
    // Without `port` in the last answer it is `name` that all have.
    expect(mergeThreeWay(observed, { of: [{ name: 'web' }] }, desired)).toEqual({
      of: [{ name: 'http', port: 80 }],
    });
  });

  test('[contract 77] lists are not merged by a field that has the same value in several items', () => {
    const observed = [
      { port: 53, name: 'tcp', nodePort: 1 },
      { port: 53, name: 'udp', nodePort: 2 },
    ];
    const desired = [
      { port: 53, name: 'tcp' },
      { port: 53, name: 'udp' },
    ];

    expect(mergeThreeWay({ of: observed }, NONE, { of: desired })).toEqual({ of: observed });
  });

  test.each([
    ['texts', [1, 2], [3]],
    ['a mix', [{ name: 'a' }, 'b'], [{ name: 'c' }]],
    ['items without a known key field', [{ key: 'a' }], [{ key: 'b' }]],
    ['nothing', [], [{ name: 'a' }]],
  ])('lists of %s are replaced', (_what, observed, desired) => {
    expect(mergeThreeWay({ of: observed }, NONE, { of: desired })).toEqual({ of: desired });
  });

  test('lists that are empty in the answer lose the items that were applied', () => {
    const observed = { of: [container('a'), container('foreign')] };

    expect(mergeThreeWay(observed, { of: [container('a')] }, { of: [] })).toEqual({
      of: [container('foreign')],
    });
  });
});

test('a second merge with the same answer does not change the object', () => {
  const observed = { a: { b: [{ name: 'x', c: 1 }], d: 1 }, e: [1, 2] };
  const last = { a: { b: [{ name: 'x' }, { name: 'y' }], d: 1 } };
  const desired = { a: { b: [{ name: 'z' }, { name: 'x', c: 2 }] }, e: [2] };

  const merged = mergeThreeWay(observed, last, desired);

  expect(mergePatchOf(merged, mergeThreeWay(merged, desired, desired))).toBeUndefined();
});

test('[attack A-1] a value nested more deeply than any real object is refused with a typed error', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);

  expect(() => mergeThreeWay(deep, NONE, deep)).toThrow('nested too deeply');
  expect(() => mergePatchOf(deep, { a: 1 })).not.toThrow();
});
