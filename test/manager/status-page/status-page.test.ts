import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { HealthServer } from '../../../operator/manager/http/health-server.ts';
import { answersOff, StatusPage } from '../../../operator/manager/status-page/status-page.ts';
import { exampleStatus, NO_KEYS } from './example-status.ts';

async function served(): Promise<{
  url: string;
  clock: FakeClock;
  page: StatusPage;
  looks: () => number;
}> {
  const clock = new FakeClock();
  let looks = 0;
  const page = new StatusPage({
    clock,
    status: () => exampleStatus({ uptimeSeconds: ++looks }),
    keys: NO_KEYS,
  });
  const server = new HealthServer({
    port: 0,
    host: '127.0.0.1',
    live: [],
    ready: [],
    others: (request, response) => page.answer(request, response),
  });
  await server.start();
  onTestFinished(async () => {
    page.stop();
    await server.stop();
  });
  return { url: `http://127.0.0.1:${server.port}`, clock, page, looks: () => looks };
}

async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  response.on('error', () => {});
  onTestFinished(() => void response.destroy());
  return response;
}

/** The events that a stream has sent so far. */
function collected(response: IncomingMessage): { uptimeSeconds: number }[] {
  const events: { uptimeSeconds: number }[] = [];
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    for (const event of chunk.split('\n\n').filter(Boolean)) {
      events.push(JSON.parse(event.slice('data: '.length)));
    }
  });
  return events;
}

test('the status page may run only its own script, and loads nothing from other hosts', async () => {
  const { url } = await served();

  const response = await fetch(`${url}/status`);
  const html = await response.text();

  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'/,
  );
  expect(policy).not.toContain('unsafe');
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(html).not.toContain('innerHTML');
});

test('the status page is one file with its style and script inline, and the policy names their digests', async () => {
  const { url } = await served();

  const response = await fetch(`${url}/status`);
  const html = await response.text();

  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(html) ?? [];
  const digest = (text: string): string => createHash('sha256').update(text).digest('base64');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(style).toContain('color-scheme: light dark');
  expect(script).toContain("new EventSource('status/events')");
  expect(policy).toContain(`style-src 'sha256-${digest(style)}'; `);
  expect(policy).toContain(`script-src 'sha256-${digest(script)}'; `);
  expect(html).not.toMatch(/<link|\bsrc=/);
});

test('the root redirects to the status page, the probes still work, and an unknown path is 404', async () => {
  const { url } = await served();

  const root = await fetch(`${url}/`, { redirect: 'manual' });
  const probe = await fetch(`${url}/healthz`);
  const unknown = await fetch(`${url}/secrets`);

  expect([root.status, root.headers.get('location')]).toEqual([302, 'status']);
  expect([probe.status, await probe.text()]).toEqual([200, 'ok']);
  expect(unknown.status).toBe(404);
});

test.each([
  ['why.json', 400],
  ['why.json?key=', 400],
  [`why.json?key=${'x'.repeat(318)}`, 400],
  ['why.json?key=demo/a&controller=nobody', 404],
  ['why.json?key=demo/a', 200],
  ['keys.json', 200],
  ['keys.json?search=a&state=failing', 200],
  ['keys.json?state=broken', 400],
  [`keys.json?search=${'x'.repeat(318)}`, 400],
  ['keys.json?controller=nobody', 404],
])('a request for /%s is answered with %i, and an error response contains the problem', async (path, status) => {
  const { url } = await served();

  const response = await fetch(`${url}/${path}`);
  const text = await response.text();

  expect(response.status).toBe(status);
  if (status === 200) expect(JSON.parse(text)).toMatchObject({ at: '2030-01-01T12:34:56.000Z' });
  else expect(text).toMatch(/^(?:key must be|state must be|there is no controller of this name)/);
});

test('a disabled status page says that it is disabled at each of its paths, and at no other path', async () => {
  const server = new HealthServer({
    ...{ port: 0, host: '127.0.0.1', live: [], ready: [] },
    others: answersOff,
  });
  await server.start();
  onTestFinished(() => server.stop());
  const ask = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${server.port}/${path}`)).text();

  const paths = ['', 'status', 'status.json', 'status/events', 'why.json?key=a', 'keys.json'];
  const texts = await Promise.all(paths.map(ask));

  expect(new Set(texts)).toEqual(
    new Set(['the status page is turned off: CHANCERY_STATUS_PAGE=false\n']),
  );
  expect(await ask('secrets')).toBe('404 page not found\n');
});

test('/status.json contains the same state as the page', async () => {
  const { url } = await served();

  const status = await (await fetch(`${url}/status.json`)).json();

  expect(status).toEqual(JSON.parse(JSON.stringify(exampleStatus({ uptimeSeconds: 1 }))));
});

test('once a second all open pages get the new state from a single snapshot; without open pages no snapshot is taken', async () => {
  const { url, clock, looks } = await served();
  const [one, two] = [await open(`${url}/status/events`), await open(`${url}/status/events`)];
  const [first, second] = [collected(one), collected(two)];
  await eventually(() => first.length === 1 && second.length === 1);

  clock.advance(1_000);
  await eventually(() => first.length === 2 && second.length === 2);
  one.destroy();
  two.destroy();
  await eventually(() => clock.pending === 0);
  clock.advance(10_000);

  expect(first.map(({ uptimeSeconds }) => uptimeSeconds)).toEqual([1, 3]);
  expect(second.map(({ uptimeSeconds }) => uptimeSeconds)).toEqual([2, 3]);
  expect(looks()).toBe(3);
});

test('the status page refuses more than 16 event streams, and ends all of them when the process stops', async () => {
  const { url, page } = await served();
  const open16 = await Promise.all(Array.from({ length: 16 }, () => open(`${url}/status/events`)));

  const refused = await fetch(`${url}/status/events`);
  page.stop();

  expect(refused.status).toBe(503);
  await eventually(() => open16.every(({ closed }) => closed));
});
