/** Every README is followed as people follow it: real processes, a real kubectl, what it promises. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXAMPLES, folderOf } from '../examples.ts';
import { followReadme } from '../follow.ts';

test.each(Object.keys(EXAMPLES))('examples/%s does what its README promises', {
  timeout: 180_000,
}, async (name) => {
  await followReadme(name);
});

/** They have READMEs of another form, with tests of their own. */
const OTHERS = ['config-restart', 'website'];

test('every operator under examples/ can be tried, and is in the table', () => {
  const all = folderOf('.');
  const operators = readdirSync(all).filter((name) =>
    existsSync(new URL(`${name}/operator.ts`, all)),
  );
  const table = readFileSync(new URL('README.md', all), 'utf8');

  expect([...Object.keys(EXAMPLES), ...OTHERS].sort()).toEqual(operators.sort());
  expect(operators.filter((name) => !table.includes(`](${name}/README.md)`))).toEqual([]);
});
