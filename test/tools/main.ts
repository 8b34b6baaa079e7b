/**
 * `npm run test:tools`: tells which real programs are here, then runs the tests that start them.
 * Arguments go to vitest.
 *
 * Exit codes: those of vitest; 1 with `CI=true` when a tool is missing.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { laneOf, tableOf } from './lane.ts';
import { stateOf, TOOLS } from './tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const states = TOOLS.map((tool) => stateOf(tool));
const files = globSync('{test,testing/test,packages/*/test,examples}/**/*.tools.test.ts', {
  cwd: root,
}).map((path) => ({
  path,
  text: readFileSync(`${root}${path}`, 'utf8'),
}));
const { exclude, projects, notShown, missing } = laneOf(states, files);

process.stdout.write(`${tableOf(states, files)}\n`);
if (missing.length > 0 && process.env.CI === 'true') {
  process.stderr.write(`test:tools: missing, and CI=true: ${missing.join(', ')}\n`);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [
    `${root}node_modules/vitest/vitest.mjs`,
    'run',
    ...projects.map((name) => `--project=${name}`),
    ...exclude.map((path) => `--exclude=${path}`),
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
for (const line of notShown) process.stdout.write(`not shown: ${line}\n`);
process.exit(status ?? 1);
