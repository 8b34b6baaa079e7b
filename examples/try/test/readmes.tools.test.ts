/**
 * Every README is followed as people follow it: real processes, a real kubectl, what it promises.
 *
 * @module-tag kubectl
 */
import { test } from 'vitest';
import { EXAMPLES } from '../examples.ts';
import { followReadme } from '../follow.ts';

test.each(
  Object.keys(EXAMPLES),
)('the commands in the README of examples/%s print the output in the README', {
  timeout: 180_000,
}, async (name) => {
  await followReadme(name);
});
