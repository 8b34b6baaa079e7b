/**
 * The timeline in a real browser: what a person sees and does, with a mouse and without.
 *
 * @module-tag chromium
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FlightRecord } from '../../../operator/flight/read-record.ts';
import type { RecordLine } from '../../../operator/flight/record-line.ts';
import { timelinePage } from '../../../operator/flight/timeline/timeline-page.ts';
import { startBrowser } from '../../support/browser.ts';
import { busyRecord, chunk, exampleRecord, WEBSITES, website } from './example-record.ts';

let browser: Browser;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chancery-timeline-'));
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

interface Opened {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: readonly string[];
  /** What the page asked for, besides itself. */
  readonly asked: readonly string[];
}

interface Screen {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

async function opened(record: FlightRecord, screen: Screen = {}): Promise<Opened> {
  const { width = 1_280, colorScheme = 'light' } = screen;
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  onTestFinished(() => page.close());
  const file = join(folder, 'record.html');
  await writeFile(file, timelinePage(record));
  const address = pathToFileURL(file).href;
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (request.url() !== address) asked.push(request.url());
  });
  await page.goto(address);
  await page.locator('#seen', { hasText: 'UTC' }).waitFor();
  return { page, complaints, asked };
}

const KEY = { controller: 'website', key: 'web/shop' } as const;

/** One key with one long reconcile in the middle of ten minutes, after two changes. */
function oneReconcile(more: readonly RecordLine[] = []): FlightRecord {
  const path = '/apis/example.dev/v1/websites?watch=1';
  return exampleRecord([
    { kind: 'state', at: 0, segment: 0, random: 1, leads: true },
    { kind: 'cached', at: 0, source: WEBSITES, objects: [website('shop', 10, 1)] },
    { kind: 'request', at: 0, id: 1, method: 'GET', path, purpose: 'watch', carried: true },
    { kind: 'begin', at: 1_000, ...KEY, id: 4, attempt: 0, waitedMs: 0 },
    { kind: 'outcome', at: 1_010, ...KEY, id: 4, result: 'success' },
    chunk(10_000, 1, { type: 'MODIFIED', object: website('shop', 11, 2) }),
    { kind: 'wake', at: 10_001, ...KEY, cause: 'Website web/shop', via: 'for' },
    { kind: 'begin', at: 100_000, ...KEY, id: 5, attempt: 0, waitedMs: 12 },
    ...more,
    {
      ...{ kind: 'outcome', at: 500_000, ...KEY, id: 5, result: 'error' },
      error: { code: 'TIMEOUT', message: 'it took <b>too</b> long' },
    },
  ]);
}

const text = (page: Page, id: string): Promise<string> => page.locator(`#${id}`).innerText();

/** Where a row of the chart is in the window. */
async function placeOf(page: Page, row: string, share: number): Promise<{ x: number; y: number }> {
  const label = await page.locator('#labels div', { hasText: row }).first().boundingBox();
  const canvas = await page.locator('#canvas').boundingBox();
  if (label === null || canvas === null) throw new Error(`the chart shows no row ${row}`);
  return { x: canvas.x + canvas.width * share, y: label.y + label.height / 2 };
}

