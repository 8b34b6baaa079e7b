/**
 * The built site in a real browser, on a desk and on a phone, and its files.
 *
 * @module-tag chromium
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { SECTIONS } from '../../docs/.vitepress/site/structure.ts';
import { startBrowser } from '../support/browser.ts';
import { BASE, buildSite } from './support/built-site.ts';
import { deadLinksOfTexts } from './support/dead-links.ts';
import { type StaticServer, serveFolder } from './support/static-server.ts';

const BUILD_TIMEOUT_MS = 300_000;
/** axe looks at every element of a page; on a machine that others use a page takes 10 s. */
const SLOW_MS = 180_000;
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const SIZES = [
  { name: 'a desk', width: 1440, height: 900 },
  { name: 'a phone', width: 390, height: 844 },
] as const;
type Size = (typeof SIZES)[number];

let folder = '';
let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  folder = await buildSite();
  server = await serveFolder(folder, BASE);
  browser = await startBrowser();
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

interface Shown {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: readonly string[];
  /** Requests that left the site. */
  readonly elsewhere: readonly string[];
}

async function shown(path: string, { width, height }: Size, isDark = false): Promise<Shown> {
  const colorScheme = isDark ? 'dark' : 'light';
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(server.url)) {
      elsewhere.push(request.url());
    }
  });
  await page.goto(`${server.url}${path}`, { waitUntil: 'networkidle' });
  return { page, complaints, elsewhere };
}

test.each(SIZES)('on $name, a search for "finalizer" finds the guide', {
  timeout: SLOW_MS,
}, async (size) => {
  const { page, complaints, elsewhere } = await shown('/', size);

  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('finalizer');
  const results = page.locator('#localsearch-list a');
  await results.first().waitFor();
  const links = await results.evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  expect(links.some((link) => link?.startsWith(`${BASE}guides/write/operators#`))).toBe(true);
  await page.locator(`#localsearch-list a[href^="${BASE}guides/write/operators#"]`).first().click();

  await page.getByRole('heading', { level: 1, name: 'Writing an operator' }).waitFor();
  expect(complaints).toEqual([]);
  expect(elsewhere).toEqual([]);
});

test.each(SIZES)('on $name, no page is wider than the screen', {
  timeout: SLOW_MS,
}, async (size) => {
  for (const path of ['/', '/start/first-operator', '/reference/settings', '/guides/write/hooks']) {
    const { page } = await shown(path, size);

    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect([path, width]).toEqual([path, size.width]);
  }
});

test.each(SIZES)('on $name, axe finds no serious problem, in the light and the dark theme', {
  timeout: SLOW_MS,
}, async (size) => {
  for (const path of ['/', '/start/first-operator', '/reference/commands']) {
    for (const isDark of [false, true]) {
      const { page } = await shown(path, size, isDark);

      await page.addScriptTag({ path: axe });
      const found = (await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({
          id, impact, nodes: nodes.map(({ html, any }) => html + ' ' + any.map(({ message }) => message)) })))`,
      )) as readonly { readonly impact: string }[];
      const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect([path, isDark, serious]).toEqual([path, isDark, []]);
    }
  }
});

test('the tutorial leads from its first page to the next', async () => {
  const { page, complaints, elsewhere } = await shown('/tutorial/', SIZES[0]);

  await page.locator(`.vp-doc a[href^="${BASE}tutorial/1-"]`).first().click();
  await page.waitForURL('**/tutorial/1-*');
  await page.locator(`.vp-doc a[href^="${BASE}tutorial/2-"]`).first().click();
  await page.waitForURL('**/tutorial/2-*');
  // The address changes before the page is there.
  await page.locator('.file-name').first().waitFor();

  expect(complaints).toEqual([]);
  expect(elsewhere).toEqual([]);
});

test('every link of a built page leads to an existing page and heading', () => {
  const htmlOf = new Map(
    globSync('**/*.html', { cwd: folder }).map((file) => [
      `${BASE}${file.replace(/(?:index)?\.html$/, '')}`,
      readFileSync(join(folder, file), 'utf8'),
    ]),
  );
  const dead: string[] = [];
  let links = 0;
  for (const [path, html] of htmlOf) {
    for (const [, link = ''] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      links += 1;
      const { pathname, hash } = new URL(link, `http://site${path}`);
      const target = htmlOf.get(posix.normalize(pathname));
      const id = decodeURIComponent(hash.slice(1));
      if (target === undefined || (id !== '' && !target.includes(`id="${id}"`))) {
        dead.push(`${path}: ${link}`);
      }
    }
  }

  expect(links).toBeGreaterThan(1_000);
  expect([...new Set(dead)]).toEqual([]);
});

test('in the Markdown copy of a page, every link leads to an existing file', () => {
  const { dead, links } = deadLinksOfTexts(folder, BASE);

  expect(links).toBeGreaterThan(1_000);
  expect(dead).toEqual([]);
});

test('no page has the same name as a folder, because some servers would answer with the folder', () => {
  const pages = globSync('**/*.html', { cwd: folder });
  const clashes = pages.filter((file) => existsSync(join(folder, file.replace(/\.html$/, ''))));

  expect(pages.length).toBeGreaterThan(50);
  expect(clashes).toEqual([]);
});

test('llms.txt has a link to the API reference, which exists as Markdown', async () => {
  const [, path = ''] =
    /\(([^)]*reference\/api\/[^)]*)\)/.exec(readFileSync(join(folder, 'llms.txt'), 'utf8')) ?? [];

  const response = await fetch(`${server.url}/${path.slice(BASE.length)}`);

  expect([path, response.status]).toEqual([`${BASE}reference/api/index.md`, 200]);
  expect(await response.text()).toContain(`(${BASE}reference/api/chancery/index.md)`);
});

test('every page also exists as Markdown, and llms.txt lists it', async () => {
  const index = readFileSync(join(folder, 'llms.txt'), 'utf8');
  const whole = readFileSync(join(folder, 'llms-full.txt'), 'utf8');

  for (const page of SECTIONS.flatMap(({ groups }) => groups.flatMap((group) => group.pages))) {
    const response = await fetch(`${server.url}/${page}`);
    const text = await response.text();
    expect([page, response.status]).toEqual([page, 200]);
    expect(text).toMatch(/^# /m);
    expect(index).toContain(`(${BASE}${page})`);
    expect(whole).toContain(text);
  }
});
