import { expect, test } from 'vitest';
import {
  overlaps,
  type Plan,
  planAt,
  readSchedule,
  type Schedule,
  uncoveredHours,
  type Window,
} from '../schedule.ts';

const DEFAULT = 3;

function scheduleOf(windows: readonly Window[], timeZone = 'UTC'): Schedule {
  const schedule = readSchedule(windows, timeZone);
  if ('reason' in schedule) throw new Error(schedule.message);
  return schedule;
}

function at(schedule: Schedule, time: string): Plan {
  return planAt(schedule, DEFAULT, Date.parse(time));
}

const replicasAt = (schedule: Schedule, time: string): number => at(schedule, time).replicas;

/** The next transition after `time`, as text. */
function nextAfter(schedule: Schedule, time: string): string | undefined {
  const { nextAtMs } = at(schedule, time);
  return nextAtMs === undefined ? undefined : new Date(nextAtMs).toISOString();
}

const article = scheduleOf([
  { startTime: 1, endTime: 9, replica: 2 },
  { startTime: 9, endTime: 19, replica: 5 },
  { startTime: 19, endTime: 0, replica: 2 },
]);

test('TD1: a window that ends at or after midnight applies', () => {
  const night = scheduleOf([{ startTime: 22, endTime: 6, replica: 1 }]);

  expect(replicasAt(article, '2030-01-07T20:00:00Z')).toBe(2);
  expect(
    ['21:59', '22:00', '23:59', '00:00', '05:59', '06:00'].map((time) =>
      replicasAt(night, `2030-01-07T${time}:00Z`),
    ),
  ).toEqual([DEFAULT, 1, 1, 1, 1, DEFAULT]);
});

test('TD2: a window may end at hour 24, so that hour 23 is its last hour', () => {
  const evening = scheduleOf([{ startTime: 18, endTime: 24, replica: 4 }]);

  expect(replicasAt(evening, '2030-01-07T23:59:59Z')).toBe(4);
  expect(replicasAt(evening, '2030-01-08T00:00:00Z')).toBe(DEFAULT);
});

test('TD3: hours without a window are listed, by day if the days differ', () => {
  const weekdays = scheduleOf([
    { startTime: 0, endTime: 24, replica: 1, days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] },
    { startTime: 8, endTime: 12, replica: 1, days: ['Sat'] },
  ]);

  expect(uncoveredHours(article)).toEqual(['00:00-01:00']);
  expect(uncoveredHours(scheduleOf([]))).toEqual(['00:00-24:00']);
  expect(uncoveredHours(weekdays)).toEqual([
    'Sat 00:00-08:00',
    'Sat 12:00-24:00',
    'Sun 00:00-24:00',
  ]);
});

test('TD3: windows that share an hour are reported, and the first of them applies', () => {
  const schedule = scheduleOf([
    { startTime: 9, endTime: 17, replica: 5 },
    { startTime: 16, endTime: 20, replica: 2 },
    { startTime: 20, endTime: 9, replica: 1 },
  ]);

  expect(overlaps(schedule)).toEqual(['09:00-17:00 and 16:00-20:00']);
  expect(replicasAt(schedule, '2030-01-07T16:30:00Z')).toBe(5);
  expect(replicasAt(schedule, '2030-01-07T17:00:00Z')).toBe(2);
});

test('TD3: a window that ends at its start is refused, and not ignored', () => {
  const schedule = readSchedule([{ startTime: 7, endTime: 7, replica: 2 }], 'UTC');

  expect(schedule).toEqual({
    reason: 'EmptyWindow',
    message: '07:00-07:00 ends when it starts: write 0 to 24 for a whole day',
  });
});

test('TD4: an unknown time zone is refused', () => {
  expect(readSchedule([], 'Europe/Atlantis')).toMatchObject({ reason: 'UnknownTimeZone' });
  expect(readSchedule([], '')).toMatchObject({ reason: 'UnknownTimeZone' });
});