test('the timeline page shows ten thousand events, and sends no requests', async () => {
  const { page, complaints, asked } = await opened(busyRecord({ events: 10_000, keys: 300 }));

  expect(await page.title()).toBe('website: a write loop');
  expect(await text(page, 'count')).toMatch(/^4\d{4} events, \d{3} errors, \d{3} rows$/);
  expect(await page.locator('#labels div:visible').count()).toBeLessThan(40); // only what is seen
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);

  const refused = await page.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
    fetch('http://127.0.0.1:9/').catch(() => {});
  })`);
  expect(refused).toBe('connect-src');
}, 120_000);

test('a click on an event shows the state before and after it, and what changed', async () => {
  const { page, complaints } = await opened(oneReconcile());
  const { x, y } = await placeOf(page, 'web/shop', 0.5);

  await page.mouse.move(x, y);
  const tip = await text(page, 'tip');
  await page.mouse.click(x, y);

  expect(tip).toContain('reconcile failed after 6 min 40 s: it took <b>too</b> long');
  expect(await text(page, 'details-title')).toBe(
    'reconcile failed after 6 min 40 s: it took <b>too</b> long',
  );
  expect(await page.locator('#details dd').allInnerTexts()).toEqual([
    '12:01:40.000 – 12:08:20.000 UTC',
    '1 min 40 s after its beginning',
    '6 min 40 s',
    '12 ms',
    'TIMEOUT: it took <b>too</b> long',
  ]);
  expect(await text(page, 'details-text')).toContain(
    'version 10 (at the attempt before) → version 11: 4 added, 4 removed',
  );
  expect(await page.locator('#details ins').allInnerTexts()).toEqual([
    '+   resourceVersion: "11"\n',
    '+   generation: 11\n',
    '+   replicas: 2\n',
    '+   image: registry.example/web:2\n',
  ]);
  await page.getByRole('button', { name: 'Object', exact: true }).click();
  expect(await page.locator('#details pre').innerText()).toContain('replicas: 2');
  await page.mouse.click((await placeOf(page, 'web/shop', 0.95)).x, y); // in the row, beside every mark
  expect(await page.locator('#details').isVisible()).toBe(false);
  expect(complaints).toEqual([]);
});

test('in the timeline a reconcile links to its writes, and a write shows its request', async () => {
  const by = { ...KEY, id: 5 };
  const path = '/api/v1/namespaces/web/configmaps/shop?fieldManager=website';
  const hostile = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>';
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shop' },
    data: { a: hostile },
  };
  const { page, complaints } = await opened(
    oneReconcile([
      {
        ...{ kind: 'request', at: 200_000, id: 9, method: 'PATCH', path, purpose: 'call', by },
        body: JSON.stringify(body),
      },
      { kind: 'answer', at: 200_100, id: 9, status: 422, headers: {} },
      chunk(200_100, 9, { kind: 'Status', reason: 'Invalid', message: hostile }),
      { kind: 'ended', at: 200_100, id: 9 },
    ]),
  );
  const { x, y } = await placeOf(page, 'web/shop', 0.5);

  await page.mouse.click(x, y);
  await page.getByRole('button', { name: 'patch ConfigMap web/shop' }).click();

  expect(await text(page, 'details-title')).toBe(
    'patch ConfigMap web/shop was refused after 100 ms: 422 Invalid',
  );
  expect(await page.locator('#details dd').allInnerTexts()).toContain(hostile);
  expect(await page.locator('#details pre').innerText()).toContain(hostile);
  expect(await page.locator('img').count()).toBe(0);
  await page.locator('#details-related button').click();
  expect(await text(page, 'details-title')).toContain('reconcile failed');
  await page.locator('#holder').focus();
  await page.keyboard.press('e');
  expect(await text(page, 'details-title')).toContain('was refused');
  await page.keyboard.press('E');
  expect(await text(page, 'details-title')).toContain('reconcile failed');
  expect(complaints).toEqual([]);
});

test('the timeline page can be used by keyboard and screen reader', async () => {
  const { page, complaints } = await opened(oneReconcile());
  const title = page.locator('#details-title');
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const seen = (words: string): Promise<void> =>
    page.locator('#seen', { hasText: words }).waitFor();
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id');

  for (let presses = 0; presses < 40 && (await focused()) !== 'holder'; presses++)
    await press('Tab');
  expect(await focused()).toBe('holder');
  expect(
    await page.evaluate("getComputedStyle(document.activeElement, '::after').borderTopStyle"),
  ).toBe('solid');

  await press('e');
  expect(await text(page, 'announcement')).toBe(
    'reconcile failed after 6 min 40 s: it took <b>too</b> long, 12:01:40.000, web/shop, website, 3 of 3',
  );
  await press('ArrowLeft');
  expect(await title.innerText()).toBe('woken by Website web/shop (for)');
  await press('Home');
  expect(await title.innerText()).toBe('reconcile succeeded after 10 ms');
  await press('End', 'ArrowUp');
  expect(await title.innerText()).toBe('Website web/shop changed');
  await press('PageUp');
  expect(await title.innerText()).toBe('leads');
  await press('PageDown', 'Enter');
  expect(await focused()).toBe('details-title');
  await press('Escape');
  expect([await focused(), await page.locator('#details').isVisible()]).toEqual(['holder', false]);

  const whole = await text(page, 'seen');
  await press('+', '+');
  await seen('12:03:43 – 12:06:16 UTC, 2 min 33 s');
  await press('Shift+ArrowRight');
  await seen('12:04:21 – 12:06:54 UTC, 2 min 33 s');
  await press('0');
  await seen(whole);
  await press('/');
  expect(await focused()).toBe('filter-text');
  expect(complaints).toEqual([]);
});

test('filters by key, group, kind and error affect the chart and the table', async () => {
  const { page } = await opened(busyRecord({ events: 300, keys: 12 }));
  const labels = (): Promise<readonly string[]> =>
    page.locator('#labels div:visible:not(.heading)').allInnerTexts();
  const all = await labels();

  await page.getByRole('searchbox').fill('SHOP');
  await expect.poll(labels).toEqual(all.filter((name) => name.includes('shop')));

  await page.getByRole('searchbox').fill('');
  await page.locator('#filter-heading').selectOption('Sources');
  await expect.poll(labels).toEqual(['deployments.apps', WEBSITES]);

  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Table' }).click();
  await page.locator('#filter-kind').selectOption('Deployment');
  await page.getByRole('button', { name: 'object changes' }).click();
  const kinds = await page.locator('#table-body td:nth-child(4)').allInnerTexts();
  expect(new Set(kinds)).toEqual(new Set(['wake', 'write']));

  await page.getByLabel('errors only').check();
  const words = await page.locator('#table-body td:nth-child(6)').allInnerTexts();
  expect(words.length).toBeGreaterThan(0);
  expect(words.filter((each) => !each.includes('was refused'))).toEqual([]);

  await page.getByRole('searchbox').fill('there is no such key');
  await page.locator('#empty').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await text(page, 'count')).toMatch(/^\d+ events/);
});

test('the table shows every event in pages, and opens the same details as the chart', async () => {
  const { page } = await opened(busyRecord({ events: 120, keys: 5 }));
  const [count = ''] = (await text(page, 'count')).split(' ');

  await page.getByRole('button', { name: 'Table' }).click();
  expect(await text(page, 'page-words')).toBe(`events 1 to 200 of ${count}`);
  expect(await page.locator('#page-before').isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Later' }).click();
  expect(await text(page, 'page-words')).toBe(`events 201 to 400 of ${count}`);
  expect(await page.locator('#table-body tr').first().getAttribute('aria-rowindex')).toBe('202');

  const line = page.locator('#table-body tr').nth(2);
  const words = await line.locator('td').last().innerText();
  await line.getByRole('button').focus();
  await page.keyboard.press('Enter');
  expect(await text(page, 'details-title')).toBe(words);
  expect(await line.getAttribute('aria-current')).toBe('true');
  await page.keyboard.press('Escape');
  expect(await page.evaluate("document.activeElement.closest('tr').dataset.item")).toBe(
    await line.getAttribute('data-item'),
  );
});

test('keys can be sorted by the number of errors and by the first event', async () => {
  const begin = (key: string, id: number): readonly RecordLine[] => [
    { kind: 'begin', at: id * 1_000, controller: 'website', key, id, attempt: 0, waitedMs: 0 },
    {
      kind: 'outcome',
      at: id * 1_001,
      controller: 'website',
      key,
      id,
      result: id === 3 ? 'panic' : 'success',
    },
  ];
  const { page } = await opened(
    exampleRecord([...begin('b', 1), ...begin('a', 2), ...begin('c', 3)]),
  );
  const labels = page.locator('#labels div:visible:not(.heading)');

  expect(await labels.allInnerTexts()).toEqual(['a', 'b', 'c']);
  await page.locator('#order').selectOption('time');
  await expect.poll(() => labels.allInnerTexts()).toEqual(['b', 'a', 'c']);
  await page.locator('#order').selectOption('errors');
  await expect.poll(() => labels.allInnerTexts()).toEqual(['c', 'a', 'b']);
});

test('the chart can be zoomed and moved with a mouse: by wheel, dragging, axis and overview strip', async () => {
  const { page } = await opened(oneReconcile());
  const seen = page.locator('#seen');
  const { x, y } = await placeOf(page, 'web/shop', 0.5);
  const axis = (await page.locator('#canvas').boundingBox())?.y ?? 0;

  await page.mouse.move(x - 200, axis + 8);
  await page.mouse.down();
  await page.mouse.move(x, axis + 8, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => seen.innerText()).toMatch(/ 1 min \d+ s$|, \d\.?\d* min/);
  const chosen = await seen.innerText();
  expect(chosen).toMatch(/– 12:05:00 UTC/);

  await page.mouse.move(x, y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -50);
  await page.keyboard.up('Control');
  await expect.poll(() => seen.innerText()).not.toBe(chosen);
  const zoomed = await seen.innerText();

  await page.mouse.down();
  await page.mouse.move(x + 300, y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => seen.innerText()).not.toBe(zoomed);
  const moved = await seen.innerText();
  expect(await page.locator('#details').isVisible()).toBe(false); // a drag is no click

  const strip = await page.locator('#overview').boundingBox();
  await page.mouse.click((strip?.x ?? 0) + (strip?.width ?? 0) - 4, (strip?.y ?? 0) + 20);
  await expect.poll(() => seen.innerText()).not.toBe(moved);
  await page.getByRole('button', { name: 'All' }).click();
  await expect.poll(() => seen.innerText()).toContain('10 min');
});

interface Pair {
  readonly name: string;
  readonly ratio: number;
}

/** Contrast by WCAG 2 of each colour of the chart and of texts on each ground. */
const CONTRASTS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    canvas.fillStyle = style.getPropertyValue('--' + name);
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((each) => {
      const share = each / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const texts = ['text', 'dim', 'bad', 'focus'].flatMap((a) => ['page', 'panel', 'raised', 'stripe'].map((b) => [a, b]));
  const more = [['added-text', 'added'], ['removed-text', 'removed'], ['text', 'warned'], ['text', 'steady'], ['page', 'focus'], ['page', 'bad']];
  const marks = ['good', 'bad', 'waiting', 'wake', 'write', 'read', 'change', 'focus'].flatMap((a) => [[a, 'page'], [a, 'stripe']]);
  const of = (pairs) => pairs.map(([a, b]) => ({ name: a + ' on ' + b, ratio: ratio(a, b) }));
  return { texts: of([...texts, ...more]), marks: of(marks) };
})()`;

