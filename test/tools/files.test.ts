/** Which lane a file of tests is in: by its name, and by the programs that it starts. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tagsOf } from './lane.ts';
import { TOOLS } from './tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const files = globSync('{test,testing/test,examples,bench/test}/**/*.test.ts', { cwd: root });
const isTools = (path: string): boolean => path.endsWith('.tools.test.ts');
const names = TOOLS.map(({ name }) => name);

test('every test file that starts tools lists these tools', () => {
  const untold = files.filter((path) => isTools(path) && tagsOf(read(path)).length === 0);

  expect(files.filter(isTools).length).toBeGreaterThan(40);
  expect(untold).toEqual([]);
});

test('a test file that is not for tools does not look for a tool', () => {
  const asks = new RegExp(`(?:pathOf|folderWithTools)\\('(?:${names.join('|')})'|KUBECTLS\\b`);
  const wrong = files.filter(
    (path) => !isTools(path) && !path.startsWith('test/tools/') && asks.test(read(path)),
  );

  expect(wrong).toEqual([]);
});

test('every property test takes the number of its runs from the same setting', () => {
  const wrong = files.filter((path) => /\bnumRuns:/.test(read(path)));

  expect(wrong).toEqual([]);
});
