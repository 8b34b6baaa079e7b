/** `docs/guarantees.md` promises nothing that no test holds. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type NamedTest, shareOfNameFound, testsNamedIn } from './named-tests.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/guarantees.md', root), 'utf8');

interface Row extends NamedTest {
  readonly number: string;
}

/** One for each test of each row: | number | promise | `file` › test<br>`file` › test |. */
const rows: readonly Row[] = [...page.matchAll(/^\| ([A-Z]+-?\d+) \| .+? \| (`.+) \|$/gm)].flatMap(
  ([, number = '', tests = '']) => testsNamedIn(tests).map((test) => ({ number, ...test })),
);

/** The statements of the contract, by the letters that the page explains. */
const STATEMENTS: Readonly<Record<string, readonly number[]>> = {
  P: range(1, 21),
  L: [...range(1, 17), ...range(20, 23), ...range(30, 35)],
  W: [
    ...range(1, 4),
    ...range(10, 17),
    20,
    21,
    ...range(25, 27),
    ...range(30, 36),
    ...range(40, 42),
  ],
  C: [...range(1, 6), ...range(10, 23)],
  Q: [...range(1, 6), ...range(20, 24), 30, 31],
  K: [
    ...range(1, 7),
    ...range(10, 14),
    ...range(20, 26),
    ...range(30, 32),
    ...range(40, 48),
    ...range(50, 53),
    ...range(55, 65),
  ],
  M: range(1, 4),
  D: range(1, 5),
  LE: [...range(1, 15), 17],
  H: range(1, 5),
  X: range(1, 3),
  T: range(1, 5),
  F: range(1, 16),
};

test('every statement of the contract has a row', () => {
  const expected = Object.entries(STATEMENTS).flatMap(([letter, numbers]) =>
    numbers.map((number) => `${letter}-${number}`),
  );
  const shown = new Set(rows.map(({ number }) => number));

  expect(expected.filter((number) => !shown.has(number))).toEqual([]);
});

test('every row of the page is read', () => {
  const lines = page.split('\n').filter((line) => /^\| [A-Z]+-?\d+ \|/.test(line));

  expect(new Set(rows.map(({ number }) => number)).size).toBeGreaterThan(200);
  expect(lines.filter((line) => !/ \| `[^`]+\.ts` › .+ \|$/.test(line))).toEqual([]);
});

describe('the test of', () => {
  test.each(
    rows.map(({ number, file, name }) => [number, file, name] as const),
  )('%s is in %s: %s', (_number, file, name) => {
    expect(shareOfNameFound({ file, name })).toBeGreaterThanOrEqual(0.5);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
