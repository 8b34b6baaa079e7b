/**
 * The page in a real browser: what a person sees, on a desk and on a phone.
 *
 * @module-tag chromium
 */

import { FakeClock } from '@chancery/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HealthServer } from '../../../operator/manager/http/health-server.ts';
import type { ProcessStatus } from '../../../operator/manager/status-page/process-status.ts';
import { StatusPage } from '../../../operator/manager/status-page/status-page.ts';
import { startBrowser } from '../../support/browser.ts';
import { exampleStatus, NO_KEYS } from './example-status.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(() => browser.close());

interface Shown {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: readonly string[];
  /** What the page asked for, by path. */
  readonly asked: readonly string[];
  change(status: Partial<ProcessStatus>): void;
  stop(): Promise<void>;
}

interface ShownOptions {
  readonly status?: Partial<ProcessStatus>;
  /** What stands on the page when it can be looked at. */
  readonly until?: string;
  /** Called before the page is opened. */
  readonly before?: (page: Page) => Promise<void>;
}

async function shown(width: number, height: number, options: ShownOptions = {}): Promise<Shown> {
  const clock = new FakeClock();
  let status = exampleStatus(options.status);
  const statusPage = new StatusPage({ clock, status: () => status, keys: NO_KEYS });
  const server = new HealthServer({
    port: 0,
    host: '127.0.0.1',
    live: [],
    ready: [],
    others: (request, response) => statusPage.answer(request, response),
  });
  await server.start();
  const stop = async (): Promise<void> => {
    statusPage.stop();
    await server.stop();
  };
  onTestFinished(stop);
  const page = await browser.newPage({ viewport: { width, height } });
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await options.before?.(page);
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await page.getByText(options.until ?? 'live, 12:34:56 UTC').waitFor();
  return {
    page,
    complaints,
    asked,
    change: (changes) => {
      status = exampleStatus(changes);
      clock.advance(1_000);
    },
    stop,
  };
}

/** The rows of a section, cell by cell. */
async function rows(page: Page, id: string): Promise<readonly (readonly string[])[]> {
  return page.evaluate(
    `Array.from(document.querySelectorAll('#${id} tbody tr'), (line) =>
      Array.from(line.children, (cell) => cell.textContent))`,
  );
}

test('the status page shows controllers, sources, writes and reconciles, and requests only its own files', async () => {
  const { page, complaints, asked } = await shown(1_280, 900);

  expect(await page.title()).toBe('web-operator-abc – ready');
  expect(await page.locator('.badge').allTextContents()).toEqual(['ready', 'running', 'leader']);
  expect(await rows(page, 'controllers')).toEqual([
    [
      'website',
      'working',
      '1 of 4',
      '2 at priority 0, 17 at priority -100',
      '5',
      '1',
      '1234',
      '2',
      '4.2 ms',
      '2.3 s',
      '3 s',
    ],
  ]);
  expect(await rows(page, 'sources')).toEqual([
    ['websites.example.dev', 'all', 'app=x', 'watching', '3', '2 KiB', '4 s', '10 min'],
    ['secrets', 'web', '–', 'forbidden', 'not synced', '0 KiB', 'never', 'never'],
  ]);
  expect(await rows(page, 'recent')).toEqual([
    ['12:34:55', 'website', 'web/<img src=x onerror=alert(1)>', 'error', '12 ms', '422 Invalid'],
    ['12:34:50', 'website', 'web/b', 'success', '3.0 ms', '–'],
  ]);
  expect(await page.locator('#writes rect').count()).toBe(60);
  expect(await page.locator('img').count()).toBe(0); // a name is text, whatever is in it
  expect([...new Set(asked)]).toEqual(['/', '/status', '/status/events', '/keys.json']);
  expect(complaints).toEqual([]);
});

test('the status page shows changes live, and reports a lost connection', async () => {
  const { page, change, stop } = await shown(1_280, 900);

  change({
    ready: false,
    phase: 'stopping',
    at: '2030-01-01T12:35:00.000Z',
    leadership: undefined,
  });
  await page.getByText('live, 12:35:00 UTC').waitFor();
  const badges = await page.locator('.badge').allTextContents();
  await stop();

  expect(badges).toEqual(['not ready', 'stopping']);
  await page
    .getByText('Connection lost. What is shown is of 12:35:00 UTC. Trying again.')
    .waitFor();
});

test('the status page lists problems first, and says that there are no problems if there are none', async () => {
  const { page, change } = await shown(1_280, 900);
  const attention = (): Promise<readonly string[]> =>
    page.locator('#attention li').allTextContents();
  const before = await attention();
  const failing = await rows(page, 'failing');

  const calm = exampleStatus();
  change({ sources: calm.sources.slice(0, 1), failing: [], at: '2030-01-01T12:36:00.000Z' });
  await page.getByText('live, 12:36:00 UTC').waitFor();

  expect(before).toEqual(['Source secrets in web: forbidden.', '1 key fails.']);
  expect(failing).toEqual([
    ['web/<img src=x onerror=alert(1)>', 'website', '7', '12:30:00', '640 ms', '422 Invalid'],
  ]);
  expect(await attention()).toEqual(['Nothing: every source is healthy, and no key fails.']);
  expect(await page.locator('#failing').isVisible()).toBe(false);
});

