import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareResourceVersions, isOlder } from '../../operator/model/object.ts';

const DIGITS_39 = '340282366920938463463374607431768211455';

describe('[L-12] compareResourceVersions', () => {
  test.each([
    ['9', '10'],
    ['1', '2'],
    ['99', '100'],
    ['9007199254740992', '9007199254740993'], // one apart where numbers are not
    [DIGITS_39, '340282366920938463463374607431768211456'],
    ['99999999999999999999999999999999999999', DIGITS_39],
  ])('the resourceVersion %s is older than %s', (older, newer) => {
    expect(compareResourceVersions(older, newer)).toBeLessThan(0);
    expect(compareResourceVersions(newer, older)).toBeGreaterThan(0);
    expect(isOlder(older, newer)).toBe(true);
    expect(isOlder(newer, older)).toBe(false);
  });

  test.each([
    '0',
    '',
    '01',
    'abc',
    '1a',
    '-1',
    '1.5',
    ' 1',
    '1\n',
    '١',
  ])('the resourceVersion %j is comparable only with itself', (odd) => {
    expect(compareResourceVersions(odd, '5')).toBeUndefined();
    expect(compareResourceVersions('5', odd)).toBeUndefined();
    expect([isOlder(odd, '5'), isOlder('5', odd)]).toEqual([false, false]);
    expect(compareResourceVersions(odd, odd)).toBe(0);
  });

  test('compareResourceVersions orders whole numbers numerically', () => {
    const version = fc.bigInt({ min: 1n, max: 10n ** 39n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = compareResourceVersions(`${a}`, `${b}`) ?? Number.NaN;

        expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});
