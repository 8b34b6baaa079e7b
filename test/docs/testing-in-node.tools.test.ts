/**
 * The example of the page about tests in Node, copied from the page and run as its readers do.
 *
 * @module-tag client-node
 */
import { expect, test } from 'vitest';
import { pathOf } from '../tools/tools.ts';
import { PATIENCE, runPage } from './language-pages.ts';

test('the example for node:test and the official client passes', PATIENCE, async () => {
  const packages = { '@kubernetes/client-node': pathOf('client-node') };

  // The sources of our packages need no build.
  const env = { NODE_OPTIONS: '--conditions=chancery-source' };
  const { exit, stdout, stderr } = runPage('guides/test/in-node.md', env, packages);

  expect(await exit, [...stdout.lines, ...stderr.lines].join('\n')).toBe(0);
  expect(stdout.lines).toContain('ℹ pass 1');
});
