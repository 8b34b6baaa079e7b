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
])('%j with %j gives %j', (document, patch, expected) => {
  const before = JSON.stringify(document);

  const patched = applyMergePatch(document, patch);

  expect(patched).toEqual(expected);
  expect(JSON.stringify(document)).toBe(before);
});

test.each([[[]], ['text'], [null]])('%j is no merge patch: 400', (patch) => {
  expect(() => applyMergePatch({}, patch)).toThrow(
    expect.objectContaining({ status: 400, reason: 'BadRequest' }),
  );
});

test('__proto__ is a name like any other', () => {
  const patch = JSON.parse('{"data":{"__proto__":{"polluted":true},"constructor":"x"}}');

  const patched = applyMergePatch({ data: { a: '1' } }, patch);

  expect(JSON.stringify(patched)).toBe(
    '{"data":{"a":"1","__proto__":{"polluted":true},"constructor":"x"}}',
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
