import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseGoDuration } from '../../operator/core/go/go-duration.ts';
import { NANOS, parseQuantity } from '../../operator/model/quantity.ts';

/** The amount in billionths. */
function nanosOf(text: string): bigint | undefined {
  const parsed = parseQuantity(text);
  return 'problem' in parsed ? undefined : parsed.nanos;
}

test.each([
  ['7', 7n * NANOS, 'decimal'],
  ['250m', NANOS / 4n, 'decimal'],
  ['.25', NANOS / 4n, 'decimal'],
  ['3.', 3n * NANOS, 'decimal'],
  ['+2k', 2_000n * NANOS, 'decimal'],
  ['4n', 4n, 'decimal'],
  ['9u', 9_000n, 'decimal'],
  ['2E', 2n * 10n ** 27n, 'decimal'],
  ['2E2', 200n * NANOS, 'exponent'],
  ['2e-2', NANOS / 50n, 'exponent'],
  ['5e+3', 5_000n * NANOS, 'exponent'],
  ['96Mi', 96n * 2n ** 20n * NANOS, 'binary'],
  ['0.5Gi', 2n ** 29n * NANOS, 'binary'],
  ['-3Ki', -3n * 1_024n * NANOS, 'binary'],
])('the quantity %s is exactly %s billionths, in the format %s', (text, nanos, format) => {
  expect(parseQuantity(text)).toEqual({ nanos, format });
});

test('a quantity below a billionth is rounded away from zero', () => {
  expect(['0.2n', '-0.2n', '1.0000000001', '1e-12'].map(nanosOf)).toEqual([
    1n,
    -1n,
    NANOS + 1n,
    1n,
  ]);
});

test('only a quantity in powers of 1024 is capped at 64 bits', () => {
  const largest = (2n ** 63n - 1n) * NANOS;

  expect([nanosOf('9Ei'), nanosOf('-9Ei')]).toEqual([largest, -largest]);
  expect(nanosOf('20E')).toBe(20n * 10n ** 27n);
});

test.each([
  ['', /must match the regular expression/],
  [' 1', /must match the regular expression/],
  ['1MB', /must match the regular expression/],
  ['--1', /must match the regular expression/],
  ['.', /numeric part/],
  ['1.2.3', /numeric part/],
  ['1mm', /suffix/],
  ['1Ee3', /suffix/],
  ['1e', /suffix/],
  ['1e1000', /suffix/],
  ['1e99999999999', /suffix/],
])('%j is not a valid quantity', (text, problem) => {
  expect(parseQuantity(text)).toEqual({ problem: expect.stringMatching(problem) });
});

test('a thousand units of one suffix equal one unit of the next suffix', () => {
  const steps = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: steps.length - 2 }), (amount, at) => {
      expect(nanosOf(`${amount}000${steps[at]}`)).toBe(nanosOf(`${amount}${steps[at + 1]}`));
    }),
  );
});

test('[found 2] a long invalid quantity is refused in linear time, as it is by the server', () => {
  for (const text of [
    `${'1'.repeat(500_000)}!`,
    `${'0.'.repeat(250_000)} `,
    `1${'e'.repeat(500_000)}!`,
  ]) {
    expect(parseQuantity(text)).toEqual({ problem: expect.stringContaining('must match') });
  }
  const documented = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
  const text = fc.stringMatching(/^[-+]?[0-9.]{0,3}[eEinuKGT]{0,2}[-+]{0,2}[0-9.x]{0,2}$/);
  fc.assert(
    fc.property(text, (each) => {
      const parsed = parseQuantity(each);
      const isRefused = 'problem' in parsed && parsed.problem.includes('must match');

      expect(isRefused).toBe(!documented.test(each));
    }),
  );
});

test('[found 2] a long invalid duration is refused in linear time', () => {
  expect(parseGoDuration('1'.repeat(500_000))).toBeUndefined();
  expect(parseGoDuration(`1h${'1.'.repeat(250_000)}`)).toBeUndefined();
  expect(parseGoDuration('1.h.5m10s')).toBe(3_640_000);
});
