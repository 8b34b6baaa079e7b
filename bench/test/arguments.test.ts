import { expect, test } from 'vitest';
import { parseBenchArguments } from '../arguments.ts';

const names = ['chancery-envelope', 'pod-10k'];
const parse = (...words: readonly string[]): ReturnType<typeof parseBenchArguments> =>
  parseBenchArguments(words, names);

test('without arguments everything is measured in five rounds, and the report goes to standard output', () => {
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

test('with --quick there are fewer rounds, unless --rounds is given', () => {
  expect(parse('--quick')).toMatchObject({ quick: true, rounds: 3, withinSeconds: 290 });
  expect(parse('--quick', '--rounds', '1')).toMatchObject({ quick: true, rounds: 1 });
});

test('with --against there are 15 rounds, unless --rounds is given', () => {
  expect(parse('--against', '../old')).toMatchObject({ against: '../old', rounds: 15 });
  expect(parse('--against', '../old', '--rounds', '20')).toMatchObject({ rounds: 20 });
});

test('--only accepts names of subjects and of workloads', () => {
  const words = ['--only', 'pod-10k', '--only', 'chancery-envelope', '-o', 'report.md', '--check'];

  expect(parse(...words)).toMatchObject({
    only: ['pod-10k', 'chancery-envelope'],
    output: 'report.md',
    check: true,
  });
});

test('the values of --within and --baseline are used, even with --quick', () => {
  expect(parse('--quick', '--within', '20', '--baseline', 'b.json')).toMatchObject({
    withinSeconds: 20,
    baseline: 'b.json',
  });
});

test('--help takes precedence over other options', () => {
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
])('the arguments %j are refused with a message that says why', (words, wrong) => {
  expect(parse(...words)).toEqual({ wrong: expect.stringMatching(wrong) });
});
