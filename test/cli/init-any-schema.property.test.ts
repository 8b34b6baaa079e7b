/**
 * Definitions whose parts are any JSON, as an unknown tool or an attacker writes them: each kind gets its files, or is
 * left out with a sentence.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { existingKindFiles } from '../../operator/cli/init/existing/existing-files.ts';
import { existingKind } from '../../operator/cli/init/existing/existing-kind.ts';
import { withFiles } from '../../operator/cli/init/existing/existing-names.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { formatYaml, parseYaml, parseYamlDocuments } from '../../operator/core/yaml.ts';
import { definitionOf, HOSTILE_SPEC } from '../scaffold/support/definitions.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Json = Readonly<Record<string, unknown>>;

/** The files for a definition, or the reason why it is left out. Any other error fails the test. */
function madeOf(definition: unknown): number | string {
  try {
    const [kind] = withFiles([existingKind(parseYaml(formatYaml(definition)) as Json)]);
    return kind === undefined ? 'no kind' : existingKindFiles(kind).files.length;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message;
  }
}

const KEYWORDS = [
  ...['type', 'format', 'pattern', 'title', 'nullable', 'default', 'enum', 'required', 'items'],
  ...['properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not', 'minimum', 'maximum'],
  ...['multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties'],
  ...['exclusiveMinimum', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'],
  ...['x-kubernetes-int-or-string', 'x-kubernetes-embedded-resource', 'x-kubernetes-validations'],
];

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    0,
    -1,
    1e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    'object',
    [],
    {},
  ),
);

/** A pattern of nested repetitions, classes and groups, seldom a sensible one. */
const pattern = fc
  .array(
    fc.constantFrom(
      '(',
      ')',
      'a',
      '[a-z]',
      '+',
      '*',
      '{9}',
      '{1,900}',
      '|',
      '^',
      '$',
      '\\b',
      '.',
      '\\',
    ),
  )
  .map((parts) => parts.join(''));

const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record({ type: fc.constant('string'), pattern, minLength: fc.nat(5_000) }),
    fc.record({
      type: fc.constantFrom('array', 'object'),
      items: tie('schema'),
      minItems: fc.nat(9),
    }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')),
      required: fc.constantFrom(['a', 'b', 'c'], ['a', 'a']),
    }),
    fc.dictionary(
      fc.constantFrom(...KEYWORDS),
      fc.oneof(odd, tie('schema'), fc.array(tie('schema'))),
    ),
  ),
}));

test('[found 5] `init` creates files for any supported schema; for other schemas it prints which part is not supported', () => {
  fc.assert(
    fc.property(schema, (spec) => {
      const made = madeOf(definitionOf('Kite', { spec }));

      expect(made).toSatisfy(
        (each: unknown) => each === 4 || /^kites\.\S+: .* (?:must|deeper)/.test(String(each)),
      );
    }),
    propertyRuns(),
  );
});

/** A copy with another value at a place, which is counted in a circle. */
function replacedAt(value: unknown, place: number, replacement: unknown): unknown {
  let left = place;
  const copied = (part: unknown): unknown => {
    if (left-- === 0) return replacement;
    if (Array.isArray(part)) return part.map(copied);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, copied(each)]));
  };
  return copied(value);
}

test('[found 5] whatever value a definition contains, `init` creates files or prints an error', () => {
  const definition = definitionOf('Kite', { spec: HOSTILE_SPEC });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), odd, (place, value) => {
      const made = madeOf(replacedAt(definition, place, value));

      expect(made).toSatisfy((each: unknown) => each === 4 || /\w \w/.test(String(each)));
    }),
    propertyRuns(),
  );
});

test.each<[string, object, string]>([
  [
    'a number in place of the required fields',
    { required: 5 },
    'required in the schema of .spec must be',
  ],
  ['a list of fields', { properties: [] }, 'properties in the schema of .spec must be a mapping'],
  [
    'a string in place of the choices',
    { properties: { a: { enum: 'x' } } },
    'enum in the schema of .spec.a must',
  ],
  ['map keys that are numbers', { 'x-kubernetes-list-map-keys': [1] }, 'must be a list of texts'],
  [
    'a number in place of a pattern',
    { pattern: 7 },
    'pattern in the schema of .spec must be a string',
  ],
  [
    'a number that is NaN',
    { minimum: Number.NaN },
    'minimum in the schema of .spec must be a number',
  ],
  [
    'validation rules that are strings',
    { 'x-kubernetes-validations': ['self'] },
    'must be a list of mappings',
  ],
  [
    'a flag that is a string',
    { nullable: 'yes, please' },
    'nullable in the schema of .spec must be',
  ],
])('[found 5] a definition with %s is skipped, and a message says where in the schema this is', (_, spec, told) => {
  expect(madeOf(definitionOf('Kite', { spec }))).toContain(told);
});

test.each([
  ['an anchor that contains itself', 'a: &a\n  b: *a\n'],
  ['a list that contains itself', '&a\n- [*a]\n'],
])('[found 5] YAML with %s is refused', (_, text) => {
  expect(() => parseYaml(text)).toThrow('an anchor contains itself');
  expect(() => parseYamlDocuments(text)).toThrow('an anchor contains itself');
});
