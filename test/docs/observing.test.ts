/** docs/observing.md: its tables of metrics. */
import { expect, test } from 'vitest';
import { madePage, readPage } from './made-part.ts';
import { METRICS_PART } from './metrics-page.ts';

test('the tables of metrics are as the catalogue says; npm run generate -- api writes them', () => {
  expect(readPage(METRICS_PART)).toBe(madePage(METRICS_PART));
});
