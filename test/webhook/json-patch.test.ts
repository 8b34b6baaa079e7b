import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../operator/store/freeze.ts';
import { jsonPatchOf } from '../../operator/webhook/review/json-patch.ts';
import { applyJsonPatch } from '../../testing/src/apiserver/patch/json/json-patch.ts';

type Members = Record<string, unknown>;

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, 0, 1, '', 'x', true, 2n ** 60n, 2n ** 60n + 1n),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('a', 'b', '', '~', '/', '~1', 'constructor', '0'), tie('value'), {
      maxKeys: 4,
    }),
  ),
}));
const map = fc.dictionary(
  fc.constantFrom('spec', 'a~/b', 'toString'),
  value,
) as fc.Arbitrary<Members>;

describe('the JSON patch of a changed object', () => {
  test('a JSON patch turns the old object into the new one', () => {
    fc.assert(
      fc.property(map, map, (before, after) => {
        deepFreeze(before);

        const patch = jsonPatchOf(before, after);

        expect(applyJsonPatch(before, patch)).toEqual(after);
      }),
    );
  });

  test('a JSON patch handles inserted, moved and removed list items', () => {
    const list = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const patch = jsonPatchOf({ list: before }, { list: after });

        expect(applyJsonPatch({ list: before }, patch)).toEqual({ list: after });
      }),
    );
  });

  test('a JSON patch is empty if and only if both objects are equal', () => {
    fc.assert(
      fc.property(map, map, (before, after) => {
        const isEqual = JSON.stringify(texts(before)) === JSON.stringify(texts(after));

        expect(jsonPatchOf(before, structuredClone(before))).toEqual([]);
        expect(jsonPatchOf(before, after).length === 0).toBe(isEqual);
      }),
    );
  });

  test('a JSON patch contains only the differences', () => {
    const before = { spec: { replicas: 1, containers: [{ name: 'a' }, { name: 'b', tty: true }] } };
    const after = {
      spec: { replicas: 1, containers: [{ name: 'a' }, { name: 'b' }], paused: true },
    };

    expect(jsonPatchOf(before, after)).toEqual([
      { op: 'remove', path: '/spec/containers/1/tty' },
      { op: 'add', path: '/spec/paused', value: true },
    ]);
  });

  test('a JSON patch distinguishes two integers that a double cannot', () => {
    const patch = jsonPatchOf({ size: 9_007_199_254_740_993n }, { size: 9_007_199_254_740_992 });

    expect(patch).toEqual([{ op: 'replace', path: '/size', value: 9_007_199_254_740_992 }]);
  });

  test('a JSON patch replaces a list that differs in more than a hundred places', () => {
    const before = { list: Array.from({ length: 300 }, (_, at) => at) };
    const after = { list: before.list.map((item) => item + 1_000) };

    expect(jsonPatchOf(before, after)).toEqual([
      { op: 'replace', path: '/list', value: after.list },
    ]);
  });
});

/** With members in one order, and bigints as texts. */
function texts(of: unknown): unknown {
  if (typeof of === 'bigint') return `${of}n`;
  if (Array.isArray(of)) return of.map(texts);
  if (typeof of !== 'object' || of === null) return of;
  const members = Object.entries(of).map(([key, member]) => [key, texts(member)] as const);
  return members.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
