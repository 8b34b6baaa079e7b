import fc from 'fast-check';
import type { TSchema } from '../../operator/schema/type.ts';
import {
  Anything,
  EmbeddedResource,
  IntOrString,
  ListMap,
  ListSet,
  Nullable,
  preserveUnknownFields,
  Quantity,
  Type,
} from '../../operator/schema.ts';

/** A schema, and values that fit it more often than not. */
export interface Pair {
  readonly schema: TSchema;
  readonly value: fc.Arbitrary<unknown>;
}

const PATTERNS = [
  '^[a-c]+$',
  '^\\w{1,3}$',
  '\\s',
  '^.b',
  '(?i)^AB',
  '^[\\d\\-_.]*$',
  '^(?:a|b){2,3}$',
  '\\.$',
  '^[[:alpha:]]*$',
  '\\p{Lu}',
] as const;
const TEXTS = ['', 'a', 'ab', 'abc', 'B', 'a b', 'a\u00a0b', '\nb', '1-2', 'x.', '€', '𝒳y', 'É'];
const FORMATS = ['date-time', 'date', 'ipv4', 'uuid', 'duration', 'byte', 'email', 'hostname'];
const FORMATTED = [
  '2026-01-02T03:04:05Z',
  '2026-02-30',
  '2026-02-28',
  '10.0.0.1',
  '10.0.0.256',
  '123e4567-e89b-12d3-a456-426614174000',
  '1h30m',
  'a@b.de',
  'example.dev',
  'YWI=',
  'x y',
];

const junk = fc.constantFrom<unknown>(null, 'x', 7, -1, 1.5, true, [], [null], {}, { a: 1 });

/** The right kind of value six times out of seven. */
function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: junk });
}

const bound = fc.integer({ min: 0, max: 3 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });

/** Without the keywords that are undefined. */
function given<T extends object>(
  keywords: T,
): { [Keyword in keyof T]?: Exclude<T[Keyword], undefined> } {
  return Object.fromEntries(
    Object.entries(keywords).filter(([, value]) => value !== undefined),
  ) as never;
}

const text: fc.Arbitrary<Pair> = fc
  .record({
    minLength: maybe(bound),
    maxLength: maybe(bound),
    pattern: maybe(fc.constantFrom(...PATTERNS)),
    default: maybe(fc.constant('ab')),
  })
  .map((keywords) => ({
    schema: Type.String(given(keywords)),
    value: mostly(fc.constantFrom(...TEXTS)),
  }));

const formatted: fc.Arbitrary<Pair> = fc.constantFrom(...FORMATS).map((format) => ({
  schema: Type.String({ format }),
  value: mostly(fc.constantFrom(...FORMATTED)),
}));

const number: fc.Arbitrary<Pair> = fc
  .record({
    minimum: maybe(bound),
    exclusiveMinimum: maybe(bound),
    maximum: maybe(fc.integer({ min: 2, max: 6 })),
    exclusiveMaximum: maybe(fc.integer({ min: 2, max: 6 })),
    multipleOf: maybe(fc.constantFrom(2, 0.1, 3)),
  })
  .map((keywords) => ({
    schema: Type.Number(given(keywords)),
    value: mostly(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 0.3, 1.25, -2)),
  }));

const integer: fc.Arbitrary<Pair> = fc
  .record({ format: maybe(fc.constantFrom('int32', 'int64')), default: maybe(bound) })
  .map((keywords) => ({
    schema: Type.Integer(given(keywords)),
    value: mostly(fc.constantFrom(0, 1, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2.5, 3.0)),
  }));

const literals: fc.Arbitrary<Pair> = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
  .map((values) => ({
    schema: Type.Union(values.map((value) => Type.Literal(value))),
    value: mostly(fc.constantFrom('a', 'b', 'c', 'd')),
  }));

const others: fc.Arbitrary<Pair> = fc.constantFrom<Pair>(
  { schema: Type.Boolean(), value: mostly(fc.boolean()) },
  { schema: IntOrString(), value: mostly(fc.constantFrom(1, '50%', -3)) },
  { schema: Quantity(), value: mostly(fc.constantFrom('100m', '1.5Gi', 3, '1e3', '1 Gi', 'Mi')) },
  { schema: Type.Enum([1, 2, 3]), value: mostly(fc.constantFrom(1, 2, 4)) },
  { schema: Nullable(Type.Enum(['a', 'b'])), value: mostly(fc.constantFrom('a', null, 'c')) },
  { schema: Anything(), value: junk },
  {
    schema: EmbeddedResource(),
    value: mostly(
      fc.constantFrom(
        { apiVersion: 'v1', kind: 'Pod', x: 1 },
        { kind: 'Pod' },
        { apiVersion: '', kind: 'P' },
      ),
    ),
  },
  {
    schema: ListSet(Type.String(), { maxItems: 3 }),
    value: mostly(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })),
  },
  {
    schema: ListMap(Type.Object({ name: Type.String(), port: Type.Integer({ default: 80 }) }), [
      'name',
      'port',
    ]),
    value: mostly(
      fc.array(
        fc
          .record({ name: fc.constantFrom('a', 'b') }, { requiredKeys: [] })
          .chain((item) =>
            fc.constantFrom<object>(item, { ...item, port: 80 }, { ...item, port: 81, more: 1 }),
          ),
        { maxLength: 3 },
      ),
    ),
  },
);

/** Any schema of a field. */
export const anyPair: fc.Arbitrary<Pair> = fc.letrec<{ pair: Pair; object: Pair }>((tie) => ({
  pair: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    formatted,
    number,
    integer,
    literals,
    others,
    tie('pair').map(({ schema, value }) => ({
      schema: Nullable(schema),
      value: fc.oneof(value, fc.constant(null)),
    })),
    fc.tuple(tie('pair'), maybe(bound), maybe(bound)).map(([item, minItems, maxItems]) => ({
      schema: Type.Array(item.schema, given({ minItems, maxItems })),
      value: mostly(fc.array(item.value, { maxLength: 3 })),
    })),
    fc
      .tuple(tie('pair'), maybe(bound), maybe(bound))
      .map(([item, minProperties, maxProperties]) => ({
        schema: Type.Record(Type.String(), item.schema, given({ minProperties, maxProperties })),
        value: mostly(fc.dictionary(fc.constantFrom('k', 'l', 'm'), item.value)),
      })),
    tie('object'),
  ),
  object: fields(tie('pair')),
})).pair;

function fields(pair: fc.Arbitrary<Pair>): fc.Arbitrary<Pair> {
  return fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.tuple(pair, fc.boolean()), { minKeys: 1 }),
      fc.boolean(),
    )
    .map(([entries, isOpen]) => {
      const schema = Type.Object(
        Object.fromEntries(
          Object.entries(entries).map(([name, [field, isOptional]]) => [
            name,
            isOptional ? Type.Optional(field.schema) : field.schema,
          ]),
        ),
      );
      const values = Object.fromEntries(
        Object.entries(entries).map(([name, [field]]) => [name, field.value]),
      );
      const most = fc.record(values, { requiredKeys: [] });
      return {
        schema: isOpen ? preserveUnknownFields(schema) : schema,
        value: mostly(most.map((value) => ({ ...value, unknown: 1 }))),
      };
    });
}
