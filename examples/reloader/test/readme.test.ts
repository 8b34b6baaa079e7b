/** The README against the code that it describes. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../contract/annotations.ts';
import { ARGUMENTS } from '../contract/arguments.ts';
import { chartTable } from '../contract/chart.ts';
import { MAX_STATE_BYTES } from '../contract/patterns/automaton.ts';
import { MAX_LOOKED_AT } from '../contract/patterns/entries.ts';
import {
  MAX_CACHE_BYTES,
  MAX_ENTRIES,
  MAX_ENTRY_CHARACTERS,
  MAX_ENTRY_STATES,
  MAX_LIST_STATES,
  MAX_PROBLEMS,
} from '../contract/patterns.ts';
import { MAX_WORKLOAD_STEPS } from '../contract/workload-lists.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('[reloader 30] the README has the table of chart values', () => {
  expect(readme).toContain(`\n${chartTable()}\n`);
});

test('the README lists every flag that the original operator does not have, and mentions only flags that exist', () => {
  const own = Object.keys(ARGUMENTS).slice(Object.keys(ARGUMENTS).indexOf('debounce'));
  const table = readme.slice(readme.indexOf('| flag |'), readme.indexOf('## Chart values'));
  const flagsIn = (text: string) => [...text.matchAll(/`--([a-zA-Z-]+)/g)].map(([, name]) => name);
  const ofCommand = ['dry-run', 'help'];

  expect(flagsIn(table)).toEqual(expect.arrayContaining(own));
  expect(
    flagsIn(readme).filter((name = '') => !(name in ARGUMENTS) && !ofCommand.includes(name)),
  ).toEqual([]);
});

test('the README lists the annotations of the contract', () => {
  const { typedAuto, reload, exclude, lastReloadedFrom, pausedAt, ...single } = DEFAULT_ANNOTATIONS;
  const first = [typedAuto, reload, exclude].map(({ CONFIGMAP }) => CONFIGMAP);

  const missing = [...Object.values(single), ...first].filter(
    (key) => !readme.includes(`\`${key}\``),
  );

  expect(missing).toEqual([]);
  expect(readme).toContain(pausedAt.split('/')[1]);
  expect(readme).toContain(lastReloadedFrom.split('/')[1]);
});

test('[found 2] the README lists the limits on the cost of annotations', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['entries of a list of names', MAX_ENTRIES],
    ['entries of any list that are looked at', MAX_LOOKED_AT],
    ['characters of an entry', MAX_ENTRY_CHARACTERS],
    ['states of an entry', MAX_ENTRY_STATES],
    ['states of all patterns of a list', MAX_LIST_STATES],
    ['steps for all lists of a workload', MAX_WORKLOAD_STEPS],
    ['problems reported for a list', MAX_PROBLEMS],
  ];

  for (const [limit, value] of rows) {
    expect(readme).toContain(`| ${limit} | ${value.toLocaleString('en-US')} |`);
  }
  expect(readme).toContain(
    `| memory for the states of a list | ${MAX_STATE_BYTES / 2 ** 20} MiB |`,
  );
  expect(readme).toContain(`| lists in memory | ${MAX_CACHE_BYTES / 2 ** 20} MiB, `);
});
