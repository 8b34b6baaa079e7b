import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./prove.ts', import.meta.url));

/** `npm run prove -- faults ARGS`. */
function prove(...args: readonly string[]): {
  code: number | null;
  stdout: string;
  stderr: string;
} {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=chancery-source', PROGRAM, ...args],
    { encoding: 'utf8' },
  );
  return { code: status, stdout, stderr };
}

test('the program `prove` finds one fault and prints its story, and the corrected operator passes', () => {
  const { code, stdout } = prove('--only', 'order of two', '--seconds', '5', '--stories');

  expect(stdout).toMatch(
    /^ {2}found {3}a Deployment finds its ConfigMap: 1 deviations, schedule \d+/m,
  );
  expect(stdout).toMatch(/^1\. /m);
  expect(stdout).toMatch(/^ {2}passed {2}\d+ schedules, \d+ states, bound \d+, ended by \w+/m);
  expect(stdout).toMatch(/^1 of 1 faults found, and passed without/m);
  expect(code).toBe(0);
});

test.each([
  [['--only', 'no such fault'], '--only no such fault: no fault has this in its name or source'],
  [['--seconds', '0'], '--seconds 0: not a whole number above 0'],
])('the program `prove` exits with 2 after a wrong command line: %j', (args, problem) => {
  const { code, stdout, stderr } = prove(...args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`${problem}\n\nusage: npm run prove -- faults`);
});