test.each([
  'light',
  'dark',
] as const)('the timeline page has the colour scheme of the system (%s), with enough contrast', async (colorScheme) => {
  const { page } = await opened(oneReconcile(), { colorScheme });
  const ground = (): Promise<readonly number[]> =>
    page.evaluate(
      "[...document.getElementById('canvas').getContext('2d').getImageData(2, 2, 1, 1).data].slice(0, 3)",
    );
  const isDark = async (): Promise<boolean> => Math.max(...(await ground())) < 128;

  const { texts, marks } = (await page.evaluate(CONTRASTS)) as Record<'texts' | 'marks', Pair[]>;

  expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  expect(marks.filter(({ ratio }) => ratio < 3)).toEqual([]);
  expect(await isDark()).toBe(colorScheme === 'dark');
  await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' });
  await expect.poll(isDark).toBe(colorScheme !== 'dark'); // the chart follows at once
});

test.each<[string, FlightRecord, string, string]>([
  ['nothing', exampleRecord([]), '0 events, 0 errors, 0 rows', ''],
  [
    'no time',
    exampleRecord([], { began: 'never', to: 0, sources: [], controllers: [] }),
    '0 events, 0 errors, 0 rows',
    '',
  ],
  [
    'a cut',
    { ...oneReconcile(), cutOff: 'line 9 ends in its middle' },
    '6 events, 1 error, 3 rows',
    'The record was cut off: line 9 ends in its middle.',
  ],
  [
    'a clock that jumped',
    oneReconcile([{ kind: 'clock', at: 300_000, wall: Date.parse('2031-06-01T00:00:00Z') }]),
    '7 events, 1 error, 4 rows',
    '',
  ],
])('the timeline page can show a record of %s', async (_, record, count, warnings) => {
  const { page, complaints } = await opened(record);

  expect(await text(page, 'count')).toBe(count);
  expect(await text(page, 'warnings')).toBe(warnings);
  await page.locator('#holder').focus();
  for (const key of ['ArrowDown', 'e', 'Enter', 'Escape', '+', '-', '0'])
    await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Table' }).click();
  expect(complaints).toEqual([]);
});

test('on a phone the timeline page fits the width of the screen', async () => {
  const { page } = await opened(oneReconcile(), { width: 380 });
  const { x, y } = await placeOf(page, 'web/shop', 0.5);
  await page.mouse.click(x, y);
  await page.locator('#details').waitFor();

  const isWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  expect(isWide).toBe(false);
});
