/** The command with numbers that say nothing about speed: that it starts everything, measures it, and reports it. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../../docs/readme.ts';

const MAIN = 'test/measure/sharding/main.ts';

function run(...words: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=chancery-source', MAIN, ...words],
    { cwd: root, encoding: 'utf8' },
  );
  return { code: status, stdout, stderr };
}

/** Titles of rows, and the numbers of their rounds. */
function roundsIn(report: string): ReadonlyMap<string, string> {
  const cells = report
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll('|', '').trim()));
  return new Map(
    cells.map((row) => [row[0] ?? '', row.length === 4 ? (row[3] ?? '') : (row[4] ?? '')]),
  );
}

test('each part of the measurement reports targets and figures, and its results are the same with and without sharding', {
  timeout: 300_000,
}, () => {
  const sizes = ['--keys=8', '--cpu-ms=1', '--light-keys=8', '--objects=40', '--bytes=100'];

  const { code, stdout, stderr } = run(
    '--rounds=1',
    '--idle-seconds=1',
    '--lease-seconds=6',
    ...sizes,
  );

  const progress = stderr.match(/^\w+, round 1: /gm); // beside the logs of operators
  expect(progress).toEqual(['work, round 1: ', 'shares, round 1: ', 'single, round 1: ']);
  expect(stdout).toMatch(
    /replicas pinned to the cores|processes are not pinned: taskset is not here/,
  );
  expect(stdout).not.toContain('writes: no');
  const rounds = roundsIn(stdout);
  expect(rounds.size).toBe(28);
  expect([...rounds].filter(([, count]) => !['1', 'rounds'].includes(count))).toEqual([]);
  expect(code).toBe(stdout.includes('**missed**') ? 1 : 0);
});

test.each([
  [['--only=speed'], '--only knows work, shares and single, and not "speed"'],
  [['--rounds=0'], '--rounds takes a whole number, 1 or more'],
  [['--lease-seconds=7'], '--lease-seconds takes 6, 9, 12'],
  [['--fast'], "Unknown option '--fast'"],
])('the measurement refuses the arguments %j, and prints the reason and the usage', (words, reason) => {
  const { code, stdout, stderr } = run(...words);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(reason);
  expect(stderr).toContain('usage: npm run measure -- sharding');
});
