/** The tables of docs/guides/operate/observing.md and docs/guides/operate/running.md that are made from the sources. */
import { expect, test } from 'vitest';
import { madePage, readPage } from './made-part.ts';
import { METRICS_PART } from './metrics-page.ts';
import { SETTINGS_PART } from './settings-page.ts';

test('the tables of metrics are as the catalogue says; npm run generate -- api writes them', () => {
  expect(readPage(METRICS_PART)).toBe(madePage(METRICS_PART));
});

test('the table of settings is what the process reads; npm run generate -- api writes it', () => {
  expect(readPage(SETTINGS_PART)).toBe(madePage(SETTINGS_PART));
});
