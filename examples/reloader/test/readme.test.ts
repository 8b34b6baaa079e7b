/** The README against the code that it describes. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../contract/annotations.ts';
import { ARGUMENTS } from '../contract/arguments.ts';
import { chartTable } from '../contract/chart.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('[reloader 30] the README has the table of chart values', () => {
  expect(readme).toContain(`\n${chartTable()}\n`);
});

test('the README names every flag that the original does not have, and no flag that there is not', () => {
  const own = Object.keys(ARGUMENTS).slice(Object.keys(ARGUMENTS).indexOf('debounce'));
  const table = readme.slice(readme.indexOf('| flag |'), readme.indexOf('## Chart values'));
  const flagsIn = (text: string) => [...text.matchAll(/`--([a-zA-Z-]+)/g)].map(([, name]) => name);
  const ofCommand = ['dry-run', 'help'];

  expect(flagsIn(table)).toEqual(expect.arrayContaining(own));
  expect(
    flagsIn(readme).filter((name = '') => !(name in ARGUMENTS) && !ofCommand.includes(name)),
  ).toEqual([]);
});

test('the README names the annotations of the contract', () => {
  const { typedAuto, reload, exclude, lastReloadedFrom, pausedAt, ...single } = DEFAULT_ANNOTATIONS;
  const first = [typedAuto, reload, exclude].map(({ CONFIGMAP }) => CONFIGMAP);

  const missing = [...Object.values(single), ...first].filter(
    (key) => !readme.includes(`\`${key}\``),
  );

  expect(missing).toEqual([]);
  expect(readme).toContain(pausedAt.split('/')[1]);
  expect(readme).toContain(lastReloadedFrom.split('/')[1]);
});
