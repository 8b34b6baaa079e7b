import { ApiError } from 'chancery';
import { expect, test } from 'vitest';
import {
  applyJsonPatch,
  MAX_JSON_PATCH_OPERATIONS,
} from '../../../../src/apiserver/patch/json/json-patch.ts';

function failureOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.each([
  ['adds a field', [{ op: 'add', path: '/b', value: 2 }], { a: [1, 2, 3], m: { k: 'v' }, b: 2 }],
  [
    'inserts into a list',
    [{ op: 'add', path: '/a/1', value: 9 }],
    { a: [1, 9, 2, 3], m: { k: 'v' } },
  ],
  [
    'appends to a list',
    [{ op: 'add', path: '/a/-', value: 9 }],
    { a: [1, 2, 3, 9], m: { k: 'v' } },
  ],
  ['counts from the end', [{ op: 'remove', path: '/a/-1' }], { a: [1, 2], m: { k: 'v' } }],
  ['removes', [{ op: 'remove', path: '/m/k' }], { a: [1, 2, 3], m: {} }],
  ['replaces', [{ op: 'replace', path: '/a/0', value: [] }], { a: [[], 2, 3], m: { k: 'v' } }],
  [
    'copies',
    [{ op: 'copy', from: '/m', path: '/n' }],
    { a: [1, 2, 3], m: { k: 'v' }, n: { k: 'v' } },
  ],
  ['moves', [{ op: 'move', from: '/m/k', path: '/a/0' }], { a: ['v', 1, 2, 3], m: {} }],
  ['tests', [{ op: 'test', path: '/m', value: { k: 'v' } }], { a: [1, 2, 3], m: { k: 'v' } }],
])('%s', (_what, operations, expected) => {
  const document = { a: [1, 2, 3], m: { k: 'v' } };

  const patched = applyJsonPatch(document, operations);

  expect(patched).toEqual(expected);
  expect(document).toEqual({ a: [1, 2, 3], m: { k: 'v' } });
});

test('unescapes the names in a path', () => {
  const patched = applyJsonPatch({ 'a/b': { '~1': 1 } }, [
    { op: 'replace', path: '/a~1b/~01', value: 2 },
  ]);

  expect(patched).toEqual({ 'a/b': { '~1': 2 } });
});

test.each([
  [{ op: 'test', path: '/a', value: 2 }],
  [{ op: 'remove', path: '/nothing' }],
  [{ op: 'remove', path: '/constructor' }],
  [{ op: 'replace', path: '/nothing', value: 1 }],
  [{ op: 'add', path: '/no/parent', value: 1 }],
  [{ op: 'add', path: '/list/2', value: 1 }],
  [{ op: 'add', path: '/list/01', value: 1 }],
  [{ op: 'move', from: '/nothing', path: '/b' }],
  [{ op: 'add', path: 'a', value: 1 }],
  [{ op: 'add', path: '/b' }],
  [{ op: 'bend', path: '/a' }],
  [{ op: 'replace', path: '', value: 'no object' }],
])('%j is answered 422 with the generic message', (operation) => {
  const error = failureOf(() => applyJsonPatch({ a: 1, list: [1] }, [operation]));

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 422, reason: 'Invalid', details: {} });
});

test('a patch that fails half way changes nothing', () => {
  const document = { a: { b: 1 } };

  const error = failureOf(() =>
    applyJsonPatch(document, [
      { op: 'replace', path: '/a/b', value: 2 },
      { op: 'test', path: '/a/b', value: 1 },
    ]),
  );

  expect(error).toMatchObject({ status: 422 });
  expect(document).toEqual({ a: { b: 1 } });
});

test.each([[{}], ['text'], [[1]], [null]])('%j is no patch: 400', (operations) => {
  const error = failureOf(() => applyJsonPatch({}, operations));

  expect(error).toMatchObject({ status: 400, reason: 'BadRequest' });
});

test('more operations than the server takes are answered 413', () => {
  const operations = Array.from({ length: MAX_JSON_PATCH_OPERATIONS + 1 }, () => ({
    op: 'add',
    path: '/a',
    value: 1,
  }));

  const error = failureOf(() => applyJsonPatch({}, operations));

  expect(error).toMatchObject({ status: 413, reason: 'RequestEntityTooLarge' });
});

test('__proto__ is a name like any other', () => {
  const patched = applyJsonPatch({ a: {} }, [
    { op: 'add', path: '/a/__proto__', value: { polluted: true } },
    { op: 'copy', from: '/a/__proto__', path: '/b' },
  ]);

  expect(JSON.stringify(patched)).toBe(
    '{"a":{"__proto__":{"polluted":true}},"b":{"polluted":true}}',
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('to a test, a field that is not there is null: a lock that nobody holds', () => {
  const test = (value: unknown, path = '/data/lock'): unknown =>
    applyJsonPatch({ data: { a: '1' } }, [
      { op: 'test', path, value },
      { op: 'add', path: '/data/lock', value: 'mine' },
    ]);

  expect(test(null)).toEqual({ data: { a: '1', lock: 'mine' } });
  expect(() => test('mine')).toThrow(expect.objectContaining({ status: 422 }));
  expect(() => test(null, '/absent/lock')).toThrow(expect.objectContaining({ status: 422 }));
  expect(() => test(null, '/data/a')).toThrow(expect.objectContaining({ status: 422 }));
});

test('copies of copies are refused before they fill the memory', () => {
  const bomb = Array.from({ length: 40 }, (_, at) => ({
    op: 'copy',
    from: '/data',
    path: `/data/x${at}`,
  }));

  expect(() => applyJsonPatch({ data: { a: 'x'.repeat(100) } }, bomb)).toThrow(
    expect.objectContaining({ status: 422 }),
  );
});
