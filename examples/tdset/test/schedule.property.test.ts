/** What holds of every schedule, against what a person would say who looks at a clock. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAYS } from '../resource.ts';
import {
  overlaps,
  planAt,
  readSchedule,
  type Schedule,
  uncoveredHours,
  type Window,
} from '../schedule.ts';

const MINUTE_MS = 60_000;
const names: readonly string[] = DAYS;

const window: fc.Arbitrary<Window> = fc
  .record(
    {
      startTime: fc.integer({ min: 0, max: 23 }),
      endTime: fc.integer({ min: 0, max: 24 }),
      replica: fc.integer({ min: 0, max: 9 }),
      days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1 }),
    },
    { requiredKeys: ['startTime', 'endTime', 'replica'] },
  )
  .filter(({ startTime, endTime }) => startTime !== endTime);
const windows = fc.array(window, { maxLength: 4 });
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
);
/** In 2030, near changes to and from summer time as often as not. */
const instant = fc
  .oneof(
    fc.date({
      min: new Date('2030-01-01T00:00:00Z'),
      max: new Date('2030-12-31T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.date({
      min: new Date('2030-03-30T00:00:00Z'),
      max: new Date('2030-04-08T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.date({
      min: new Date('2030-10-26T00:00:00Z'),
      max: new Date('2030-11-04T00:00:00Z'),
      noInvalidDate: true,
    }),
  )
  .map((date) => date.getTime());

function scheduleOf(given: readonly Window[], timeZone: string): Schedule {
  const schedule = readSchedule(given, timeZone);
  if ('reason' in schedule) throw new Error(schedule.message);
  return schedule;
}

/** Day and hour as a person reads them off, in another way than the schedule does. */
function clockIn(timeZone: string, ms: number): { readonly day: number; readonly hour: number } {
  const text = new Date(ms).toLocaleString('en-GB', { timeZone, weekday: 'long', hour: '2-digit' });
  const day = DAYS.findIndex((name) => text.startsWith(name));
  return { day, hour: Number(/\d+/.exec(text)?.[0]) };
}

function applies({ startTime, endTime, days = DAYS }: Window, day: number, hour: number): boolean {
  const isOn = (which: number): boolean => days.some((name) => name === DAYS[(which + 7) % 7]);
  if (startTime < endTime) return isOn(day) && hour >= startTime && hour < endTime;
  return (isOn(day) && hour >= startTime) || (isOn(day - 1) && hour < endTime);
}

test('the window in use is the first window that a simple calculation finds', () => {
  fc.assert(
    fc.property(windows, zone, instant, (given, timeZone, ms) => {
      const { day, hour } = clockIn(timeZone, ms);
      const expected = given.find((each) => applies(each, day, hour));

      const plan = planAt(scheduleOf(given, timeZone), 42, ms);

      expect(plan.window).toBe(expected);
      expect(plan.replicas).toBe(expected?.replica ?? 42);
    }),
  );
});

test('the plan does not change before the next transition, and changes at the transition', () => {
  fc.assert(
    fc.property(windows, zone, instant, (given, timeZone, ms) => {
      const schedule = scheduleOf(given, timeZone);
      const { window: now, nextAtMs } = planAt(schedule, 42, ms);
      const windowAt = (when: number) =>
        schedule.windows[schedule.week[schedule.hourAt(when)] ?? -1];

      const until = nextAtMs ?? ms + 15 * 24 * 60 * MINUTE_MS;
      for (let when = ms; when < until; when += 15 * MINUTE_MS) expect(windowAt(when)).toBe(now);
      expect(windowAt(until - 1)).toBe(now);
      if (nextAtMs !== undefined) expect(windowAt(nextAtMs)).not.toBe(now);
      if (nextAtMs !== undefined) expect(nextAtMs).toBeGreaterThan(ms);
    }),
  );
});

test('every hour either has a window or is listed as uncovered', () => {
  fc.assert(
    fc.property(windows, (given) => {
      const listed = uncoveredHours(scheduleOf(given, 'UTC')).flatMap((text) => {
        const [, day, from, to] = /^(?:(\w+) )?(\d+):00-(\d+):00$/.exec(text) ?? [];
        const days = day === undefined ? DAYS.map((_, at) => at) : [names.indexOf(day)];
        const hours = Array.from(
          { length: Number(to) - Number(from) },
          (_, at) => Number(from) + at,
        );
        return days.flatMap((at) => hours.map((hour) => at * 24 + hour));
      });

      const bare = Array.from({ length: 168 }, (_, at) => at).filter(
        (at) => !given.some((each) => applies(each, Math.floor(at / 24), at % 24)),
      );

      expect(listed.toSorted((a, b) => a - b)).toEqual(bare);
    }),
  );
});

test('two windows are reported as overlapping if and only if both apply at some hour', () => {
  fc.assert(
    fc.property(window, window, (one, other) => {
      const both = Array.from({ length: 168 }, (_, at) => at).some(
        (at) =>
          applies(one, Math.floor(at / 24), at % 24) &&
          applies(other, Math.floor(at / 24), at % 24),
      );

      expect(overlaps(scheduleOf([one, other], 'UTC')).length).toBe(both ? 1 : 0);
    }),
  );
});
