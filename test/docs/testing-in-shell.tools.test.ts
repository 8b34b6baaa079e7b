/**
 * The example of the page about tests with a shell, copied from the page and run as its readers do.
 *
 * @module-tag kubectl
 * @module-tag curl
 * @module-tag jq
 * @module-tag bash
 */
import process from 'node:process';
import { expect, test } from 'vitest';
import { folderWithTools } from '../tools/links.ts';
import { PATIENCE, runPage } from './language-pages.ts';

test('the example for tests in a shell passes', PATIENCE, async () => {
  const tools = folderWithTools('kubectl', 'curl', 'jq', 'bash');

  const { exit, stdout, stderr } = runPage('guides/test/in-shell.md', {
    PATH: `${tools}:${process.env.PATH}`,
  });

  expect(await exit, [...stdout.lines, ...stderr.lines].join('\n')).toBe(0);
  expect(stdout.lines.at(-1)).toBe('passed');
});
