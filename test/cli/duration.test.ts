import { expect, test } from 'vitest';
import { parseDurationMs } from '../../operator/cli/watch/arguments.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['1', 1_000],
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['1h0m5s', 3_605_000],
  ['8760h', 31_536_000_000],
])('the duration %s is %i ms', (text, ms) => {
  expect(parseDurationMs('--resync', text)).toBe(ms);
});

test.each([
  '',
  's',
  '-1s',
  '1.5h',
  '500ms',
  '1d',
  '30m1h',
  '1 h',
  '8761h',
  '1e3',
  '999999999h',
])('the duration %j is refused', (text) => {
  expect(() => parseDurationMs('--resync', text)).toThrow(`not ${JSON.stringify(text)}`);
});
