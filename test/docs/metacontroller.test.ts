/** docs/reference/metacontroller-contract.md; `claims.test.ts` has the tests that its rows need. */
import { expect, test } from 'vitest';
import { guide, rowsOf } from './guide.ts';

const [written = ''] = guide('reference/metacontroller-contract.md').split('## The tests');

/** Number, contract, here. */
const rows = rowsOf(written).filter(([first]) => first !== 'row');

test('each row of metacontroller-contract.md says that chancery does the same, or how it differs', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  expect(rows.filter(([, , here = '']) => !/^(?:same\b|different: )/.test(here))).toEqual([]);
});

test('each row of metacontroller-contract.md has a number, which the tags in test titles use', () => {
  expect(rows.filter(([number = '']) => !/^\d+$/.test(number))).toEqual([]);
});
