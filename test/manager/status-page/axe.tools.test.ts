/**
 * The status page as axe judges it: in each of its states, on a desk and on a phone, in light and in dark.
 *
 * @module-tag chromium
 */
import { createRequire } from 'node:module';
import { FakeClock } from '@chancery/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HealthServer } from '../../../operator/manager/http/health-server.ts';
import { StatusPage } from '../../../operator/manager/status-page/status-page.ts';
import { startBrowser } from '../../support/browser.ts';
import { type BusyOperator, startBusyOperator } from './busy-operator.ts';
import { exampleStatus, NO_KEYS } from './example-status.ts';

/** axe looks at every element, and the page has hundreds: on a machine that others use a state takes 10 s. */
const SLOW_MS = 180_000;
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

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

interface Screen {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}

const DESK = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };

const SCREENS: readonly Screen[] = [
  { name: 'a desk in light', viewport: DESK, colorScheme: 'light' },
  { name: 'a desk in dark', viewport: DESK, colorScheme: 'dark' },
  { name: 'a phone in light', viewport: PHONE, colorScheme: 'light' },
];

async function pageOn({ viewport, colorScheme }: Screen): Promise<Page> {
  // The page allows no script but its own, and axe is one.
  const page = await browser.newPage({ viewport, colorScheme, bypassCSP: true });
  onTestFinished(() => page.close());
  return page;
}

interface Judgement {
  /** Rules that found something to judge. */
  readonly rules: readonly string[];
  /** What is serious or critical, with the elements. */
  readonly serious: readonly string[];
}

async function judge(page: Page): Promise<Judgement> {
  await page.addScriptTag({ path: axe });
  return page.evaluate(`axe.run().then(({ passes, violations }) => ({
    rules: [...passes, ...violations].map(({ id }) => id),
    serious: violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html, any }) =>
        [id, html, ...any.map(({ message }) => message)].join(' '))),
  }))`);
}

test.each(
  SCREENS,
)('on $name axe finds no serious problem in a list of a thousand keys, the explanation of a key, and an empty search', {
  timeout: SLOW_MS,
}, async (screen) => {
  const page = await pageOn(screen);
  await page.goto(operator.url);
  await page.getByText('1000 keys, the first 100 of them here').waitFor();

  const keys = await judge(page);
  await page.locator('#failing button.key').nth(1).click();
  await page.locator('dialog dl').waitFor();
  const answer = await judge(page);
  await page.keyboard.press('Escape');
  await page.getByLabel('Part of a key').fill('nobody');
  await page.getByText('No key matches.').waitFor();
  const none = await judge(page);

  for (const { rules, serious } of [keys, answer, none]) {
    expect(serious).toEqual([]);
    expect(rules).toContain('color-contrast');
  }
});

test.each(
  SCREENS,
)('on $name axe finds no serious problem before the first answer, without any key, and after a lost connection', {
  timeout: SLOW_MS,
}, async (screen) => {
  const clock = new FakeClock();
  const statusPage = new StatusPage({ clock, status: () => exampleStatus(), keys: NO_KEYS });
  const others = statusPage.answer.bind(statusPage);
  const server = new HealthServer({ port: 0, host: '127.0.0.1', live: [], ready: [], others });
  await server.start();
  const stop = async (): Promise<void> => {
    statusPage.stop();
    await server.stop();
  };
  onTestFinished(stop);
  const page = await pageOn(screen);

  await page.route('**/status/events', (route) => route.abort());
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await page.getByText('Nothing to show yet.').waitFor();
  const before = await judge(page);
  await page.unrouteAll();
  await page.reload();
  await page.getByText('live, 12:34:56 UTC').waitFor();
  const live = await judge(page);
  await stop();
  await page.getByText('Connection lost.').waitFor();
  const lost = await judge(page);

  for (const { rules, serious } of [before, live, lost]) {
    expect(serious).toEqual([]);
    expect(rules).toContain('color-contrast');
  }
});
