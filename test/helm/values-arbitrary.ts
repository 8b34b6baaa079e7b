/** Random values that a chart's schema mostly allows, with texts that try to become more than a text. */
import * as fc from 'fast-check';
import { schemaAt } from './schema-places.ts';

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
  const known = Object.fromEntries(
    Object.entries(properties as Json).map(([key, each]) => [key, arbitraryOf(each, root)]),
  );
  const fields = fc.record(known, { requiredKeys: [] });
  if (additionalProperties === false) return fields;
  const keys = textArbitrary((propertyNames ?? {}) as Json);
  const others = fc.dictionary(keys, arbitraryOf(additionalProperties ?? {}, root), { maxKeys: 3 });
  return fc.tuple(others, fields).map(([more, named]) => ({ ...more, ...named }));
}
