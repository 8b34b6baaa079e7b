/** docs/guides/write/metacontroller.md and docs/reference/metacontroller-contract.md name what there is. */
import { expect, test } from 'vitest';
import { guide, rowsOf } from './guide.ts';
import { isThere, testsNamedIn } from './named-tests.ts';

/** Contract, here, tests. */
const rows = rowsOf(guide('reference/metacontroller-contract.md')).filter(
  ([first]) => first !== 'contract',
);

test('each row of the contract is the same here, or says how it differs', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  expect(rows.filter(([, here = '']) => !/^(?:the same|different: )/.test(here))).toEqual([]);
});

test('each row of the contract names tests that there are', () => {
  const missing = rows.flatMap(([contract, , cell = '']) =>
    testsNamedIn(cell)
      .filter((each) => !isThere(each))
      .map(({ file, title }) => `${contract}: ${file} › ${title}`),
  );

  expect(missing).toEqual([]);
});