test('the status page of a process without controllers, sources, writes and reconciles says that there are none', async () => {
  const status = {
    ...{ controllers: [], sources: [], failing: [], recent: [] },
    writesPerMinute: new Array(60).fill(0),
  };
  const { page, complaints } = await shown(390, 844, { status });
  await page.getByText('No object is cached, and no key waits.').waitFor();

  expect(await page.locator('main p.dim:visible:not(.help)').allTextContents()).toEqual([
    '0 keys',
    'No object is cached, and no key waits.',
    'This operator has no controllers.',
    'Nothing is listed or watched.',
    'None in the last hour.',
    'No reconcile has ended yet.',
  ]);
  expect(complaints).toEqual([]);
});

test('before the first state arrives, the status page shows that it is loading, and no empty tables', async () => {
  const until = 'Loading the state of the operator…';
  const before = async (page: Page): Promise<void> => {
    await page.route('**/status/events', () => {});
  };
  const { page } = await shown(390, 844, { until, before });

  expect(await page.locator('main').isVisible()).toBe(false);
  expect(await page.locator('nav').isVisible()).toBe(false);
  expect(await page.locator('#link').textContent()).toBe('connecting…');
});

test('the status page connects again after a refusal, and explains why keys wait', async () => {
  let refusals = 0;
  const before = async (page: Page): Promise<void> => {
    await page.clock.install();
    await page.route('**/status/events', (route) =>
      refusals++ === 0 ? route.fulfill({ status: 503, body: 'too many' }) : route.continue(),
    );
    await page.route('**/keys.json**', (route) => route.fulfill({ status: 500, body: 'no' }));
  };
  const until = 'The operator does not answer. Trying again.';
  const { page } = await shown(1_280, 900, { until, before });

  await page.clock.fastForward(10_000);
  await page.getByText('live, 12:34:56 UTC').waitFor();

  await page.getByText('The keys cannot be shown. 500: no').waitFor();
});

const SHARING: ProcessStatus['sharding'] = {
  lease: 'web-system/web',
  division: 'sharded/4/uid',
  groups: [
    { group: 0, phase: 'owning', holder: 'web-operator-abc_1' },
    { group: 1, phase: 'foreign', holder: '<img src=x onerror=alert(1)>' },
    { group: 2, phase: 'lost', holder: undefined },
    { group: 3, phase: 'owning', holder: 'web-operator-abc_1' },
  ],
  members: [
    { identity: 'web-operator-abc_1', division: 'sharded/4/uid', fresh: true, unchangedSeconds: 4 },
    { identity: 'dead_1', division: 'sharded/4/uid', fresh: false, unchangedSeconds: 90 },
    { identity: 'new_1', division: 'sharded/8/uid', fresh: true, unchangedSeconds: 0 },
  ],
};

test('[SH-10] the status page shows groups with their holders and replicas with their age, if any', async () => {
  const { page, change, complaints } = await shown(1_280, 900);
  expect(await page.locator('#of-groups').isVisible()).toBe(false);

  change({ leadership: undefined, sharding: SHARING });
  await page.locator('#of-groups').waitFor();

  expect(await page.locator('.badge').allTextContents()).toEqual([
    'ready',
    'running',
    '2 of 4 groups',
  ]);
  expect(await rows(page, 'groups')).toEqual([
    ['0', 'owning', 'web-operator-abc_1'],
    ['1', 'foreign', '<img src=x onerror=alert(1)>'],
    ['2', 'lost', 'nobody'],
    ['3', 'owning', 'web-operator-abc_1'],
  ]);
  expect(await rows(page, 'members')).toEqual([
    ['web-operator-abc_1', 'alive', '2', '4 s'],
    ['dead_1', 'silent', '0', '2 min'],
    ['new_1', 'waits: sharded/8/uid', '0', '0 s'],
  ]);
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the status page explains how to get and replay a record when the process is recorded', async () => {
  const { page, change } = await shown(1_280, 900);
  expect(await page.locator('#of-recording').isVisible()).toBe(false);

  change({ recording: { minutes: 5, endpoint: false } });
  await page.locator('#of-recording').waitFor();
  expect(await page.locator('#recording').innerText()).toBe(
    'What happened in the last 5 min is kept. To get a record of it: SIGQUIT.',
  );

  change({ recording: { minutes: 10, endpoint: true } });
  await page.getByText('POST /debug/record on this port').waitFor();
  expect(await page.locator('#of-recording').innerText()).toContain('chancery replay FILE --html');
});

test('the status page is readable on a phone: nothing is wider than the screen, and each value has a label', async () => {
  const { page, change } = await shown(360, 740);
  change({ sharding: SHARING });
  await page.locator('#of-groups').waitFor();

  const isWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  const cutOff = await page.evaluate(
    "[...document.querySelectorAll('td')].filter((td) => td.scrollWidth > td.clientWidth + 1).length",
  );
  const label = await page.evaluate(
    "getComputedStyle(document.querySelector('#sources td'), '::before').content",
  );
  const picture = await page.screenshot({ fullPage: true });

  expect({ isWide, cutOff }).toEqual({ isWide: false, cutOff: 0 });
  expect(label).toBe('"Resource"');
  expect(layoutOf(picture)).toMatchObject({ width: 360 });
  expect(layoutOf(picture).height).toBeGreaterThan(740); // rows stand under each other
});

/** From the header of a PNG. */
function layoutOf(png: Buffer): { readonly width: number; readonly height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
