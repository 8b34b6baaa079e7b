/**
 * `npm run test:all`: everything that a change has to pass. All lanes, the checks and the build,
 * properties with 1,000 runs each, and the page of guarantees held against the reports of what ran.
 *
 * The last line of standard output is `N passed, N failed`, with `, N skipped` where tests were skipped.
 * Exit codes: 0 when nothing failed, 1 when something did, 2 for wrong arguments.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { LANES } from '../../vitest.config.ts';
import { stateOf, toolNamed } from '../tools/tools.ts';
import { type Counts, sumOf, testCounts } from './counts.ts';

const USAGE = `usage: npm run test:all [-- --npm-test REPORT]

  --npm-test REPORT          npm test has run already, and this is its JSON report
  --npm-test-exit-code CODE  what it ended with; default 0
`;

/** Several times what the longest one takes, also on a slow machine. A run that hangs fails, and the next one begins. */
const LIMIT_MS = 30 * 60_000;

const { values } = readArguments();
const folder = mkdtempSync(join(tmpdir(), 'chancery-reports-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const all: Counts[] = [];
const reports: string[] = [];
/** Told at the end, where a log that keeps only its last lines still has them. */
const failures: string[] = [];

if (values['npm-test'] === undefined) await lane('npm test', ['test', '--']);
else addReport('npm test', values['npm-test'], Number(values['npm-test-exit-code'] ?? 0));
// The third part of check, the tests of architecture, runs in the lanes. With one thread the compiler checks each file once.
await step('types', ['run', 'check', '--', 'types', '--singleThreaded']);
await step('lint', ['run', 'check', '--', 'lint']);
await step('build', ['run', 'build']);
const others = [...Object.keys(LANES), 'long'].map((name) => `--project=${name}`);
const hasKubectl = stateOf(toolNamed('kubectl')).state === 'found';
const later = ['again-properties', ...(hasKubectl ? ['kubectl-proxy'] : [])];
await lane('the other lanes', ['exec', '--', 'vitest', 'run', ...others], {
  LATER_LANES: later.join(' '),
});
await lane('test:tools', ['run', 'test:tools', '--']);
await lane('again', ['exec', '--', 'vitest', 'run', '--project=again-properties']);
await step('guarantees', ['exec', '--', 'node', 'test/lanes/guarantees-shown.ts', ...reports]);

for (const failure of failures) process.stdout.write(`test:all: FAILED: ${failure}\n`);
const { passed, failed, skipped } = sumOf(all);
process.stdout.write(
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
);
process.exit(failed === 0 ? 0 : 1);

/** Runs vitest, and counts its tests. */
async function lane(
  name: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const report = join(folder, `${name.replace(/\W/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  addReport(name, report, await npm(name, [...command, ...reporters], environment));
}

function addReport(name: string, report: string, exitCode: number): void {
  const counts = testCounts(readIfThere(report), exitCode);
  if (counts.failed > 0)
    failures.push(
      `${name}: ${counts.why}`,
      ...(counts.failures ?? []).map((failure) => `  ${failure}`),
    );
  all.push(counts);
  reports.push(report);
}

/** Runs what counts as one check. */
async function step(name: string, command: readonly string[]): Promise<void> {
  const isPassed = (await npm(name, command)) === 0;
  if (!isPassed) failures.push(name);
  all.push({ passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0 });
}

/** Its exit code; 1 when it was killed at the limit, with every process that it had started. */
async function npm(
  name: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  process.stdout.write(`test:all: ${name}: npm ${command.join(' ')}\n`);
  const child = spawn('npm', command, {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, ...environment },
  });
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const interrupted = (): void => {
    kill();
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  const limit = setTimeout(() => {
    process.stdout.write(`test:all: ${name} did not end in ${LIMIT_MS / 60_000} minutes: killed\n`);
    kill();
  }, LIMIT_MS);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  process.off('SIGINT', interrupted);
  return exitCode ?? 1;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readArguments(): {
  readonly values: { readonly 'npm-test'?: string; readonly 'npm-test-exit-code'?: string };
} {
  try {
    return parseArgs({
      options: { 'npm-test': { type: 'string' }, 'npm-test-exit-code': { type: 'string' } },
    });
  } catch (error) {
    process.stderr.write(`test:all: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}
