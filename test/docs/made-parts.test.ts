/** The tables of pages that are made from the sources. */
import { expect, test } from 'vitest';
import { CLAIMS_PARTS } from './claims.ts';
import { madePage, readPage } from './made-part.ts';
import { HOOKS_METRICS_PART, METACONTROLLER_METRICS_PART, METRICS_PART } from './metrics-page.ts';
import { SETTINGS_PART } from './settings-page.ts';

test.each([
  METRICS_PART,
  HOOKS_METRICS_PART,
  METACONTROLLER_METRICS_PART,
])('the tables of the $of match the code; `npm run generate -- api` writes them', (part) => {
  expect(readPage(part)).toBe(madePage(part));
});

test('the table of settings matches the code; `npm run generate -- api` writes it', () => {
  expect(readPage(SETTINGS_PART)).toBe(madePage(SETTINGS_PART));
});

test.each(
  CLAIMS_PARTS,
)('the table of tests in $page matches the tags in test titles; `npm run generate -- api` writes it', (part) => {
  expect(readPage(part), 'no test was lost? then run "npm run generate -- api"').toBe(
    madePage(part),
  );
});
