/**
 * Three controllers and a thousand keys in a real browser: what a person finds, with a mouse and without.
 *
 * @module-tag chromium
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startBrowser } from '../../support/browser.ts';
import { type BusyOperator, startBusyOperator } from './busy-operator.ts';

let browser: Browser;
let operator: BusyOperator;

beforeAll(async () => {
  operator = await startBusyOperator();
  browser = await startBrowser();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await operator.stop();
});

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };

async function opened(
  viewport: { readonly width: number; readonly height: number } = DESKTOP,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Page> {
  const page = await browser.newPage({ viewport, colorScheme });
  onTestFinished(() => page.close());
  await page.goto(operator.url);
  await page.getByText('1000 keys, the first 100 of them here').waitFor();
  return page;
}

/**
 * Every text that is seen whose contrast with what is behind it is below 4.5 (WCAG 2.2, 1.4.3), as the page draws it.
 * The page has no pictures behind texts, and no text is see-through.
 */
const LOW_CONTRASTS = `(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => parts(color).slice(0, 3)
    .map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if ((parts(backgroundColor)[3] ?? 1) === 1) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [...document.querySelectorAll('body *')].filter((element) =>
    element.checkVisibility() &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  const low = texts.flatMap((element) => {
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast < 4.5 ? [element.textContent.slice(0, 40) + ' ' + contrast.toFixed(2)] : [];
  });
  return { seen: texts.length, low };
})()`;

test.each([
  ['desktop', 'light', DESKTOP],
  ['desktop', 'dark', DESKTOP],
  ['phone', 'light', PHONE],
  ['phone', 'dark', PHONE],
] as const)('every text of the status page is legible on a %s in %s mode, and nothing is wider than the screen', async (_name, scheme, viewport) => {
  const page = await opened(viewport, scheme);
  const isWide = 'document.documentElement.scrollWidth > window.innerWidth';

  const main = await page.evaluate(LOW_CONTRASTS);
  const wide = await page.evaluate(isWide);
  await page.locator('#failing button.key').nth(1).click();
  await page.locator('dialog dl').waitFor();
  const dialog = await page.evaluate(LOW_CONTRASTS);

  expect(main).toEqual({ seen: expect.any(Number), low: [] });
  expect((main as { readonly seen: number }).seen).toBeGreaterThan(100);
  expect(dialog).toMatchObject({ low: [] });
  expect([wide, await page.evaluate(isWide)]).toEqual([false, false]);
});

test('the page lists failing keys first, with the number of failures and the type of the error, but without its message', async () => {
  const page = await opened();

  const attention = await page.locator('#attention').innerText();
  const failing = await page.locator('#failing').innerText();

  const lines = attention.split('\n');
  expect(lines).toContain('Source certificates.certs.example.dev in web: unserved.');
  expect(lines).toContain('6 keys fail.');
  expect(failing.split('\n')[1]).toMatch(/^web\/mail-027\twebsite\t–\t.*\tnone due\tTerminalError/);
  expect(failing).toMatch(/web\/chat-013\twebsite\t\d+\t[\d:]+\t.*422 Invalid/);
  expect(await page.content()).not.toContain('spec.replicas');
});

test('a key can be found and explained with the keyboard alone, and the focus returns to it', async () => {
  const page = await opened();
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');

  await page.keyboard.press('/');
  await page.keyboard.type('mail-0');
  await page.getByText('39 keys', { exact: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  const second = await focused();
  await page.keyboard.press('Enter');
  await page.locator('dialog dl').waitFor();
  const [title, answer] = [page.locator('#h-why'), page.locator('#why-answer')];
  const explained = [await title.innerText(), await answer.innerText()];
  await page.keyboard.press('Escape');

  expect([first, second]).toEqual(['web/mail-027', 'web/mail-003']);
  expect(explained[0]).toBe('web/mail-003');
  expect(explained[1]).toMatch(/has been worked on for [\d.]+ s/);
  expect(explained[1]).toContain('Service web/mail-003 via for, first list');
  expect(await page.locator('dialog').isVisible()).toBe(false);
  expect(await focused()).toBe('web/mail-003');
});

test('a key keeps the focus while the state is updated', async () => {
  const page = await opened();
  const at = (): Promise<string | null> => page.locator('#at').textContent();
  await page.locator('#failing button.key').nth(2).focus();
  const before = await page.evaluate('document.activeElement.textContent');
  const time = await at();

  await expect.poll(at, { timeout: 20_000 }).not.toBe(time);

  expect(await page.evaluate('document.activeElement.textContent')).toBe(before);
});

test('a key keeps the focus when an update moves it to another row, or removes the rows above it', async () => {
  const page = await opened();
  const answer = await fetch(`${operator.url}/status.json`);
  const status = (await answer.json()) as object;
  let failing = ['web/a', 'web/b', 'web/c'];
  await page.route('**/status/events', (route) => {
    const rows = failing.map((key) => ({ controller: 'website', key, failures: 1 }));
    const data = JSON.stringify({ ...status, failing: rows });
    return route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 50\ndata: ${data}\n\n`,
    });
  });
  await page.reload();
  const keys = page.locator('#failing button.key');
  const shows = async (names: readonly string[]): Promise<unknown> => {
    failing = [...names];
    await expect.poll(() => keys.allTextContents(), { timeout: 20_000 }).toEqual(names);
    return page.evaluate('document.activeElement.textContent');
  };
  await shows(['web/a', 'web/b', 'web/c']);
  await keys.nth(1).focus();

  const moved = await shows(['web/b', 'web/c', 'web/a']);
  const alone = await shows(['web/b']);
  const last = await shows(['web/x', 'web/y', 'web/b']);

  expect([moved, alone, last]).toEqual(['web/b', 'web/b', 'web/b']);
});

test('keys can be filtered by controller and state, and a search without a match says that nothing was found', async () => {
  const page = await opened();

  await page.locator('#search-controller').selectOption('route');
  await page.getByText('300 keys, the first 100 of them here').waitFor();
  await page.locator('#search-state').selectOption('working');
  await page.getByText('1 key', { exact: true }).waitFor();
  const working = await page.locator('#found tbody').innerText();
  await page.getByLabel('Part of a key').fill('nobody');
  await page.getByText('No key matches.').waitFor();

  expect(working).toMatch(/^web\/mail-003\troute\tworking/);
});

test('the focus follows the reading order of the page, and each control has a name', async () => {
  const page = await opened();
  const order = await page.evaluate(`(() => {
    const controls = [...document.querySelectorAll('a, button, input, select')]
      .filter((each) => each.checkVisibility());
    return controls.map((each) => [
      each.tabIndex, (each.labels?.[0]?.textContent ?? each.textContent).trim() !== '']);
  })()`);
  await page.keyboard.press('Tab');
  const first = await page.evaluate('document.activeElement.textContent');

  expect(first).toBe('Attention');
  expect(new Set((order as unknown[]).map(String))).toEqual(new Set(['0,true']));
  expect(await page.locator('h1').count()).toBe(1);
  expect(await page.locator('main section').count()).toBe(
    await page.locator('main section[aria-labelledby]').count(),
  );
});