const office: Window = { startTime: 9, endTime: 17, replica: 5 };

test.each([
  ['Europe/Berlin', '2030-03-30T00:00:00Z', '2030-03-30T08:00:00.000Z'], // winter: UTC+1
  ['Europe/Berlin', '2030-03-31T00:00:00Z', '2030-03-31T07:00:00.000Z'], // summer begins at 01:00 UTC
  ['Europe/Berlin', '2030-10-26T00:00:00Z', '2030-10-26T07:00:00.000Z'],
  ['Europe/Berlin', '2030-10-27T00:00:00Z', '2030-10-27T08:00:00.000Z'], // summer ends at 01:00 UTC
  ['Asia/Kolkata', '2030-01-07T00:00:00Z', '2030-01-07T03:30:00.000Z'], // UTC+5:30
  ['Asia/Kathmandu', '2030-01-07T00:00:00Z', '2030-01-07T03:15:00.000Z'], // UTC+5:45
  ['Australia/Lord_Howe', '2030-04-05T12:00:00Z', '2030-04-05T22:00:00.000Z'], // summer: UTC+11
  ['Australia/Lord_Howe', '2030-04-07T12:00:00Z', '2030-04-07T22:30:00.000Z'], // winter: UTC+10:30
])('TD4: in %s, after %s, office hours begin at %s', (timeZone, after, begins) => {
  expect(nextAfter(scheduleOf([office], timeZone), after)).toBe(begins);
});

test('TD4: an hour that occurs twice applies twice, and a skipped hour does not apply', () => {
  const schedule = scheduleOf([{ startTime: 2, endTime: 3, replica: 1 }], 'Europe/Berlin');

  expect(nextAfter(schedule, '2030-10-27T00:00:00Z')).toBe('2030-10-27T02:00:00.000Z'); // since 00:00
  expect(nextAfter(schedule, '2030-03-30T02:00:00Z')).toBe('2030-04-01T00:00:00.000Z');
});

test('a window over midnight belongs to the day on which it starts', () => {
  const friday = scheduleOf([{ startTime: 22, endTime: 2, replica: 9, days: ['Fri'] }]);

  expect(replicasAt(friday, '2030-01-11T01:00:00Z')).toBe(DEFAULT); // Friday, of Thursday's night
  expect(replicasAt(friday, '2030-01-12T01:00:00Z')).toBe(9);
  expect(nextAfter(friday, '2030-01-12T02:00:00Z')).toBe('2030-01-18T22:00:00.000Z');
});

test('a window on Sunday night continues into Monday', () => {
  const sunday = scheduleOf([{ startTime: 20, endTime: 4, replica: 9, days: ['Sun'] }]);

  expect(replicasAt(sunday, '2030-01-07T03:59:00Z')).toBe(9);
  expect(replicasAt(sunday, '2030-01-07T04:00:00Z')).toBe(DEFAULT);
});

test('if no window begins or ends, there is no next transition', () => {
  expect(nextAfter(scheduleOf([]), '2030-01-07T00:00:00Z')).toBeUndefined();
  expect(
    nextAfter(scheduleOf([{ startTime: 5, endTime: 4, replica: 1 }]), '2030-01-07T05:00:00Z'),
  ).toBe('2030-01-08T04:00:00.000Z');
  expect(
    nextAfter(scheduleOf([{ startTime: 0, endTime: 24, replica: 1 }]), '2030-01-07T05:00:00Z'),
  ).toBeUndefined();
});

test('the only hour of a week with a window may be the hour that summer time skips', () => {
  const once = scheduleOf(
    [{ startTime: 2, endTime: 3, replica: 9, days: ['Sun'] }],
    'Europe/Berlin',
  );

  expect(nextAfter(once, '2030-03-30T12:00:00Z')).toBe('2030-04-07T00:00:00.000Z');
});
