import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { proxyCommand, waitForAmbassador } from '../../operator/manager/safety/visible-token.ts';
import { recordingLog } from '../support/recording-log.ts';

/** A wait for what listens from `listensAtMs` on. */
function waiting(listensAtMs: number) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const { lines, logFor } = recordingLog();
  let endedAtMs: number | undefined;
  const ended = waitForAmbassador(
    async () => clock.monotonic() >= listensAtMs,
    { clock, log: logFor({}), apiUrl: 'http://127.0.0.1:8001' },
    stop.signal,
  ).then(() => {
    endedAtMs = clock.monotonic();
  });
  ended.catch(() => {});
  return { clock, stop, lines, ended, endedAt: () => endedAtMs };
}

test('[P-18] if the ambassador already runs, there is no wait and no log line', async () => {
  const { endedAt, lines, ended } = waiting(0);

  await ended;

  expect(endedAt()).toBe(0);
  expect(lines).toEqual([]);
});

test('[P-18] an ambassador that starts after 20 s is noticed within a quarter of a second, with one log line', async () => {
  const { clock, endedAt, lines } = waiting(20_100);

  await clock.advanceAndSettle(30_000);

  expect(endedAt()).toBe(20_250);
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info waiting for the ambassador',
  ]);
  expect(lines[0]?.fields).toEqual({
    apiUrl: 'http://127.0.0.1:8001',
    remedy: expect.stringContaining('start it: kubectl proxy --port=8001, or chancery proxy'),
  });
});

test('[P-18] a missing ambassador is not a failure: after a minute the sources start to retry', async () => {
  const { clock, endedAt, lines } = waiting(Number.POSITIVE_INFINITY);

  await clock.advanceAndSettle(120_000);

  expect(endedAt()).toBe(60_000);
  expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info waiting for the ambassador',
    'warn no ambassador listens; the sources keep trying',
  ]);
  expect(clock.pending).toBe(0);
});

test('stopping ends the wait for the ambassador at once', async () => {
  const { clock, stop, ended } = waiting(Number.POSITIVE_INFINITY);
  await settle();

  stop.abort(new Error('stop'));

  await expect(ended).rejects.toThrow('stop');
  expect(clock.pending).toBe(0);
});

test.each([
  ['http://127.0.0.1:8001', 'kubectl proxy --port=8001'],
  ['http://localhost', 'kubectl proxy --port=80'],
  ['unix:/run/proxy.sock', 'kubectl proxy --unix-socket=/run/proxy.sock'],
])('[N-3] the command for an ambassador at %s is %s', (apiUrl, command) => {
  expect(proxyCommand(apiUrl)).toBe(command);
});
