import { expect, test } from 'vitest';
import { applyMergePatch } from '../../../../src/apiserver/patch/json/merge-patch.ts';

// The cases of RFC 7386, appendix A, whose patch is an object.
test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('the document %j with the merge patch %j becomes %j', (document, patch, expected) => {
  const before = JSON.stringify(document);

  const patched = applyMergePatch(document, patch);

  expect(patched).toEqual(expected);
  expect(JSON.stringify(document)).toBe(before);
});

test.each([[7], ['text'], [null]])('the merge patch %j is refused with 400', (patch) => {
  expect(() => applyMergePatch({}, patch)).toThrow(
    expect.objectContaining({ message: '400 BadRequest: Invalid JSON Patch' }),
  );
});

test('a merge patch that is a list replaces the whole document, and loses the nulls in its objects', () => {
  expect(applyMergePatch({ a: 1 }, [null, { b: null, c: 1 }])).toEqual([null, { c: 1 }]);
});

test('nulls in a list of a merge patch stay only if the list replaces an object', () => {
  const document = { object: {}, text: 'x' };
  const list = [{ gone: null }];

  const patched = applyMergePatch(document, { object: list, text: list, absent: list });

  expect(patched).toEqual({ object: [{ gone: null }], text: [{}], absent: [{}] });
});

test('a merge patch handles __proto__ as an ordinary field', () => {
  const patch = JSON.parse('{"data":{"__proto__":{"polluted":true},"constructor":"x"}}');

  const patched = applyMergePatch({ data: { a: '1' } }, patch);

  expect(JSON.stringify(patched)).toBe(
    '{"data":{"__proto__":{"polluted":true},"a":"1","constructor":"x"}}',
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
