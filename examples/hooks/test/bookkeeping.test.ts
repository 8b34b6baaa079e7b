/** The figures of the demonstration: it must be able to fail. */
import { expect, test } from 'vitest';
import { parseDemoArguments } from '../demo/arguments.ts';
import { doubled, type Run, repetitions } from '../demo/bookkeeping.ts';
import { HookLog } from '../demo/hook-log.ts';

const write = (target: string, value: string) => ({ target, value });
const run = (atMs: number, ...values: readonly string[]): Run => ({
  atMs,
  writes: values.map((value) => write('web', value)),
});
const KILL = { what: 'the leader', fromMs: 100, untilMs: 200 };

test('a repeated write counts as explained only if a process was killed while the hook ran', () => {
  const runs = [run(10, 'a'), run(150, 'a', 'b'), run(300, 'b'), run(310, 'c')];

  const found = repetitions(runs, [KILL]);

  expect(found.map(({ run: { atMs }, earlier, kill }) => [atMs, earlier.atMs, kill?.what])).toEqual(
    [
      [150, 10, 'the leader'],
      [300, 150, undefined],
    ],
  );
});

test('a run that repeats writes of several earlier runs counts as one repetition of the latest of these runs', () => {
  const found = repetitions([run(10, 'a'), run(20, 'b'), run(150, 'a', 'b')], [KILL]);

  expect(found.map(({ earlier }) => earlier.atMs)).toEqual([20]);
});

test('a write counts as doubled if its target already had the same value at an earlier time', () => {
  const effects = [write('web', 'a'), write('shop', 'a'), write('web', 'b'), write('web', 'a')];

  expect(doubled(effects)).toEqual([write('web', 'a')]);
});

test('the log of a runner is parsed into runs, variables and files', () => {
  const log = new HookLog(() => 7);
  const patch = {
    name: 'web',
    mergePatch: { spec: { template: { metadata: { annotations: { 'settings/sha256': 'a' } } } } },
  };
  const lines = ['variable A=1 2', 'file /tmp/x', '::: Modified settings', JSON.stringify(patch)];

  for (const line of lines) log.take({ msg: 'the hook wrote', line });
  log.take({ msg: 'something else', line: '::: Modified other' });

  expect(log.runs).toEqual([{ atMs: 7, writes: [write('web', 'a')] }]);
  expect({ variables: log.variables, files: log.files }).toEqual({
    variables: ['A'],
    files: ['/tmp/x'],
  });
});

test.each([
  [['--changes', '0'], { wrong: '--changes takes a whole number, not 0' }],
  [['--help'], 'help'],
  [[], { changes: 1_000, objects: 100, runs: 200 }],
])('the command line %j is parsed as expected', (words, expected) => {
  expect(parseDemoArguments(words)).toEqual(expected);
});
