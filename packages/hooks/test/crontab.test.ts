import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { parseCrontab } from '../src/engine/crontab.ts';

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
])('the next times of %s after %s are %j', (crontab, after, expected) => {
  expect(timesOf(crontab, after, expected.length)).toEqual(expected);
});

test('a schedule matches by day of month or by day of week; if one of the two fields is `*`, only the other field decides', () => {
  const both = timesOf('TZ=UTC 0 0 13 * 5', '2026-02-01T00:00:00Z', 3);
  const week = timesOf('TZ=UTC 0 0 * * 5', '2026-02-01T00:00:00Z', 1);
  const stepped = timesOf('TZ=UTC 0 0 */10 * 0', '2026-02-02T00:00:00Z', 2);

  expect(both).toEqual(['2026-02-06T00:00:00Z', '2026-02-13T00:00:00Z', '2026-02-20T00:00:00Z']);
  expect(week).toEqual(['2026-02-06T00:00:00Z']);
  expect(stepped).toEqual(['2026-02-08T00:00:00Z', '2026-02-11T00:00:00Z']);
});

test('if clocks are put forward over a scheduled time, the schedule ticks once, right after the change', () => {
  const times = timesOf('TZ=America/New_York 30 2 * * *', '2026-03-07T12:00:00Z', 2);

  expect(times).toEqual(['2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z']);
});

test('a schedule for a day that never comes has no next time', () => {
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
])('the crontab %j is refused', (crontab, message) => {
  expect(() => parseCrontab(crontab)).toThrow(message);
});

/** A field as text, and the numbers that it means. */
function anyField(min: number, max: number) {
  const range = fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: 9 }))
    .map(([a, b, step]) => ({ first: Math.min(a, b), last: Math.max(a, b), step }));
  const numbers = (first: number, last: number, step: number): readonly number[] =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
      (_, at) => at % step === 0,
    );
  return fc.oneof(
    fc.constant({ text: '*', matches: numbers(min, max, 1) }),
    fc.integer({ min: 2, max: 9 }).map((step) => ({
      text: `*/${step}`,
      matches: numbers(min, max, step),
    })),
    fc.array(range, { minLength: 1, maxLength: 3 }).map((ranges) => ({
      text: ranges.map(({ first, last, step }) => `${first}-${last}/${step}`).join(','),
      matches: ranges.flatMap(({ first, last, step }) => numbers(first, last, step)),
    })),
  );
}

test('the next time of a schedule is the first minute that matches all fields', () => {
  fc.assert(
    fc.property(
      anyField(0, 59),
      anyField(0, 23),
      anyField(1, 31),
      anyField(0, 6),
      fc.integer({ min: 0, max: 100_000 }),
      (minute, hour, day, week, offset) => {
        const matchesDay = (time: Date): boolean => {
          const [inMonth, inWeek] = [
            day.matches.includes(time.getUTCDate()),
            week.matches.includes(time.getUTCDay()),
          ];
          const hasStar = day.text === '*' || week.text === '*';
          return hasStar ? inMonth && inWeek : inMonth || inWeek;
        };
        const matches = (time: Date): boolean =>
          minute.matches.includes(time.getUTCMinutes()) &&
          hour.matches.includes(time.getUTCHours()) &&
          matchesDay(time);
        const after = new Date(Date.UTC(2026, 0, 1) + offset * 60_000);
        const crontab = `TZ=UTC ${minute.text} ${hour.text} ${day.text} * ${week.text}`;

        const next = parseCrontab(crontab).next(after);

        const until = Math.min(
          next?.getTime() ?? Number.POSITIVE_INFINITY,
          after.getTime() + 2 * 86_400_000,
        );
        for (let at = after.getTime() + 60_000; at < until; at += 60_000) {
          if (matches(new Date(at))) expect.fail(`${crontab} misses ${new Date(at).toISOString()}`);
        }
        if (next !== undefined) expect(matches(next), crontab).toBe(true);
      },
    ),
    propertyRuns(0.5),
  );
});
