/**
 * Random schemas and values: pruning and defaulting done twice are done once, an unchanged object is
 * valid, and what is valid is what an independent implementation of JSON Schema finds valid.
 */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import { Correlation } from '../../../operator/schema/validation/correlation.ts';
import { applyDefaults, prune } from '../../../operator/schema/validation/stored-form.ts';
import { validateBySchema } from '../../../operator/schema/validation/validate.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const FIELD = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const NUMBER = fc.integer({ min: -3, max: 12 });
const TEXT = fc.constantFrom('', 'a', 'ab', 'B', 'abc');

const value: fc.Arbitrary<unknown> = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom(null, true, false),
      NUMBER,
      fc.constantFrom(1.5, 0.25),
      TEXT,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(FIELD, tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.map((any): unknown => JSON.parse(JSON.stringify(any)));

/** The values that a schema allows, apart from the fields that it has. */
const limits = {
  nullable: fc.boolean(),
  enum: fc.uniqueArray(fc.oneof(NUMBER, TEXT), { minLength: 1, maxLength: 3 }),
  minimum: NUMBER,
  maximum: NUMBER,
  // Whole, because the API server removes the fraction for an integer: number-checks.test.ts has fractions.
  multipleOf: fc.constantFrom(1, 2, 3),
  minLength: fc.integer({ min: 0, max: 2 }),
  maxLength: fc.integer({ min: 0, max: 2 }),
  pattern: fc.constantFrom('^a', 'b$', '^[a-c]+$'),
  minItems: fc.integer({ min: 0, max: 2 }),
  maxItems: fc.integer({ min: 0, max: 2 }),
  minProperties: fc.integer({ min: 0, max: 2 }),
  maxProperties: fc.integer({ min: 0, max: 2 }),
  required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 }),
};

const nested = fc.record(limits, { requiredKeys: [] }).map(({ nullable: _, ...rest }) => rest);
const alternatives = fc.array(nested, { minLength: 1, maxLength: 2 });

const schema = fc.letrec<{ schema: StructuralSchema }>((tie) => ({
  schema: fc
    .tuple(
      fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object'),
      fc.record(limits, { requiredKeys: [] }),
      fc.record(
        { anyOf: alternatives, oneOf: alternatives, allOf: alternatives, not: nested },
        { requiredKeys: [] },
      ),
      fc.option(tie('schema'), { nil: undefined, maxDepth: 3, depthIdentifier: 'schema' }),
      fc.option(fc.dictionary(FIELD, tie('schema'), { maxKeys: 2, depthIdentifier: 'schema' }), {
        nil: undefined,
        maxDepth: 3,
        depthIdentifier: 'schema',
      }),
      fc.option(value, { nil: undefined }),
    )
    .map(
      ([type, own, combined, child, properties, fallback]): StructuralSchema => ({
        type,
        ...own,
        ...combined,
        ...(type === 'array' && child !== undefined ? { items: child } : {}),
        ...(type === 'object' && properties !== undefined ? { properties } : {}),
        ...(type === 'object' && properties === undefined && child !== undefined
          ? { additionalProperties: child }
          : {}),
        ...(fallback === undefined || fallback === null ? {} : { default: fallback }),
      }),
    ),
})).schema;

test('pruning a second time drops nothing more', () => {
  fc.assert(
    fc.property(value, schema, (any, by) => {
      const once = prune(any, by, { path: 'x' });
      const reported: string[] = [];

      const twice = prune(once, by, { report: (path) => reported.push(path), path: 'x' });

      expect(twice).toBe(once);
      expect(reported).toEqual([]);
    }),
  );
});

test('applying defaults a second time adds nothing more', () => {
  fc.assert(
    fc.property(value, schema, (any, by) => {
      const once = applyDefaults(any, by);

      expect(applyDefaults(once, by)).toBe(once);
    }),
  );
});

test('an unchanged value is valid with ratcheting, whatever it is', () => {
  fc.assert(
    fc.property(value, schema, (any, by) => {
      const correlation = new Correlation(any, structuredClone(any), by);

      expect(validateBySchema(any, by, 'x', { correlation })).toEqual([]);
    }),
  );
});

test('validation agrees with another implementation', () => {
  const ajv = new Ajv({
    strict: false,
    validateSchema: false,
    multipleOfPrecision: 9,
    // Else an object has a field `constructor`.
    ownProperties: true,
  });
  const values = fc.array(value, { minLength: 10, maxLength: 20 });

  // Compiling is what takes the other one its time: many values for each of few schemas.
  fc.assert(
    fc.property(values, schema, (some, by) => {
      const judge = ajv.compile(asJsonSchema(by));

      for (const any of some) {
        expect([any, validateBySchema(any, by, 'x').length === 0]).toEqual([any, judge(any)]);
      }
    }),
    propertyRuns(0.6),
  );
});

/**
 * The same meaning in plain JSON Schema. Of null the server asks only for the type and the
 * enumeration; the type of a nested schema is that of the one around it.
 */
function asJsonSchema(source: StructuralSchema): object {
  const { nullable, default: _, items, properties, additionalProperties, ...rest } = source;
  const nonNull = {
    ...rest,
    ...(items === undefined ? {} : { items: asJsonSchema(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, child]) => [name, asJsonSchema(child)]),
          ),
        }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: asJsonSchema(additionalProperties) }
      : {}),
  };
  const enumeration = source.enum === undefined ? {} : { enum: source.enum };
  const isNull = nullable === true ? { type: 'null', ...enumeration } : false;
  return { anyOf: [isNull, { allOf: [{ not: { type: 'null' } }, nonNull] }] };
}
