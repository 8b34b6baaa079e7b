import { ApiError } from 'chancery';
import { expect, test } from 'vitest';
import { applyJsonPatch } from '../../../../src/apiserver/patch/json/json-patch.ts';
import {
  MAX_JSON_PATCH_OPERATIONS,
  readJsonPatch,
} from '../../../../src/apiserver/patch/read-patch.ts';

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
  [
    'counts a negative index from the end',
    [{ op: 'remove', path: '/a/-1' }],
    { a: [1, 2], m: { k: 'v' } },
  ],
  ['removes a field', [{ op: 'remove', path: '/m/k' }], { a: [1, 2, 3], m: {} }],
  [
    'replaces an item',
    [{ op: 'replace', path: '/a/0', value: [] }],
    { a: [[], 2, 3], m: { k: 'v' } },
  ],
  [
    'copies a value',
    [{ op: 'copy', from: '/m', path: '/n' }],
    { a: [1, 2, 3], m: { k: 'v' }, n: { k: 'v' } },
  ],
  ['moves a value', [{ op: 'move', from: '/m/k', path: '/a/0' }], { a: ['v', 1, 2, 3], m: {} }],
  [
    'tests a value',
    [{ op: 'test', path: '/m', value: { k: 'v' } }],
    { a: [1, 2, 3], m: { k: 'v' } },
  ],
])('a JSON patch %s', (_what, operations, expected) => {
  const document = { a: [1, 2, 3], m: { k: 'v' } };

  const patched = applyJsonPatch(document, operations);

  expect(patched).toEqual(expected);
  expect(document).toEqual({ a: [1, 2, 3], m: { k: 'v' } });
});

test('a JSON patch unescapes the names in a path', () => {
  const patched = applyJsonPatch({ 'a/b': { '~1': 1 } }, [
    { op: 'replace', path: '/a~1b/~01', value: 2 },
  ]);

  expect(patched).toEqual({ 'a/b': { '~1': 2 } });
});

test.each([
  [{ op: 'test', path: '/a', value: 2 }],
  [{ op: 'remove', path: '/nothing' }],
  [{ op: 'remove', path: '/constructor' }],
  [{ op: 'replace', path: '/nothing/more', value: 1 }],
  [{ op: 'add', path: '/no/parent', value: 1 }],
  [{ op: 'add', path: '/list/2', value: 1 }],
  [{ op: 'add', path: '/list/1.0', value: 1 }],
  [{ op: 'add', path: '/list/-3', value: 1 }],
  [{ op: 'replace', path: '/list/-', value: 1 }],
  [{ op: 'replace', path: '/list/1', value: 1 }],
  [{ op: 'add', path: '', value: {} }],
  [{ op: 'remove', path: '' }],
  [{ op: 'add', path: 7, value: 1 }],
  [{ op: 'move', from: '/nothing', path: '/b' }],
  [{ op: 'add', path: 'a', value: 1 }],
  [{ op: 'copy', from: '', path: '/b' }],
  [{ path: '/b', value: 1 }],
  [null],
  [{ op: 'bend', path: '/a' }],
  [{ op: 'replace', path: '', value: 'no object' }],
])('the JSON patch operation %j is answered 422 with the generic message', (operation) => {
  const error = failureOf(() => applyJsonPatch({ a: 1, list: [1] }, [operation]));

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 422, reason: 'Invalid', details: {} });
});

