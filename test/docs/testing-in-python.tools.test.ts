/**
 * The example of the page about tests in Python, copied from the page and run as its readers do.
 *
 * @module-tag python3-kubernetes
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { folderWithTools } from '../tools/links.ts';
import { pathOf } from '../tools/tools.ts';
import { PATIENCE, runPage } from './language-pages.ts';

test('the example for pytest and the official client passes', PATIENCE, async () => {
  const tools = folderWithTools();
  symlinkSync(pathOf('python3-kubernetes'), join(tools, 'python3'));
  const PATH = `${tools}:${process.env.PATH}`;

  const { exit, stdout, stderr } = runPage('guides/test/in-python.md', { PATH });

  expect(await exit, [...stdout.lines, ...stderr.lines].join('\n')).toBe(0);
  expect(stdout.lines.at(-1)).toMatch(/\b2 passed\b/);
});
