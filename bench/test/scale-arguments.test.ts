import { expect, test } from 'vitest';
import { parseScaleArguments, usage } from '../scale/arguments.ts';
import { CASES, SCENARIOS } from '../scale/cases.ts';
import { chosen, linkFrom } from '../scale/scale.ts';

const parse = (...words: readonly string[]): ReturnType<typeof parseScaleArguments> =>
  parseScaleArguments(words, SCENARIOS);

test('without arguments all cases run, the report goes to standard output, and plots go to docs/plots', () => {
  expect(parse()).toEqual({ quick: false, only: [], output: undefined, plots: 'docs/plots' });
});

test('--only can be repeated to select several scenarios', () => {
  const words = ['--quick', '--only', 'storm', '--only', 'growth', '-o', 'a.md', '--plots', 'p'];

  expect(parse(...words)).toEqual({
    quick: true,
    only: ['storm', 'growth'],
    output: 'a.md',
    plots: 'p',
  });
});

test('--help takes precedence over other options, and lists every scenario', () => {
  expect(parse('--help', '--quick')).toBe('help');
  for (const name of SCENARIOS) expect(usage(SCENARIOS)).toContain(name);
});

test.each([
  [['--only', 'nothing'], /nothing; there are: sources, growth/],
  [['--fast'], /--fast/],
  [['report.md'], /report\.md/],
])('the arguments %j are refused with a message that says why', (words, wrong) => {
  expect(parse(...words)).toEqual({ wrong: expect.stringMatching(wrong) });
});

test('by default all cases run; --only selects scenarios, and --quick keeps some cases of each scenario', () => {
  expect(chosen({ quick: false, only: [] })).toEqual(CASES);
  expect(chosen({ quick: false, only: ['storm'] }).map(({ scenario }) => scenario)).toEqual(
    Array.from({ length: 4 }, () => 'storm'),
  );
  const quick = chosen({ quick: true, only: [] });
  expect(quick.length).toBeLessThan(CASES.length / 2);
  expect(new Set(quick.map(({ scenario }) => scenario))).toEqual(new Set(SCENARIOS));
});

test('no two cases have the same scenario and title', () => {
  const rows = CASES.map(({ scenario, title }) => `${scenario} ${title}`);

  expect(new Set(rows).size).toBe(rows.length);
});

test('links to plots are relative to the folder of the document', () => {
  expect(linkFrom('docs', 'docs/plots')).toBe('plots');
  expect(linkFrom('docs', 'elsewhere/plots')).toBe('../elsewhere/plots');
  expect(linkFrom('docs', 'docs')).toBe('.');
});
