/** Booleans and durations as Go reads them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatGoDuration,
  MAX_DURATION_MS,
  parseGoBoolean,
  parseGoDuration,
} from '../../contract/go-words.ts';

describe('booleans as Go reads them', () => {
  test.each(['1', 't', 'T', 'true', 'True', 'TRUE'])('%s is read as true', (text) => {
    expect(parseGoBoolean(text)).toBe(true);
  });

  test.each(['0', 'f', 'F', 'false', 'False', 'FALSE'])('%s is read as false', (text) => {
    expect(parseGoBoolean(text)).toBe(false);
  });

  test.each([
    '',
    'tRUE',
    'yes',
    'no',
    '01',
    ' true',
    'true\n',
  ])('%j is not accepted as a boolean', (text) => {
    expect(parseGoBoolean(text)).toBeUndefined();
  });
});

describe('durations as Go reads them', () => {
  test.each([
    ['0', 0],
    ['+0', 0],
    ['-0', 0],
    ['0s', 0],
    ['-0s', 0],
    ['2s', 2_000],
    ['+2s', 2_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1_000],
    ['1h30m', 5_400_000],
    ['30m1h', 5_400_000],
    ['1m1m', 120_000],
    ['300ms', 300],
    ['1500us', 1],
    ['1500\u00b5s', 1],
    ['1500\u03bcs', 1],
    ['1ns', 1],
    ['999999ns', 1],
    ['8784h', MAX_DURATION_MS],
  ])('the duration %s is read as %i ms', (text, ms) => {
    expect(parseGoDuration(text)).toEqual({ ms });
  });

  test.each([
    '',
    's',
    '5',
    '.s',
    '1d',
    '1w',
    '5 s',
    ' 5s',
    '5s ',
    '1e3s',
    '-1s',
    '--1s',
    '8784h1ms',
    '9999999999999h',
    'Infinity',
    '0x10s',
    '1,5s',
    '1h-30m',
    `${'0'.repeat(200)}1s`,
  ])('the duration %j is refused, and the problem contains the accepted notation', (text) => {
    expect(parseGoDuration(text)).toEqual({
      problem: 'must be a duration such as 90s, 5m or 1h30m, from 0s to 8784h',
    });
  });

  test('a duration outside the given bounds is refused, and the bounds themselves are accepted', () => {
    const bounds = { minMs: 100, maxMs: 30_000 };
    const problem = 'must be a duration such as 90s, 5m or 1h30m, from 0.1s to 30s';

    expect(parseGoDuration('100ms', bounds)).toEqual({ ms: 100 });
    expect(parseGoDuration('30s', bounds)).toEqual({ ms: 30_000 });
    expect(parseGoDuration('99ms', bounds)).toEqual({ problem });
    expect(parseGoDuration('30001ms', bounds)).toEqual({ problem });
  });

  test('a formatted duration parses back to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_DURATION_MS }), (ms) => {
        expect(parseGoDuration(formatGoDuration(ms))).toEqual({ ms });
      }),
    );
  });
});
