/** What is committed of the examples is what would be generated. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PACKAGES, POLICIES, TREES } from '../../examples/trees.ts';
import { invoke } from './invocation.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

const COMMITTED = [
  ...Object.entries(TREES).map(([name, words]) => [name, ['manifests', ...words]] as const),
  ...Object.entries(POLICIES),
  ...Object.entries(PACKAGES),
];

test.each(
  COMMITTED,
)('npm run generate has nothing to write for %s: what is committed is what is generated', async (_, [
  what = '',
  ...words
]) => {
  const inRepository = words.map((word) =>
    /^(?:examples|manifests)(?:\/|$)/.test(word) ? join(REPOSITORY, word) : word,
  );

  const { exit, stdout } = invoke(['generate', what, '--check', ...inRepository]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
});

test('there is a tree of every operator, and of every folder of hooks and of controllers under examples/', () => {
  const operators = readdirSync(join(REPOSITORY, 'examples')).filter((name) =>
    ['operator.ts', 'hooks', 'controllers'].some((file) =>
      existsSync(join(REPOSITORY, 'examples', name, file)),
    ),
  );

  expect(Object.keys(TREES).sort()).toEqual(operators.sort());
});