test('a JSON patch changes nothing if one of its operations fails', () => {
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

test.each([
  [
    '{}',
    'object into Go value of type []handlers.jsonPatchOp',
    'object into Go value of type jsonpatch.Patch',
  ],
  [
    '"text"',
    'string into Go value of type []handlers.jsonPatchOp',
    'string into Go value of type jsonpatch.Patch',
  ],
  [
    '[[]]',
    'array into Go value of type handlers.jsonPatchOp',
    'array into Go value of type jsonpatch.Operation',
  ],
])('the body %s is not a JSON patch and is answered 400', (text, strict, lenient) => {
  expect(failureOf(() => readJsonPatch(text, true))).toMatchObject({
    message: `400 BadRequest: error decoding patch: json: cannot unmarshal ${strict}`,
  });
  expect(failureOf(() => readJsonPatch(text, false))).toMatchObject({
    message: `400 BadRequest: json: cannot unmarshal ${lenient}`,
  });
});

test('the JSON patch `null` has no operations, and a list that contains null is read unchanged', () => {
  expect(readJsonPatch('null', true).value).toEqual([]);
  expect(readJsonPatch('[null]', true).value).toEqual([null]);
});

test('only the strict decoder refuses an operation with a field of the wrong type', () => {
  const text = '[{"op":"add","from":{},"path":"/a","value":1}]';

  expect(failureOf(() => readJsonPatch(text, true))).toMatchObject({ status: 400 });
  expect(applyJsonPatch({}, readJsonPatch(text, false).value)).toEqual({ a: 1 });
});

test.each([
  [
    'replace adds a missing field',
    { op: 'replace', path: '/more', value: 2 },
    { a: ['x'], more: 2 },
  ],
  ['an omitted value is null', { op: 'add', path: '/more' }, { a: ['x'], more: null }],
  [
    'copy of a missing field copies null',
    { op: 'copy', from: '/none', path: '/more' },
    { a: ['x'], more: null },
  ],
  ['an index may have leading zeros', { op: 'add', path: '/a/001', value: 'y' }, { a: ['x', 'y'] }],
  ['an index may have a plus sign', { op: 'add', path: '/a/+0', value: 'y' }, { a: ['y', 'x'] }],
  [
    'the last place may be counted from the end',
    { op: 'add', path: '/a/-1', value: 'y' },
    { a: ['x', 'y'] },
  ],
  [
    'text before the first slash is ignored',
    { op: 'add', path: 'b/c', value: 1 },
    { a: ['x'], c: 1 },
  ],
  ['the whole object can be replaced by a list', { op: 'replace', path: '', value: [1] }, [1]],
])('JSON patches are as lenient as in the Go library: %s', (_what, operation, expected) => {
  expect(applyJsonPatch({ a: ['x'] }, [operation])).toEqual(expected);
});

test('a JSON patch sorts the keys of exactly those objects that its operations touched', () => {
  const document = { z: { d: 1, c: 2 }, b: { d: 1, c: 2 }, a: [{ d: 1, c: 2 }] };

  const patched = applyJsonPatch(document, [{ op: 'add', path: '/b/a', value: { y: 1, x: 2 } }]);

  expect(JSON.stringify(patched)).toBe(
    '{"a":[{"d":1,"c":2}],"b":{"a":{"y":1,"x":2},"c":2,"d":1},"z":{"d":1,"c":2}}',
  );
});

test.each([
  [
    { op: 'remove', path: '/none' },
    "error in remove for path: '/none': Unable to remove nonexistent key: none: missing value",
  ],
  [
    { op: 'add', path: '/a/x', value: 1 },
    `error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    { op: 'replace', path: '/a/4', value: 1 },
    'replace operation does not apply: doc is missing key: /a/4: missing value',
  ],
  [
    { op: 'move', from: '/n/o', path: '/a' },
    'move operation does not apply: doc is missing from path: /n/o: missing value',
  ],
  [{ op: 'test', path: '/a', value: 1 }, 'testing value /a failed: test failed'],
  [{ op: 'copy', from: '/a' }, 'copy operation failed to decode path: missing value'],
])('the error for a webhook that sends %j gives the reason', (operation, why) => {
  expect(failureOf(() => applyJsonPatch({ a: [] }, [operation]))).toMatchObject({ why });
});

test('a JSON patch with too many operations is answered 413', () => {
  const operations = Array.from({ length: MAX_JSON_PATCH_OPERATIONS + 1 }, () => ({
    op: 'add',
    path: '/a',
    value: 1,
  }));

  const error = failureOf(() => readJsonPatch(JSON.stringify(operations), false));

  expect(error).toMatchObject({ status: 413, reason: 'RequestEntityTooLarge' });
});

test('a JSON patch handles __proto__ as an ordinary field', () => {
  const patched = applyJsonPatch({ a: {} }, [
    { op: 'add', path: '/a/__proto__', value: { polluted: true } },
    { op: 'copy', from: '/a/__proto__', path: '/b' },
  ]);

  expect(JSON.stringify(patched)).toBe(
    '{"a":{"__proto__":{"polluted":true}},"b":{"polluted":true}}',
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('a test operation of a JSON patch treats a missing field as null', () => {
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

test('if a JSON patch does not escape markup, its test operation fails for a stored value, and succeeds for an added value', () => {
  const document = { data: { a: 'x<y', b: 'plain' } };
  const test = (path: string, value: unknown) => ({ op: 'test', path, value });

  expect(applyJsonPatch(document, [test('/data/a', 'x<y')])).toEqual(document);
  expect(applyJsonPatch(document, [test('/data/b', 'plain')], false)).toEqual(document);
  expect(() => applyJsonPatch(document, [test('/data/a', 'x<y')], false)).toThrow(ApiError);
  const added = [{ op: 'add', path: '/data/c', value: 'x<y' }, test('/data/c', 'x<y')];
  expect(applyJsonPatch(document, added, false)).toMatchObject({ data: { c: 'x<y' } });
});

test('a JSON patch that copies its copies again and again is refused before it fills the memory', () => {
  const bomb = Array.from({ length: 40 }, (_, at) => ({
    op: 'copy',
    from: '/data',
    path: `/data/x${at}`,
  }));

  expect(() => applyJsonPatch({ data: { a: 'x'.repeat(100) } }, bomb)).toThrow(
    expect.objectContaining({ status: 422 }),
  );
});
