/** New projects inside the repository, where `chancery` and `@chancery/testing` are found by their names. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LoggedRequest } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { type Invocation, invoke } from '../../cli/invocation.ts';
import { exampleFolder } from '../../docs/guide.ts';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const RECORDER = fileURLToPath(new URL('./record-requests.ts', import.meta.url));

export interface Project {
  readonly folder: string;
  /** `chancery create api OPTION…` in the project. */
  create(...options: readonly string[]): Invocation;
}

/** The project that `chancery init NAME OPTION…` writes, in a folder of its own. */
export function newProject(name: string, ...options: readonly string[]): Promise<Project> {
  return newProjectIn(exampleFolder(), name, ...options);
}

/** The same, in `parent`. */
export async function newProjectIn(
  parent: string,
  name: string,
  ...options: readonly string[]
): Promise<Project> {
  const folder = join(parent, name);
  await done(invoke(['init', folder, ...options]));
  const module = join(folder, 'src/operator.ts');
  return {
    folder,
    create: (...more) => invoke(['create', 'api', '--module', module, ...more]),
  };
}

/** Resolves when a command has ended well. @throws Error with what it said when it has not. */
export async function done({ exit, stderr }: Invocation): Promise<void> {
  if ((await exit) !== 0) throw new Error(stderr.lines.join('\n'));
}

/** The text of each file below a folder, by its path. */
export function textsBelow(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
  );
}

/** What `tsc` complains about, with the sources of the toolkit in the place of its types. */
export async function complaintsOf(folder: string, ...flags: readonly string[]): Promise<string> {
  const tsc = join(REPOSITORY, 'node_modules/.bin/tsc');
  const args = ['-p', folder, '--customConditions', 'chancery-source', ...flags];
  return run(tsc, args, { cwd: folder }).then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  );
}

/** Runs the tests of a project. Resolves to the requests of its operator. @throws when a test fails. */
export async function requestsOfTests({ folder }: Project): Promise<readonly LoggedRequest[]> {
  const log = mkdtempSync(join(tmpdir(), 'chancery-requests-'));
  onTestFinished(() => rmSync(log, { recursive: true }));
  const file = join(log, 'requests.json');
  // All in one process: loading the toolkit is most of the time of a file.
  const flags = ['--conditions=chancery-source', `--import=${RECORDER}`, '--test-isolation=none'];
  await run(process.execPath, [...flags, '--test', 'src/**/*.test.ts'], {
    cwd: folder,
    // A runner within a runner would report to the outer one.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, CHANCERY_TEST_REQUESTS: file },
  }).catch((error: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  return JSON.parse(readFileSync(file, 'utf8'));
}
