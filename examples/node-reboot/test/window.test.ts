import { expect, test } from 'vitest';
import { parseDuration } from '../duration.ts';
import { ALWAYS_OPEN, parseStart, type RebootWindow, rebootWindow } from '../window.ts';

function windowOf(start: string, length: string, zone = 'UTC') {
  return rebootWindow(
    parseStart(start) ?? expect.unreachable(start),
    parseDuration(length) ?? expect.unreachable(length),
    zone,
  );
}

const ms = (time: string): number => Date.parse(time);
const opens = (window: RebootWindow, after: string): string =>
  new Date(window.opensAfter(ms(after))).toISOString();

test('a daily window is open at its start, and closed at its end', () => {
  const window = windowOf('14:00', '1h30m');

  const open = ['13:59:59.999', '14:00:00', '15:29:59.999', '15:30:00'].map((time) =>
    window.isOpen(ms(`2030-01-07T${time}Z`)),
  );

  expect(open).toEqual([false, true, true, false]);
  expect(opens(window, '2030-01-07T13:00:00Z')).toBe('2030-01-07T14:00:00.000Z');
  expect(opens(window, '2030-01-07T14:00:00Z')).toBe('2030-01-08T14:00:00.000Z');
});

test('a window on a weekday may continue over midnight, and over the end of the week', () => {
  const thursday = windowOf('Thu 23:00', '1h30m');
  const saturday = windowOf('sat 22:00', '4h'); // the day in any case, as in the original

  expect(thursday.isOpen(ms('2030-01-11T00:29:00Z'))).toBe(true); // a Friday
  expect(thursday.isOpen(ms('2030-01-12T00:29:00Z'))).toBe(false);
  expect(saturday.isOpen(ms('2030-01-13T01:59:00Z'))).toBe(true); // a Sunday
  expect(opens(thursday, '2030-01-11T00:00:00Z')).toBe('2030-01-17T23:00:00.000Z');
});

test('FL7: a window uses the configured time zone, whatever the time zone of the container is', () => {
  const berlin = windowOf('Mon 14:00', '1h', 'Europe/Berlin');
  const auckland = windowOf('Mon 01:00', '1h', 'Pacific/Auckland');

  expect(opens(berlin, '2030-01-07T00:00:00Z')).toBe('2030-01-07T13:00:00.000Z');
  expect(opens(berlin, '2030-07-01T00:00:00Z')).toBe('2030-07-01T12:00:00.000Z');
  expect(opens(auckland, '2030-01-05T00:00:00Z')).toBe('2030-01-06T12:00:00.000Z'); // still Sunday in UTC
  expect(auckland.isOpen(ms('2030-01-06T12:30:00Z'))).toBe(true);
});

test('if a clock change skips the start of a window, the window opens right after the change; if the start occurs twice, it opens the first time', () => {
  const skipped = windowOf('02:30', '1h', 'Europe/Berlin');
  const twice = windowOf('02:30', '2h', 'Europe/Berlin');

  expect(opens(skipped, '2030-03-30T12:00:00Z')).toBe('2030-03-31T01:00:00.000Z'); // 03:00 on the wall
  expect(opens(twice, '2030-10-26T12:00:00Z')).toBe('2030-10-27T00:30:00.000Z');
  expect(twice.isOpen(ms('2030-10-27T02:29:00Z'))).toBe(true);
  expect(twice.isOpen(ms('2030-10-27T02:31:00Z'))).toBe(false); // two hours have passed
});

test('without a window, reboots may start at any time', () => {
  expect(ALWAYS_OPEN.isOpen(0)).toBe(true);
  expect(ALWAYS_OPEN.opensAfter(0)).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  '24:00',
  '14:60',
  'Foo 14:00',
  'Monday 14:00',
  '14',
  '14:00 UTC',
  '',
])('the start of a window %j is refused', (text) => {
  expect(parseStart(text)).toBeUndefined();
});
