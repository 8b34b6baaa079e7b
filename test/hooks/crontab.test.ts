import { expect, test } from 'vitest';
import { parseCrontab } from '../../operator/hooks/engine/crontab.ts';

/** The first times of a schedule after a time, RFC 3339 without milliseconds. */
function timesOf(crontab: string, after: string, count: number): readonly string[] {
  const schedule = parseCrontab(crontab);
  const times: string[] = [];
  let time = new Date(after);
  while (times.length < count) {
    const next = schedule.next(time);
    if (next === undefined) break;
    times.push(next.toISOString().replace('.000Z', 'Z'));
    time = next;
  }
  return times;
}

test.each<[string, string, readonly string[]]>([
  ['TZ=UTC */20 * * * *', '2026-05-04T10:05:30Z', ['2026-05-04T10:20:00Z', '2026-05-04T10:40:00Z']],
  [
    'TZ=UTC 10/25 9 * * *',
    '2026-05-04T09:10:00Z',
    ['2026-05-04T09:35:00Z', '2026-05-05T09:10:00Z'],
  ],
  [
    'TZ=UTC 15,45 0 0 1 JAN ?',
    '2026-05-04T00:00:00Z',
    ['2027-01-01T00:00:15Z', '2027-01-01T00:00:45Z'],
  ],
  ['CRON_TZ=Asia/Kolkata 30 6 * * Mon-Fri/4', '2026-05-04T02:00:00Z', ['2026-05-08T01:00:00Z']],
  ['TZ=UTC @weekly', '2026-05-04T00:00:00Z', ['2026-05-10T00:00:00Z', '2026-05-17T00:00:00Z']],
  ['TZ=UTC @hourly', '2026-05-04T00:00:00Z', ['2026-05-04T01:00:00Z', '2026-05-04T02:00:00Z']],
  ['@every 1m30.9s', '2026-05-04T00:00:00.700Z', ['2026-05-04T00:01:30Z', '2026-05-04T00:03:00Z']],
  ['@every 10ms', '2026-05-04T00:00:00.700Z', ['2026-05-04T00:00:01Z', '2026-05-04T00:00:02Z']],
])('%s after %s comes at %j', (crontab, after, expected) => {
  expect(timesOf(crontab, after, expected.length)).toEqual(expected);
});

test('a day matches by the month or by the week, and `*` in one leaves the decision to the other', () => {
  const both = timesOf('TZ=UTC 0 0 13 * 5', '2026-02-01T00:00:00Z', 3);
  const week = timesOf('TZ=UTC 0 0 * * 5', '2026-02-01T00:00:00Z', 1);
  const stepped = timesOf('TZ=UTC 0 0 */10 * 0', '2026-02-02T00:00:00Z', 2);

  expect(both).toEqual(['2026-02-06T00:00:00Z', '2026-02-13T00:00:00Z', '2026-02-20T00:00:00Z']);
  expect(week).toEqual(['2026-02-06T00:00:00Z']);
  expect(stepped).toEqual(['2026-02-08T00:00:00Z', '2026-02-11T00:00:00Z']);
});

test('a time that the clocks leave out comes once, when they have moved on', () => {
  const times = timesOf('TZ=America/New_York 30 2 * * *', '2026-03-07T12:00:00Z', 2);

  expect(times).toEqual(['2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z']);
});

test('a day that never comes has no next time', () => {
  expect(timesOf('0 0 31 4 *', '2026-01-01T00:00:00Z', 1)).toEqual([]);
});

test.each([
  ['* * * *', /expected 5 fields, or 6 with the seconds first, got 4/],
  ['* * * * * * *', /got 7/],
  ['', /got 1/],
  ['60 * * * *', /minute "60": expected numbers from 0 to 59/],
  ['* * * * 7', /day of the week "7": expected numbers from 0 to 6/],
  ['* * 0 * *', /day of the month "0"/],
  ['* * L * *', /day of the month "L"/],
  ['* 9-5 * * *', /hour "9-5": begins after its end/],
  ['*/0 * * * *', /the step must not be 0/],
  ['1,,2 * * * *', /minute "": expected/],
  ['@reboot', /expected @every and a duration, or one of @yearly/],
  ['@every soon', /@every needs a duration/],
  ['TZ=Mars/Olympus 0 0 * * *', /unknown time zone "Mars\/Olympus"/],
])('%j is refused', (crontab, message) => {
  expect(() => parseCrontab(crontab)).toThrow(message);
});
