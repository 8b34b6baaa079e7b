import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goQuantity } from '../../../src/apiserver/objects/quantity.ts';

test.each([
  ['0', '0'],
  ['0Mi', '0'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['1.5', '1500m'],
  ['100m', '100m'],
  ['1000', '1k'],
  ['1500', '1500'],
  ['2000000', '2M'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['512Ki', '512Ki'],
  ['0.5Ki', '512'],
  ['0.0005Ki', '512m'],
  ['97634695.603Gi', '104834456142449999872m'],
  ['1024.0001Ki', '1048576102400u'],
  ['16Ei', '9223372036854775807'],
  ['-16Ei', '-9223372036854775807'],
  ['12e6', '12e6'],
  ['1E3', '1e3'],
  ['1E', '1E'],
  ['-1', '-1'],
  ['-1000m', '-1'],
  ['0.0000000001', '1n'],
  ['.5', '500m'],
])('the quantity %s has the canonical form %s', (text, canonical) => {
  expect(goQuantity(text)).toEqual({ text: canonical });
});

test.each([
  ['', 'quantities must match'],
  ['much', 'quantities must match'],
  ['1 Gi', 'quantities must match'],
  ['1.2.3', 'unable to parse numeric part of quantity'],
  ['1Xi', 'quantities must match'],
  ['1MM', "unable to parse quantity's suffix"],
  ['1e', "unable to parse quantity's suffix"],
])('the quantity %j is refused', (text, why) => {
  expect(goQuantity(text)).toEqual({ problem: expect.stringContaining(why) });
});

test('a canonical quantity does not change when it is parsed and written again', () => {
  const suffix = fc.constantFrom(
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'Ki',
    'Mi',
    'Gi',
    'e3',
  );
  const number = fc.oneof(
    fc.nat().map(String),
    fc.tuple(fc.nat(), fc.nat(999)).map((all) => all.join('.')),
  );

  fc.assert(
    fc.property(number, suffix, (digits, unit) => {
      const once = goQuantity(digits + unit);

      expect('text' in once && goQuantity(once.text)).toEqual(once);
    }),
  );
});
