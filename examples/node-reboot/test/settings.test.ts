import { expect, test } from 'vitest';
import { rebootSettingsFrom } from '../settings.ts';
import { ALWAYS_OPEN } from '../window.ts';

const from = (settings: Readonly<Record<string, string>>) =>
  rebootSettingsFrom(
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`UPDATE_OPERATOR_${name}`, value]),
    ),
  );

test('without settings, one Node reboots at a time, for up to an hour, at any time of day', () => {
  expect(rebootSettingsFrom({})).toEqual({
    maxRebooting: 1,
    rebootTimeoutMs: 3_600_000,
    window: ALWAYS_OPEN,
    beforeReboot: [],
    afterReboot: [],
  });
});

test('FL6: a setting decides how many Nodes reboot at a time', () => {
  expect(from({ MAX_REBOOTING: '3' }).maxRebooting).toBe(3);
  expect(() => from({ MAX_REBOOTING: '0' })).toThrow('UPDATE_OPERATOR_MAX_REBOOTING');
  expect(() => from({ MAX_REBOOTING: 'all' })).toThrow('UPDATE_OPERATOR_MAX_REBOOTING');
});

test('the environment variables of the original operator have the same meaning', () => {
  const settings = from({
    BEFORE_REBOOT_ANNOTATIONS: 'anno1, example.com/anno2',
    AFTER_REBOOT_ANNOTATIONS: 'anno3,,anno3',
    REBOOT_WINDOW_START: 'Thu 23:00',
    REBOOT_WINDOW_LENGTH: '1h30m',
  });

  expect(settings.beforeReboot).toEqual(['anno1', 'example.com/anno2']);
  expect(settings.afterReboot).toEqual(['anno3']);
  expect(settings.window.isOpen(Date.parse('2030-01-11T00:29:00Z'))).toBe(true);
  expect(settings.window.isOpen(Date.parse('2030-01-11T00:31:00Z'))).toBe(false);
});

test('FL11: a window with only some of its settings is refused, and is not treated as always open', () => {
  expect(() => from({ REBOOT_WINDOW_START: '14:00' })).toThrow('REBOOT_WINDOW_LENGTH is missing');
  expect(() => from({ REBOOT_WINDOW_LENGTH: '1h' })).toThrow('REBOOT_WINDOW_START is missing');
  expect(() => from({ REBOOT_WINDOW_TIME_ZONE: 'UTC' })).toThrow('REBOOT_WINDOW_START is missing');
});

test('a time limit must be a duration, and the duration 0 means no limit', () => {
  expect(from({ REBOOT_TIMEOUT: '90m' }).rebootTimeoutMs).toBe(5_400_000);
  expect(from({ REBOOT_TIMEOUT: '0' }).rebootTimeoutMs).toBe(0);
  expect(() => from({ REBOOT_TIMEOUT: 'soon' })).toThrow('UPDATE_OPERATOR_REBOOT_TIMEOUT');
});

test('an annotation name that the API server would refuse is refused', () => {
  expect(() => from({ BEFORE_REBOOT_ANNOTATIONS: 'a b' })).toThrow('names of annotations');
});

test.each([
  ['START', '24:00', '1h', 'UTC'],
  ['LENGTH', '14:00', '24h', 'UTC'],
  ['LENGTH', 'Mon 14:00', '168h', 'UTC'],
  ['LENGTH', '14:00', '0', 'UTC'],
  ['LENGTH', '14:00', '-1h', 'UTC'],
  ['LENGTH', '14:00', '1 hour', 'UTC'],
  ['TIME_ZONE', '14:00', '1h', 'Mars/Olympus'],
])('if the %s of a window is invalid, the error contains the name of its variable: %s for %s in %s', (name, start, length, zone) => {
  const window = { START: start, LENGTH: length, TIME_ZONE: zone };
  const settings = Object.entries(window).map(([part, text]) => [`REBOOT_WINDOW_${part}`, text]);

  expect(() => from(Object.fromEntries(settings))).toThrow(
    `UPDATE_OPERATOR_REBOOT_WINDOW_${name} must be`,
  );
});
