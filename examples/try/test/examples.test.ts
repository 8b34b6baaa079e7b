/** The table of operators that can be tried. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXAMPLES, folderOf } from '../examples.ts';

/** They have READMEs of another form, with tests of their own. */
const OTHERS = ['config-restart', 'website'];

test('every operator under examples/ can be started by the command, and is in the table', () => {
  const all = folderOf('.');
  const operators = readdirSync(all).filter((name) =>
    ['operator.ts', 'hooks', 'controllers'].some((file) =>
      existsSync(new URL(`${name}/${file}`, all)),
    ),
  );
  const table = readFileSync(new URL('README.md', all), 'utf8');

  expect([...Object.keys(EXAMPLES), ...OTHERS].sort()).toEqual(operators.sort());
  expect(operators.filter((name) => !table.includes(`](${name}/README.md)`))).toEqual([]);
});
