/** Tests that the toolkit writes for its users: checked by the compiler and run by vitest, as in a project. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { start } from '../cli/child.ts';
import { exampleFolder } from '../docs/guide.ts';
import { reportFrom } from '../lanes/vitest-report.ts';
import { complaintsOf } from '../scaffold/support/project.ts';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** The names of the toolkit lead to its sources, as in the tests of this repository. */
const CONFIG = `import base from '../vitest.config.ts';

export default {
  resolve: base.resolve,
  test: { include: ['**/*.test.ts'], pool: 'forks', maxWorkers: 2, isolate: false },
};
`;

/** What somebody may turn on besides what a new project has. */
const STRICT = ['--noUnusedLocals', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];

/** A folder for projects, each in a folder of its own below it. */
export function folderForTests(): string {
  const folder = exampleFolder();
  writeFileSync(join(folder, 'vitest.config.ts'), CONFIG);
  const tsconfig = { extends: 'chancery/tsconfig.json', include: ['*/*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  return folder;
}

/** What the compiler says of all projects: empty when nothing is wrong. */
export function typeErrors(folder: string): Promise<string> {
  return complaintsOf(folder, ...STRICT);
}

/** What a test came to: `passed`, or why it has failed. */
export type Result = 'passed' | string;

/** Runs the tests of all projects, and answers the result of each project, which has one test. */
export async function resultsOf(folder: string): Promise<Readonly<Record<string, Result>>> {
  const file = join(folder, 'report.json');
  const args = ['run', '--root', folder, '--reporter=json', `--outputFile=${file}`];
  const { exit, stderr } = start(process.execPath, [VITEST, ...args], { NO_COLOR: '1' }, folder);
  await exit;
  const text = readReport(file, () => stderr.lines.join('\n'));
  return Object.fromEntries(
    reportFrom(text).testResults.map(({ name, message, assertionResults: [test, ...others] }) => {
      if (test === undefined || others.length > 0) throw new Error(`${name}: ${message}`);
      const { status, failureMessages: [why = status] = [] } = test;
      return [relative(folder, dirname(name)), status === 'passed' ? status : why];
    }),
  );
}

function readReport(file: string, why: () => string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`vitest has written no report: ${why()}`, { cause });
  }
}
