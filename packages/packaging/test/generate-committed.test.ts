/** The committed policies, charts and bundles of the examples are those that `chancery generate` writes. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PACKAGES, POLICIES } from '../../../examples/trees.ts';
import { invoke } from '../../../test/cli/invocation.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

test.each([
  ...Object.entries(POLICIES),
  ...Object.entries(PACKAGES),
])('the committed files of %s are current', async (_name, [what = '', ...words]) => {
  const inRepository = words.map((word) =>
    /^(?:examples|manifests)(?:\/|$)/.test(word) ? join(REPOSITORY, word) : word,
  );

  const { exit, stdout } = invoke(['generate', what, '--check', ...inRepository]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
});
