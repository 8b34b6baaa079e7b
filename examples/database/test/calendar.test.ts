/** SD5: schedules are in UTC, or in the time zone that they name. */
import { expect, test } from 'vitest';
import { Calendar } from '../calendar.ts';

const at = (time: string): number => Date.parse(time);

function nextTimes(schedule: string, timeZone: string, from: string, count = 1): readonly string[] {
  const calendar = new Calendar(schedule, timeZone);
  const found: string[] = [];
  let ms = at(from);
  while (found.length < count) {
    ms = calendar.nextAfter(ms) ?? expect.unreachable('no next time');
    found.push(new Date(ms).toISOString().slice(0, 16));
  }
  return found;
}

test.each([
  ['0 3 * * *', 'Etc/UTC', '2030-01-01T03:00Z', '2030-01-02T03:00'],
  ['0 3 * * *', 'Europe/Berlin', '2030-01-01T03:00Z', '2030-01-02T02:00'],
  ['0 3 * * *', 'Europe/Berlin', '2030-07-01T03:00Z', '2030-07-02T01:00'],
  ['0 3 * * *', 'Pacific/Auckland', '2030-01-01T00:00Z', '2030-01-01T14:00'],
  ['30 5 * * *', 'Asia/Kolkata', '2030-01-01T00:00Z', '2030-01-02T00:00'],
  ['*/15 * * * *', 'Etc/UTC', '2030-01-01T00:07Z', '2030-01-01T00:15'],
  ['0 9-17/4 * * mon-fri', 'Etc/UTC', '2030-01-05T00:00Z', '2030-01-07T09:00'], // a Saturday
  ['0 0 29 2 *', 'Etc/UTC', '2030-01-01T00:00Z', '2032-02-29T00:00'],
  ['0 0 13 * fri', 'Etc/UTC', '2030-01-01T00:00Z', '2030-01-04T00:00'], // either is enough
  ['0 0 * * 7', 'Etc/UTC', '2030-01-01T00:00Z', '2030-01-06T00:00'],
  ['@monthly', 'Etc/UTC', '2030-01-01T00:00Z', '2030-02-01T00:00'],
])('SD5: %s in %s after %s is due at %s', (schedule, timeZone, from, expected) => {
  expect(nextTimes(schedule, timeZone, from)).toEqual([expected]);
});

test('SD5: a time that a clock change skips is due once, right after the change', () => {
  expect(nextTimes('30 2 * * *', 'Europe/Berlin', '2030-03-30T12:00Z', 2)).toEqual([
    '2030-03-31T01:00', // 02:00 is 03:00
    '2030-04-01T00:30',
  ]);
});

test('SD5: a time that occurs twice on a day is due once', () => {
  expect(nextTimes('30 2 * * *', 'Europe/Berlin', '2030-10-26T12:00Z', 2)).toEqual([
    '2030-10-27T00:30',
    '2030-10-28T01:30',
  ]);
});

test('SD5: an hourly schedule is due every elapsed hour, even when the clocks change', () => {
  const spring = nextTimes('0 * * * *', 'Europe/Berlin', '2030-03-30T23:30Z', 3);
  const autumn = nextTimes('0 * * * *', 'Europe/Berlin', '2030-10-26T23:30Z', 3);

  expect(spring).toEqual(['2030-03-31T00:00', '2030-03-31T01:00', '2030-03-31T02:00']);
  expect(autumn).toEqual(['2030-10-27T00:00', '2030-10-27T01:00', '2030-10-27T02:00']);
});

test('SD5: a schedule with several times of day is due at each of them every day', () => {
  expect(nextTimes('30 2,14 * * *', 'Europe/Berlin', '2030-03-30T20:00Z', 2)).toEqual([
    '2030-03-31T01:00',
    '2030-03-31T12:30',
  ]);
  expect(nextTimes('30 2,14 * * *', 'Europe/Berlin', '2030-10-26T20:00Z', 2)).toEqual([
    '2030-10-27T00:30',
    '2030-10-27T13:30',
  ]);
});

test('SD5: in a year with clock changes, each local day has one backup', () => {
  const times = nextTimes('30 2 * * *', 'America/New_York', '2030-01-01T12:00Z', 365);
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' });

  const days = times.map((time) => format.format(new Date(`${time}Z`)));

  expect(new Set(days).size).toBe(365);
});

test('the last due time within a span is found, however long the span is', () => {
  const calendar = new Calendar('0 3 * * *', 'Etc/UTC');

  const [now, longAgo] = [at('2030-06-01T12:00Z'), at('2020-01-01T00:00Z')];
  expect(calendar.lastWithin(longAgo, now)).toBe(at('2030-06-01T03:00Z'));
  expect(calendar.lastWithin(at('2030-06-01T02:59Z'), now)).toBe(at('2030-06-01T03:00Z'));
  expect(calendar.lastWithin(at('2030-06-01T03:00Z'), now)).toBeUndefined();
  expect(calendar.lastWithin(at('2030-05-31T03:00Z'), at('2030-06-01T03:00Z'))).toBe(
    at('2030-06-01T03:00Z'),
  );
});

test.each([
  ['2030-03-31T00:59Z', '2030-03-30T01:30Z'], // 01:59, and 02:30 does not come
  ['2030-03-31T01:00Z', '2030-03-31T01:00Z'],
  ['2030-10-27T00:30Z', '2030-10-27T00:30Z'],
  ['2030-10-27T01:30Z', '2030-10-27T00:30Z'], // 02:30 again
])('SD5: at %s, the last 02:30 in Berlin was at %s', (now, expected) => {
  const calendar = new Calendar('30 2 * * *', 'Europe/Berlin');

  expect(calendar.lastWithin(at('2030-01-01T00:00Z'), at(now))).toBe(at(expected));
});

test('a schedule that is never due has no next time', () => {
  expect(new Calendar('0 0 30 2 *', 'Etc/UTC').nextAfter(0)).toBeUndefined();
});

test.each([
  '',
  '* * * *',
  '* * * * * *', // croner would take seconds first
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  'a * * * *',
  '1,,2 * * * *',
  '1.5 * * * *',
  '* * * mon *',
  '@reboot',
  '2030-01-01T00:00:00', // croner would run once
])('the schedule "%s" is refused', (schedule) => {
  expect(() => new Calendar(schedule, 'Etc/UTC')).toThrow();
});

test('an unknown time zone is refused', () => {
  expect(() => new Calendar('@daily', 'Europe/Atlantis')).toThrow(RangeError);
});
