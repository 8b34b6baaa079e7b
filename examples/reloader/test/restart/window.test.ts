import { expect, test } from 'vitest';
import {
  PENDING,
  RESTART_WINDOW,
  type RestartWindows,
  restartWindows,
  windowGate,
} from '../../restart/window.ts';
import { change, request } from './requests.ts';

const ms = (time: string): number => Date.parse(time);

function windowsOf(cron: string, duration: string, timezone?: string): RestartWindows {
  const windows = restartWindows(JSON.stringify({ timezone, windows: [{ cron, duration }] }));
  return 'problem' in windows ? expect.unreachable(windows.problem) : windows;
}

const opens = (windows: RestartWindows, after: string): string =>
  new Date(windows.opensAfter(ms(after))).toISOString();

function inWindow(text: string, name = 'web') {
  return request(name, { annotations: { [RESTART_WINDOW]: text } });
}

const NIGHT = JSON.stringify({
  timezone: 'Europe/Berlin',
  windows: [{ cron: '0 2 * * *', duration: '2h' }],
});

test('[reloader 25] a restart waits until its window opens, and then happens at once', () => {
  const gate = windowGate();

  const evening = gate.leftMs(inWindow(NIGHT), ms('2030-01-07T20:00:00Z'));
  const before = gate.leftMs(inWindow(NIGHT), ms('2030-01-08T00:59:59.999Z'));
  const begin = gate.leftMs(inWindow(NIGHT), ms('2030-01-08T01:00:00Z'));
  const last = gate.leftMs(inWindow(NIGHT), ms('2030-01-08T02:59:59.999Z'));
  const end = gate.leftMs(inWindow(NIGHT), ms('2030-01-08T03:00:00Z'));

  expect(evening).toEqual({
    waitMs: 3_600_000, // asked again each hour
    reason: 'window',
    note: 'The restart for configmap/app-config waits until the restart window opens: 2030-01-08T01:00:00Z.',
    annotations: {
      [PENDING]:
        '{"reason":"window","resources":["configmap/app-config"],"opens":"2030-01-08T01:00:00Z"}',
    },
  });
  expect(before?.waitMs).toBe(1);
  expect(begin).toBeUndefined();
  expect(last).toBeUndefined();
  expect(end?.note).toContain('2030-01-09T01:00:00Z');
});

test('[reloader 25] a new process computes the same pending annotation', () => {
  const changes = [change('app-config'), change('db', 'SECRET')];
  const asked = request('web', { annotations: { [RESTART_WINDOW]: NIGHT }, changes });

  const first = windowGate().leftMs(asked, ms('2030-01-07T20:00:00Z'));
  const again = windowGate().leftMs(asked, ms('2030-01-07T23:17:00Z'));

  expect(again?.annotations).toEqual(first?.annotations);
  expect(first?.annotations?.[PENDING]).toContain('["configmap/app-config","secret/db"]');
  expect(first?.annotations?.[PENDING]).not.toContain('aaaa'); // a hash
  expect(windowGate().annotations).toEqual([PENDING]);
});

test('a workload without the annotation restarts at any time', () => {
  expect(windowGate().leftMs(request('web'), ms('2030-01-07T20:00:00Z'))).toBeUndefined();
  expect(windowGate().problems?.(request('web').workload)).toEqual([]);
});

test('each of several windows allows a restart, and a restart waits for the next window', () => {
  const windows = restartWindows(
    JSON.stringify({
      windows: [
        { cron: '0 22 * * FRI', duration: '10h' },
        { cron: '30 12 * * 1-5', duration: '15m' },
      ],
    }),
  );
  if ('problem' in windows) return expect.unreachable(windows.problem);

  expect(windows.isOpen(ms('2030-01-12T07:59:00Z'))).toBe(true); // a Saturday
  expect(windows.isOpen(ms('2030-01-12T08:00:00Z'))).toBe(false);
  expect(windows.isOpen(ms('2030-01-08T12:44:00Z'))).toBe(true);
  expect(opens(windows, '2030-01-08T12:44:00Z')).toBe('2030-01-09T12:30:00.000Z');
  expect(opens(windows, '2030-01-11T13:00:00Z')).toBe('2030-01-11T22:00:00.000Z');
});

test('[reloader 25] if a clock change skips the start of a window, the window opens right after the change; if the start occurs twice, it opens the first time', () => {
  const skipped = windowsOf('30 2 * * *', '1h', 'Europe/Berlin');
  const twice = windowsOf('30 2 * * *', '2h', 'Europe/Berlin');

  expect(opens(skipped, '2030-03-30T12:00:00Z')).toBe('2030-03-31T01:00:00.000Z'); // 03:00 on the wall
  expect(opens(twice, '2030-10-26T12:00:00Z')).toBe('2030-10-27T00:30:00.000Z');
  expect(twice.isOpen(ms('2030-10-27T02:29:00Z'))).toBe(true);
  expect(twice.isOpen(ms('2030-10-27T02:31:00Z'))).toBe(false); // two hours have passed
});

