/**
 * The pictures of the status page in docs/images: `npm run generate -- pictures`. They show a real operator with three
 * controllers and a thousand keys, in the chromium that the tests use.
 */
import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../support/browser.ts';
import { startBusyOperator } from './busy-operator.ts';

const IMAGES = new URL('../../../docs/images/', import.meta.url);

interface Picture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  /** What a person has done before. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const DESKTOP = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };

const PICTURES: readonly Picture[] = [
  { file: 'status-light.webp', ...DESKTOP, colorScheme: 'light' },
  {
    ...{ file: 'status-why-dark.webp', ...DESKTOP, colorScheme: 'dark' },
    act: (page) => page.locator('#failing button.key', { hasText: 'chat-013' }).click(),
  },
  { file: 'status-phone.webp', ...PHONE, colorScheme: 'light' },
];

/** Files of tens of kilobytes that still show text without a blur. */
const QUALITY = 85;

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { file, width, height, colorScheme, act } = picture;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(url);
  await page.locator('#found tbody tr').first().waitFor();
  await act?.(page);
  await page.locator('dialog[open] dl, body:not(:has(dialog[open]))').first().waitFor();
  const session = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: QUALITY } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  await writeFile(new URL(file, IMAGES), Buffer.from(data, 'base64'));
  await page.close();
  process.stdout.write(`docs/images/${file}\n`);
}

const operator = await startBusyOperator();
const browser = await startBrowser();
try {
  for (const picture of PICTURES) await take(browser, operator.url, picture);
} finally {
  await browser.close();
  await operator.stop();
}
