import { expect, test } from 'vitest';
import { parseBenchArguments } from '../arguments.ts';

const names = ['chancery-envelope', 'pod-10k'];
const parse = (...words: readonly string[]): ReturnType<typeof parseBenchArguments> =>
  parseBenchArguments(words, names);

test('no words ask for everything, in five rounds, on standard output', () => {
  expect(parse()).toEqual({
    quick: false,
    only: [],
    rounds: 5,
    against: undefined,
    output: undefined,
    withinSeconds: undefined,
    baseline: undefined,
    check: false,
    accept: false,
  });
});

test('--quick has fewer rounds, unless it is told how many', () => {
  expect(parse('--quick')).toMatchObject({ quick: true, rounds: 3, withinSeconds: 290 });
  expect(parse('--quick', '--rounds', '1')).toMatchObject({ quick: true, rounds: 1 });
});

test('--against has 15 rounds, unless it is told how many', () => {
  expect(parse('--against', '../old')).toMatchObject({ against: '../old', rounds: 15 });
  expect(parse('--against', '../old', '--rounds', '20')).toMatchObject({ rounds: 20 });
});

test('--only may name subjects and works', () => {
  const words = ['--only', 'pod-10k', '--only', 'chancery-envelope', '-o', 'report.md', '--check'];

  expect(parse(...words)).toMatchObject({
    only: ['pod-10k', 'chancery-envelope'],
    output: 'report.md',
    check: true,
  });
});

test('--within and --baseline are taken as they are', () => {
  expect(parse('--quick', '--within', '20', '--baseline', 'b.json')).toMatchObject({
    withinSeconds: 20,
    baseline: 'b.json',
  });
});

test('--help wins', () => {
  expect(parse('--help', '--quick')).toBe('help');
});

test.each([
  [['--only', 'nobody'], /nobody; there are: chancery-envelope, pod-10k/],
  [['--rounds', '0'], /--rounds must be a whole number from 1 to 99999, not "0"/],
  [['--rounds', '1.5'], /not "1.5"/],
  [['--within', '0'], /--within must be a whole number/],
  [['--against', 'old', '--quick'], /--against goes with none of --quick/],
  [['--against', 'old', '--check'], /--against goes with none of/],
  [['--against', 'old', '--accept'], /--against goes with none of/],
  [['--against', 'old', '--baseline', 'b.json'], /--against goes with none of/],
  [['--fast'], /--fast/],
  [['report.md'], /report\.md/],
])('%j is wrong, and it is said how', (words, wrong) => {
  expect(parse(...words)).toEqual({ wrong: expect.stringMatching(wrong) });
});