test("without a time zone, a window is in UTC, whatever the container's time zone is", () => {
  expect(opens(windowsOf('0 2 * * *', '1h'), '2030-07-01T00:00:00Z')).toBe(
    '2030-07-01T02:00:00.000Z',
  );
  expect(opens(windowsOf('0 2 * * *', '1h', 'Asia/Tokyo'), '2030-07-01T00:00:00Z')).toBe(
    '2030-07-01T17:00:00.000Z',
  );
});

const entry = (cron: string, duration: string): object => ({ cron, duration });
const text = (timezone: string, ...windows: object[]): string =>
  JSON.stringify({ timezone, windows });

test.each([
  ['a value that is not JSON', 'at night', 'must be a JSON object'],
  ['an empty value', '', 'must be a JSON object'],
  ['a list', '[]', 'must be a JSON object'],
  ['a number', '7', 'must be a JSON object'],
  ['an unknown time zone', text('Europe/Atlantis', entry('0 2 * * *', '1h')), 'Europe/Atlantis'],
  [
    'the time zone in the field that CronJobs use',
    JSON.stringify({ timeZone: 'Europe/Berlin', windows: [entry('0 2 * * *', '1h')] }),
    'unknown key "timeZone": known are timezone and windows',
  ],
  [
    'a time zone in a window',
    text('UTC', { cron: '0 2 * * *', duration: '1h', timezone: 'Asia/Tokyo' }),
    'unknown key "timezone": known are cron and duration',
  ],
  ['no window', text('UTC'), 'must have 1 to 32 windows'],
  ['a window without cron', text('UTC', { duration: '1h' }), 'must have cron and duration'],
  ['a window that is not an object', '{"windows":["0 2 * * *"]}', 'must have cron and duration'],
  ['an invalid hour', text('UTC', entry('0 25 * * *', '1h')), '0 25 * * *'],
  ['a field for seconds', text('UTC', entry('0 0 2 * * *', '1h')), 'five usable fields'],
  ['a nickname such as @daily', text('UTC', entry('@daily', '1h')), 'five usable fields'],
  ['a date that does not exist', text('UTC', entry('0 0 30 2 *', '1h')), '0 0 30 2 *'],
  ['an invalid duration', text('UTC', entry('0 2 * * *', '2 hours')), '2 hours'],
  ['a duration of zero', text('UTC', entry('0 2 * * *', '0s')), '0s'],
  ['a negative duration', text('UTC', entry('0 2 * * *', '-1h')), '-1h'],
  [
    'an invalid second window',
    text('UTC', entry('0 2 * * *', '1h'), entry('x', '1h')),
    'cron expression "x"',
  ],
  ['an endless value', ' '.repeat(5_000), 'longer than 4096'],
])('with %s in the annotation, the restart waits, and a problem is reported', (_, value, words) => {
  const asked = inWindow(value);
  const gate = windowGate();

  const wait = gate.leftMs(asked, ms('2030-01-08T02:30:00Z'));
  const problems = gate.problems?.(asked.workload) ?? [];

  expect(wait).toMatchObject({ reason: 'window-invalid', waitMs: 3_600_000 });
  expect(wait?.annotations?.[PENDING]).toBe(
    '{"reason":"window-invalid","resources":["configmap/app-config"]}',
  );
  expect(problems).toHaveLength(1);
  expect(problems[0]?.annotation).toBe(RESTART_WINDOW);
  expect(problems[0]?.message).toContain(words);
  expect(wait?.note).toContain(words);
});

test('[found 2] parsed windows are cached up to a limit, and a window that is too long is not cached', () => {
  const read = (at: number, count: number): unknown => {
    const windows = Array.from({ length: count }, (_, minute) => ({
      cron: `${minute} ${at % 24} * * *`,
      duration: `${at + 1}s`,
    }));
    return restartWindows(JSON.stringify({ windows }));
  };
  const first = read(1_000, 2);
  expect(read(1_000, 2)).toBe(first);

  for (let at = 0; at < 8; at++) read(at, 32);

  expect(read(1_000, 2)).not.toBe(first);
  expect(read(7, 32)).toBe(read(7, 32));
  const long = ' '.repeat(5_000);
  expect(restartWindows(long)).toEqual({ problem: 'is longer than 4096 characters' });
  expect(restartWindows(long)).not.toBe(restartWindows(long));
});
