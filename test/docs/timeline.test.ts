/** docs/guides/operate/timeline.md: names what the page has, and shows pictures that are there and small. */
import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KIND_NAMES } from '../flight/timeline/page-modules.ts';
import { guide } from './guide.ts';

const text = guide('guides/operate/timeline.md');

/** Cells of one column of the table with a heading. */
function column(heading: string, place: number): readonly string[] {
  const [, table = ''] = text.split(`| ${heading} |`);
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .slice(2)
    .map((row) => row.split('|')[place + 1]?.trim() ?? '');
}

test('timeline.md explains each kind of event that a timeline has', () => {
  expect(column('shown as', 1).filter((name) => name !== '')).toEqual(Object.values(KIND_NAMES));
});

test('timeline.md has the same keys as the help of the timeline', () => {
  const html = readFileSync(
    new URL('../../operator/flight/timeline/page/page.html', import.meta.url),
    'utf8',
  );
  const [, help = ''] = html.split('Keys and mouse');
  const [chart = ''] = help.split('Drag to move');
  const shown = [...chart.matchAll(/<kbd>([^<]+)<\/kbd>/g)].map(([, key]) => key);
  const keys = column('key, in the chart', 0).flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, key]) => key),
  );

  expect(new Set(keys)).toEqual(new Set(shown));
});

test.each(
  [...text.matchAll(/\]\((images\/[^)]+)\)/g)].map(([, path = '']) => path),
)('the picture %s exists, and is smaller than 150 kB', (path) => {
  const { size } = statSync(new URL(`../../docs/${path}`, import.meta.url));

  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThan(150_000);
});
