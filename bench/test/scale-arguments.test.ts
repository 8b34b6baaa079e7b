import { expect, test } from 'vitest';
import { parseScaleArguments, usage } from '../scale/arguments.ts';
import { CASES, SCENARIOS } from '../scale/cases.ts';
import { chosen, linkFrom } from '../scale/scale.ts';

const parse = (...words: readonly string[]): ReturnType<typeof parseScaleArguments> =>
  parseScaleArguments(words, SCENARIOS);

test('no words ask for everything, on standard output, with plots where documents look for them', () => {
  expect(parse()).toEqual({ quick: false, only: [], output: undefined, plots: 'docs/plots' });
});

test('--only names scenarios, again and again', () => {
  const words = ['--quick', '--only', 'storm', '--only', 'growth', '-o', 'a.md', '--plots', 'p'];

  expect(parse(...words)).toEqual({
    quick: true,
    only: ['storm', 'growth'],
    output: 'a.md',
    plots: 'p',
  });
});

test('--help wins, and names every scenario', () => {
  expect(parse('--help', '--quick')).toBe('help');
  for (const name of SCENARIOS) expect(usage(SCENARIOS)).toContain(name);
});

test.each([
  [['--only', 'nothing'], /nothing; there are: sources, growth/],
  [['--fast'], /--fast/],
  [['report.md'], /report\.md/],
])('%j is wrong, and it is said how', (words, wrong) => {
  expect(parse(...words)).toEqual({ wrong: expect.stringMatching(wrong) });
});

test('everything is every case; --only and --quick leave fewer, and no scenario is left out of the latter', () => {
  expect(chosen({ quick: false, only: [] })).toEqual(CASES);
  expect(chosen({ quick: false, only: ['storm'] }).map(({ scenario }) => scenario)).toEqual(
    Array.from({ length: 4 }, () => 'storm'),
  );
  const quick = chosen({ quick: true, only: [] });
  expect(quick.length).toBeLessThan(CASES.length / 2);
  expect(new Set(quick.map(({ scenario }) => scenario))).toEqual(new Set(SCENARIOS));
});

test('no two cases have the same row', () => {
  const rows = CASES.map(({ scenario, title }) => `${scenario} ${title}`);

  expect(new Set(rows).size).toBe(rows.length);
});

test('links lead from the folder of the document to that of the plots', () => {
  expect(linkFrom('docs', 'docs/plots')).toBe('plots');
  expect(linkFrom('docs', 'elsewhere/plots')).toBe('../elsewhere/plots');
  expect(linkFrom('docs', 'docs')).toBe('.');
});
