import { eventually, FakeClock } from '@chancery/testing';
import type { Runnable } from 'chancery';
import { expect, onTestFinished, test } from 'vitest';
import type { AlertOptions } from '../../contract/alert-options.ts';
import { type Alerts, alertMessage, alerts, MAX_WAITING, sendAlert } from '../../tell/alerts.ts';
import type { Regarding } from '../../tell/observer.ts';
import { change } from '../restart/requests.ts';
import { serve, status } from './servers.ts';

/** These runnables ask for nothing of it. */
const NO_CONTEXT = {} as Parameters<Runnable['run']>[1];

const TEXT =
  'Changes of *app-config* of type *CONFIGMAP* in namespace *demo* restart *web* of type *Deployment* in namespace *demo*';

const to = (url: string, given: Partial<AlertOptions> = {}): AlertOptions => ({
  sink: 'slack',
  url,
  proxy: undefined,
  additionalInfo: undefined,
  ...given,
});

const send = (options: AlertOptions, clock = new FakeClock()): Promise<string | undefined> =>
  sendAlert(TEXT, { ...options, clock, timeoutMs: 10_000 }, new AbortController().signal);

/** Runs the alerts until the test ends; `warnings` are the facts and words of the log. */
function started(options: AlertOptions) {
  const clock = new FakeClock();
  const warnings: unknown[] = [];
  let lost = 0;
  const sender: Alerts = alerts({ ...options, clock, timeoutMs: 10_000, lost: () => lost++ });
  const stop = new AbortController();
  const ended = sender.runnable.run(stop.signal, NO_CONTEXT);
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const log = { warn: (...words: unknown[]) => warnings.push(words) };
  const restart = (name: string, dryRun = false): void => {
    const about = { kind: 'Deployment', namespace: 'demo', name, context: { dryRun, log } };
    sender.observer.restarted?.(about as unknown as Regarding, [change('app-config')], 1);
  };
  return { clock, restart, warnings, lost: () => lost };
}

test.each<[AlertOptions['sink'], string, string]>([
  [
    'slack',
    'application/json',
    `{"attachments":[{"author_name":"Reloader","color":"good","text":"${TEXT}"}]}`,
  ],
  ['teams', 'application/json', `{"text":"${TEXT}"}`],
  ['gchat', 'application/json', `{"text":"${TEXT}"}`],
  [
    'raw',
    'text/plain',
    'Changes of app-config of type CONFIGMAP in namespace demo restart web of type Deployment in namespace demo',
  ],
])('[reloader 21] an alert for %s has the type %s and exactly the expected body', async (sink, type, body) => {
  const server = await serve(status(200));

  const reason = await send(to(`${server.url}/hook?key=secret`, { sink }));

  expect(reason).toBeUndefined();
  expect(server.received).toMatchObject([
    { method: 'POST', path: '/hook?key=secret', body, headers: { 'content-type': type } },
  ]);
});

test.each([
  [undefined, 'text *x*', 'text x'],
  ['', ' : text *x*', ' : text x'],
  ['cluster *A*', 'cluster *A* : text *x*', 'cluster A : text x'],
])('the additional information %j precedes the text of an alert', (additionalInfo, chat, raw) => {
  const body = (sink: AlertOptions['sink']): string =>
    alertMessage('text *x*', { sink, additionalInfo }).body;

  expect(body('gchat')).toBe(JSON.stringify({ text: chat }));
  expect(body('raw')).toBe(raw);
});

test.each<[AlertOptions['sink'], readonly number[], readonly number[]]>([
  ['slack', [200, 204, 304], [302, 307, 400, 404, 500]],
  ['raw', [200, 201], [301, 303, 308, 403, 503]],
  ['teams', [200], [201, 202, 302, 400, 500]],
  ['gchat', [200], [204, 500]],
])('the sink %s accepts only the responses %j', async (sink, good, bad) => {
  const server = await serve((response, { path }) =>
    status(Number(path?.slice(1)), { location: '/200' })(response),
  );
  const reasons = async (codes: readonly number[]): Promise<readonly (string | undefined)[]> =>
    Promise.all(codes.map((code) => send(to(`${server.url}/${code}`, { sink }))));

  expect(await reasons(good)).toEqual(good.map(() => undefined));
  expect(await reasons(bad)).toEqual(bad.map((code) => expect.stringContaining(String(code))));
});

test('[reloader 21] a redirect is refused, and nothing is sent to its target', async () => {
  const elsewhere = await serve(status(200));
  const server = await serve(status(302, { location: `${elsewhere.url}/token` }));

  const reason = await send(to(`${server.url}/hook`));

  expect(reason).toBe('the server answered 302, and redirects are refused');
  expect(elsewhere.received).toEqual([]);
});

test('[reloader 21] [reloader R19] a hanging alert server delays no restart, and only the alert that got no response is lost', async () => {
  const server = await serve((response, { body }) => {
    if (!body.includes('hangs')) status(200)(response);
  });
  const { clock, restart, warnings, lost } = started(to(`${server.url}/services/SECRET-PATH`));

  restart('hangs'); // returns at once
  await eventually(() => server.received.length === 1);
  restart('web');
  clock.advance(9_999);
  expect(server.received).toHaveLength(1);
  clock.advance(1);

  await eventually(() => server.received.length === 2);
  expect(server.received[1]?.body).toContain('*web*');
  expect(warnings).toEqual([[{ reason: 'no answer within 10000 ms' }, 'alert not delivered']]);
  expect(lost()).toBe(1);
});

test('the number of waiting alerts is limited: further alerts are dropped and counted, and this is logged once', async () => {
  const server = await serve(() => {}); // hangs
  const { restart, warnings, lost } = started(to(server.url));

  restart('first');
  await eventually(() => server.received.length === 1);
  for (let n = 0; n < MAX_WAITING + 7; n++) restart(`web-${n}`);

  expect(lost()).toBe(7);
  expect(warnings).toEqual([[{ waiting: MAX_WAITING }, 'alerts are dropped, too many wait']]);
});

test('a dry run sends no alert', async () => {
  const server = await serve(status(200));
  const { restart } = started(to(server.url));

  restart('not-really', true);
  restart('web');

  await eventually(() => server.received.length === 1);
  expect(server.received[0]?.body).toContain('*web*');
});

test('the reason for an unreachable server does not contain the address of the server', async () => {
  const reason = await send(to('http://127.0.0.1:1/services/SECRET-PATH'));

  expect(reason).toBe('the request failed: ECONNREFUSED');
});

test('credentials in the URL are sent in the header authorization', async () => {
  const server = await serve(status(200));

  await send(to(server.url.replace('//', '//me:pa%20ss@')));

  const expected = `Basic ${Buffer.from('me:pa ss').toString('base64')}`;
  expect(server.received[0]?.headers.authorization).toBe(expected);
});
