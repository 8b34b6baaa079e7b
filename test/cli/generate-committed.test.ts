/** The committed manifests of the examples are those that `chancery generate` writes. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TREES } from '../../examples/trees.ts';
import { invoke } from './invocation.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

test.each(
  Object.entries(TREES),
)('the committed files of %s are the same as the generated ones', async (_, words) => {
  const inRepository = words.map((word) =>
    /^(?:examples|manifests)(?:\/|$)/.test(word) ? join(REPOSITORY, word) : word,
  );

  const { exit, stdout } = invoke(['generate', 'manifests', '--check', ...inRepository]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
});

test('each example with an operator, hooks or controllers has a tree of generated files', () => {
  const operators = readdirSync(join(REPOSITORY, 'examples')).filter((name) =>
    ['operator.ts', 'hooks', 'controllers'].some((file) =>
      existsSync(join(REPOSITORY, 'examples', name, file)),
    ),
  );

  expect(Object.keys(TREES).sort()).toEqual(operators.sort());
});
