import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  intersectionOf,
  pathsOf,
  unionOf,
} from '../../../../src/apiserver/patch/fields/field-set.ts';
import { fromFieldsV1, toFieldsV1 } from '../../../../src/apiserver/patch/fields/fields-v1.ts';
import type { FieldPath } from '../../../../src/apiserver/patch/fields/path-element.ts';

const element = fc.constantFrom('f:a', 'f:b', 'f:__proto__', 'k:{"name":"x"}', 'v:"x"', 'i:0');
const path: fc.Arbitrary<FieldPath> = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

/** The same set in the simplest form there is. */
function plain(all: readonly FieldPath[]): ReadonlySet<string> {
  return new Set(all.map((one) => JSON.stringify(one)));
}

function plainOf(set: FieldSet): ReadonlySet<string> {
  return plain(pathsOf(set));
}

test('field sets have the same union, difference and intersection as the sets of their paths', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [fieldSetOf(left), fieldSetOf(right)];
      const [plainA, plainB] = [plain(left), plain(right)];

      expect(plainOf(unionOf(a, b))).toEqual(new Set([...plainA, ...plainB]));
      expect(plainOf(differenceOf(a, b))).toEqual(
        new Set([...plainA].filter((one) => !plainB.has(one))),
      );
      expect(plainOf(intersectionOf(a, b))).toEqual(
        new Set([...plainA].filter((one) => plainB.has(one))),
      );
    }),
  );
});

test('fieldsV1 represents exactly the paths of a field set', () => {
  fc.assert(
    fc.property(paths, (all) => {
      const set = fieldSetOf(all);

      const back = fromFieldsV1(JSON.parse(JSON.stringify(toFieldsV1(set))));

      expect(back && plainOf(back)).toEqual(plain(all));
    }),
  );
});
