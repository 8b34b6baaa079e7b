/** Random values that a chart's schema mostly allows, with texts that try to become more than a text. */
import * as fc from 'fast-check';
import { type Place, schemaAt } from './schema-places.ts';

type Json = Readonly<Record<string, unknown>>;

/** Each would be something else if a template wrote it as it is. */
export const HOSTILE: readonly string[] = [
  'a\nb: c',
  'x\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: evil',
  '{{ .Values }}',
  '{{ fail "x" }}',
  '{{- end }}',
  ': ',
  'a: b',
  ' # comment',
  '"',
  "'",
  '\\',
  '!!binary aGk=',
  '&a',
  '*a',
  '|',
  '>',
  '- x',
  '[',
  '{',
  '%YAML 1.1',
  '...',
  '.*',
  'a|b',
  'a/..',
  '../../x',
  '$(POD_NAMESPACE)',
  '--disable-filter=true',
  '~',
  'null',
  'true',
  'yes',
  'no',
  'on',
  'n',
  '0x1f',
  '0o17',
  '1e3',
  '1_000',
  '1:30',
  '12',
  '-1',
  '2026-01-01',
  '.inf',
  '<<',
  '=',
  '',
  ' ',
  '\t',
  '\u0085',
  '\u2028',
  '\ufeff',
  'a'.repeat(300),
];

/** Texts: hostile ones and any others. */
export function hostileText(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...HOSTILE), fc.string(), fc.string({ unit: 'binary' }));
}

/** Values by a JSON schema. What the arbitrary does not know of a schema, the schema itself refuses later. */
export function valuesArbitrary(schema: Json): fc.Arbitrary<unknown> {
  return arbitraryOf(schema, schema);
}

/** Values that the schema mostly allows, with `wrong` ones at one or two places. */
export function mutatedValues(
  schema: Json,
  places: readonly Place[],
  wrong: readonly unknown[],
): fc.Arbitrary<object> {
  const mutation = fc
    .tuple(fc.constantFrom(...places), fc.constantFrom(...wrong))
    .map(([place, value]) => place.put(value));
  return fc
    .tuple(valuesArbitrary(schema), fc.array(mutation, { minLength: 1, maxLength: 2 }))
    .map(([values, mutations]) => mutations.reduce<unknown>(overlaid, values) as object);
}

/** As Helm merges a second file of values: tables merge, all else replaces. */
function overlaid(below: unknown, above: unknown): unknown {
  if (!isTable(below) || !isTable(above)) return above;
  const merged = Object.entries(above).map(([key, each]) => [key, overlaid(below[key], each)]);
  return { ...below, ...Object.fromEntries(merged) };
}

function isTable(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function arbitraryOf(node: unknown, root: Json): fc.Arbitrary<unknown> {
  if (typeof node !== 'object' || node === null) return fc.jsonValue();
  const { $ref, enum: options, const: constant, anyOf, oneOf, type } = node as Json;
  if (typeof $ref === 'string') return arbitraryOf(schemaAt(root, $ref), root);
  if (Array.isArray(options)) return fc.constantFrom(...(options as unknown[]));
  if (constant !== undefined) return fc.constant(constant);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices) && type === undefined) {
    return fc.oneof(...choices.map((each) => arbitraryOf(each, root)));
  }
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  return fc.oneof(...types.map((each) => typedArbitrary(each, node as Json, root)));
}

function typedArbitrary(type: unknown, node: Json, root: Json): fc.Arbitrary<unknown> {
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
    case 'number':
      return fc.integer({ min: numberOf(node.minimum, -1), max: numberOf(node.maximum, 100_000) });
    case 'string':
      return textArbitrary(node);
    case 'array':
      return fc.array(arbitraryOf(node.items, root), { maxLength: numberOf(node.maxItems, 3) });
    case 'object':
      return tableArbitrary(node, root);
    default:
      return fc.jsonValue();
  }
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function textArbitrary({ pattern, minLength, maxLength }: Json): fc.Arbitrary<string> {
  if (typeof pattern !== 'string') return hostileText();
  const fits = (text: string): boolean =>
    text.length >= numberOf(minLength, 0) && text.length <= numberOf(maxLength, 253);
  // What looks as the pattern wants, and now and then what does not.
  const matching = fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  return fc.oneof({ arbitrary: matching, weight: 9 }, { arbitrary: hostileText(), weight: 1 });
}

function tableArbitrary(node: Json, root: Json): fc.Arbitrary<unknown> {
  const { properties = {}, additionalProperties, propertyNames } = node;
  const fields = fieldsArbitrary(properties as Json, root);
  if (additionalProperties === false) return fields;
  const keys = textArbitrary((propertyNames ?? {}) as Json);
  const others = fc.dictionary(keys, arbitraryOf(additionalProperties ?? {}, root), { maxKeys: 3 });
  return fc.tuple(others, fields).map(([more, named]) => ({ ...more, ...named }));
}

/** Most values of a chart are left alone: where all are given, one is always refused, and hides the others. */
function fieldsArbitrary(properties: Json, root: Json): fc.Arbitrary<Json> {
  const fields = Object.entries(properties).map(([key, each]) => {
    const isGroup = typeof each === 'object' && each !== null && 'properties' in each;
    const given = arbitraryOf(each, root).map((value) => [[key, value]] as const);
    return fc.oneof(
      { arbitrary: fc.constant([]), weight: isGroup ? 1 : 5 },
      { arbitrary: given, weight: 1 },
    );
  });
  return fc.tuple(...fields).map((each) => Object.fromEntries(each.flat()) as Json);
}
