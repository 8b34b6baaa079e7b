import fc from 'fast-check';
import { memberName } from '../../../../test/support/json-arbitraries.ts';
import { builtInType, elementType } from '../../../src/apiserver/built-in-types/built-in-types.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Objects of a built-in type with any of its fields, in the form in which Go writes them. No list and no map is
 * empty: protobuf does not tell that from none.
 */
export function builtInValue(typeName: string, depth = 3): fc.Arbitrary<Json> {
  const fields = Object.entries(builtInType(typeName)?.fields ?? {})
    .filter(([, { number }]) => number !== undefined)
    .map(([name, { type }]): [string, fc.Arbitrary<unknown> | undefined] => [
      name,
      valueOfType(type, depth),
    ])
    .filter((entry): entry is [string, fc.Arbitrary<unknown>] => entry[1] !== undefined);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] }) as fc.Arbitrary<Json>;
}

const TEXT = fc.string({ unit: 'grapheme', maxLength: 6 });

const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: TEXT,
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  Time: fc.constantFrom('2026-11-21T00:00:00Z', '1969-12-31T23:59:59Z', '0001-01-01T00:00:01Z'),
  MicroTime: fc.constantFrom('2026-11-21T00:00:00.000001Z', '2026-11-21T00:00:00.123456Z'),
  Quantity: fc.constantFrom('1', '500m', '1Gi', '12e6', '0'),
  IntOrString: fc.oneof(TEXT, fc.integer()),
};

function valueOfType(type: string, depth: number): fc.Arbitrary<unknown> | undefined {
  if (type.startsWith('#')) return depth > 0 ? builtInValue(type, depth - 1) : undefined;
  const element = elementType(type);
  if (element === undefined) return SCALARS[type];
  const item = valueOfType(element, depth);
  if (item === undefined) return undefined;
  if (type.startsWith('[]')) return fc.array(item, { minLength: 1, maxLength: 2 });
  return fc.dictionary(memberName(fc.string({ minLength: 1, maxLength: 3 })), item, {
    minKeys: 1,
    maxKeys: 2,
  });
}
