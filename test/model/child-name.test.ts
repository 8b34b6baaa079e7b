/** Names of children: what fits stays as it is, and what does not fit is shortened and told apart. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { type ChildNameOptions, childName } from '../../operator/model/child-name.ts';
import { isDns1035Label, isDnsLabel, isDnsSubdomain } from '../../operator/model/dns-name.ts';
import { isLabelValue } from '../../operator/model/selector.ts';
import { propertyRuns } from '../support/property-runs.ts';

const ACCEPTS = {
  'dns-subdomain': isDnsSubdomain,
  'dns-label': isDnsLabel,
  'dns-1035-label': isDns1035Label,
  'label-value': isLabelValue,
} as const;

type FormName = keyof typeof ACCEPTS;

const FORM_NAMES = Object.keys(ACCEPTS) as readonly FormName[];
const MOST: Readonly<Record<FormName, number>> = {
  'dns-subdomain': 253,
  'dns-label': 63,
  'dns-1035-label': 63,
  'label-value': 63,
};

/** Every valid name of an object is one of these: 1 to 253 characters, dots, dashes, digits first. */
const parentName = fc
  .oneof(
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/) },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.constantFrom('a', '7', '-', '.'), { minLength: 50, maxLength: 253 })
        .map((letters) => letters.join('')),
    },
  )
  .map((text) => text.replace(/-*\.[-.]*/g, '.').replace(/^[-.]+|[-.]+$/g, ''))
  .filter((text) => isDnsSubdomain(text));
const word = fc.constantFrom(
  '',
  'db',
  '7',
  'a-b',
  'b-c',
  'x.y',
  'read',
  'UPPER_case',
  'é',
  '-',
  '--c',
);
const limits = fc
  .record({ form: fc.constantFrom(...FORM_NAMES), cut: fc.integer({ min: 0, max: 260 }) })
  .map(({ form, cut }) => ({ form, maxLength: Math.max(14, MOST[form] - cut) }));

interface Asked {
  readonly name: string;
  readonly prefix: string;
  readonly suffix: string;
}

const asked: fc.Arbitrary<Asked> = fc.record({ name: parentName, prefix: word, suffix: word });

function named({ name, ...parts }: Asked, limit: ChildNameOptions): string {
  return childName(name, { ...parts, ...limit });
}

describe('[child 8] a name of a child', () => {
  test('a child name has the required format and at most the maximum length, for every parent name', () => {
    fc.assert(
      fc.property(asked, limits, (from, limit) => {
        const made = named(from, limit);

        expect(made.length).toBeGreaterThan(0);
        expect(made.length).toBeLessThanOrEqual(limit.maxLength);
        expect(ACCEPTS[limit.form](made)).toBe(true);
        expect(named(from, limit)).toBe(made);
      }),
      propertyRuns(20),
    );
  });

  test('a child name joins prefix, name and suffix unchanged if they fit and neither prefix nor suffix contains a dash', () => {
    const plainWord = fc.constantFrom('', 'db', '7', 'read');
    fc.assert(
      fc.property(parentName, plainWord, plainWord, limits, (name, prefix, suffix, limit) => {
        const plain = [prefix, name, suffix].filter((part) => part !== '').join('-');
        fc.pre(plain.length <= limit.maxLength && ACCEPTS[limit.form](plain));

        expect(named({ name, prefix, suffix }, limit)).toBe(plain);
      }),
      propertyRuns(20),
    );
  });

  test('child names differ if the parents or the suffixes differ', () => {
    const suffix = word.filter((text) => text !== '');
    const pair = fc.record({ name: parentName, suffix });
    /** The same text, cut in two at another dash. */
    const shifted = fc
      .tuple(parentName, fc.constantFrom('b', 'b-c'), fc.constantFrom('d', 'c-d'))
      .map(([name, middle, end]) => [
        { name: `${name}-${middle}`, suffix: end },
        { name, suffix: `${middle}-${end}` },
      ]);
    /** Long names that differ only at the end, in one character, or in a dot. */
    const similar = fc
      .tuple(parentName, fc.constantFrom('-', '.', 'a'), suffix)
      .filter(([name]) => name.length < 251)
      .map(([name, between, end]) => [
        { name: `${name}-a`, suffix: end },
        { name: `${name}${between}b`, suffix: end },
      ]);
    const pairs = fc.oneof(fc.array(pair, { minLength: 2, maxLength: 9 }), shifted, similar);

    fc.assert(
      fc.property(pairs, limits, (all, limit) => {
        const inputs = new Set(all.map((each) => JSON.stringify([each.name, each.suffix])));
        const outputs = new Set(all.map((each) => named({ ...each, prefix: '' }, limit)));

        expect(outputs.size).toBe(inputs.size);
      }),
      propertyRuns(20),
    );
  });

  test('a shortened child name never equals the unshortened name for another parent', () => {
    fc.assert(
      fc.property(asked, limits, (from, limit) => {
        const made = named(from, limit);
        const isPlain = made === [from.prefix, from.name, from.suffix].filter(Boolean).join('-');
        fc.pre(!isPlain);

        expect(childName(made, limit)).not.toBe(made);
        const at = made.lastIndexOf('-');
        fc.pre(at > 0);
        const [name, suffix] = [made.slice(0, at), made.slice(at + 1)];
        expect(childName(name, { ...limit, suffix })).not.toBe(made);
      }),
      propertyRuns(20),
    );
  });

  test('a child name keeps its prefix and its suffix when they fit', () => {
    const made = childName('w'.repeat(200), { prefix: 'old', suffix: 'cache', form: 'dns-label' });

    expect(made).toMatch(/^old-w{40}-cache-[0-9a-v]{12}$/);
    expect(made).toHaveLength(63);
  });

  // Objects exist under these names: another one for the same input would leave them behind.
  test.each<[string, ChildNameOptions, string]>([
    ['shop', {}, 'shop'],
    ['shop', { suffix: 'cache' }, 'shop-cache'],
    ['shop', { prefix: 'mysql', suffix: '' }, 'mysql-shop'],
    ['7.shop', { suffix: 'cache' }, '7.shop-cache'],
    ['backup-1732838400', { form: 'dns-label' }, 'backup-1732838400'],
    ['Shop_1', { form: 'label-value' }, 'Shop_1'],
    ['1st.shop', { form: 'dns-1035-label' }, 'x1st-shop-vegsm5pmevfe'],
    ['shop', { suffix: 'read-only' }, 'shop-read-only-sp2hububg8e7'],
    [
      'nest'.repeat(18),
      { form: 'label-value' },
      'nestnestnestnestnestnestnestnestnestnestnestnestne-k9gejsvaeora',
    ],
    [
      'nest'.repeat(18),
      { suffix: 'egg', form: 'dns-label', maxLength: 52 },
      'nestnestnestnestnestnestnestnestnes-egg-hlp8uqktrhl3',
    ],
  ])('the child name of %s with %o is %s', (name, options, expected) => {
    expect(childName(name, options)).toBe(expected);
  });

  test.each<[string, () => unknown]>([
    ['an unknown format', () => childName('a', { form: 'label' as 'dns-label' })],
    ['a method name as its format', () => childName('a', { form: 'toString' as 'dns-label' })],
    ['a length without room for the hash', () => childName('a', { maxLength: 13 })],
    [
      'a length that the format does not allow',
      () => childName('a', { form: 'label-value', maxLength: 64 }),
    ],
    ['a fractional length', () => childName('a', { maxLength: 20.5 })],
  ])('a child name with %s is refused', (_, ask) => {
    expect(ask).toThrow(ConfigurationError);
  });
});
