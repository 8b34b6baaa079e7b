import {
  OBJECT_FIELDS,
  type StructuralSchema,
  valuesSchema,
} from '../../model/structural-schema.ts';
import { NoSample, sampleText } from './sample-text.ts';

export { NoSample } from './sample-text.ts';

/**
 * A small value that the schema allows: required fields, and fields with a default, which change nothing for the API
 * server and show people what there is. Rules in CEL are not looked at.
 *
 * @param index - different items of a list get different indexes, and, where the schema has room, different values.
 * @throws NoSample when none is found.
 */
export function sampleOf(given: StructuralSchema, index: number = 0): unknown {
  const schema = chosen(given);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[index % schema.enum.length];
  if (schema['x-kubernetes-int-or-string'] === true) return sampleNumber(schema, index);
  switch (schema.type) {
    case 'array':
      return sampleItems(schema);
    case 'boolean':
      return index % 2 === 1;
    case 'integer':
    case 'number':
      return sampleNumber(schema, index);
    case 'string':
      return sampleText(schema, index === 0 ? 'sample' : `sample-${index}`);
    default:
      return sampleFields(schema, index);
  }
}

/** With one way through its alternatives. */
function chosen(schema: StructuralSchema): StructuralSchema {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [...allOf, ...anyOf.slice(0, 1), ...oneOf.slice(0, 1)].reduce<StructuralSchema>(
    joined,
    schema,
  );
}

function joined(schema: StructuralSchema, more: StructuralSchema): StructuralSchema {
  const known = new Map(Object.entries(schema.properties ?? {}));
  for (const [name, added] of Object.entries(more.properties ?? {})) {
    known.set(name, joined(known.get(name) ?? {}, added));
  }
  const properties = Object.fromEntries(known);
  const required = [...new Set([...(schema.required ?? []), ...(more.required ?? [])])];
  const type = more.type ?? schema.type;
  return { ...schema, ...more, ...(type !== undefined && { type }), properties, required };
}

function sampleFields(schema: StructuralSchema, index: number): object {
  const { properties = {}, required = [], minProperties = 0 } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  // A map, because a field may have any name, such as `__proto__`.
  const fields = new Map<string, unknown>(
    isEmbedded
      ? [
          ['apiVersion', 'v1'],
          ['kind', 'ConfigMap'],
          ['metadata', { name: 'sample' }],
        ]
      : [],
  );
  for (const [name, property] of Object.entries(properties)) {
    if (isEmbedded && OBJECT_FIELDS.has(name)) continue;
    if (required.includes(name) || property.default !== undefined) {
      fields.set(name, sampleOf(property, index));
    }
  }
  const values = valuesSchema(schema);
  const others = Object.entries(properties).filter(([name]) => !fields.has(name));
  while (fields.size < minProperties) {
    const [name, property] = others.shift() ?? [`key-${fields.size + 1}`, values];
    if (property === undefined) throw new NoSample(`${minProperties} fields`);
    fields.set(name, sampleOf(property));
  }
  if (fields.size > (schema.maxProperties ?? fields.size)) {
    throw new NoSample(`at most ${schema.maxProperties} fields`);
  }
  return Object.fromEntries(fields);
}

/** No list in an example is longer. */
const MAX_ITEMS = 50;

function sampleItems({
  items = {},
  minItems = 0,
  maxItems = MAX_ITEMS,
}: StructuralSchema): readonly unknown[] {
  if (minItems > Math.min(MAX_ITEMS, maxItems)) throw new NoSample(`${minItems} items`);
  return Array.from({ length: minItems }, (_none, index) => sampleOf(items, index));
}

function sampleNumber(schema: StructuralSchema, index: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, type } = schema;
  const step = schema.multipleOf ?? (type === 'number' && isNarrow(schema) ? width(schema) / 4 : 1);
  const isAllowed = (value: number): boolean =>
    (minimum === undefined || (exclusiveMinimum === true ? value > minimum : value >= minimum)) &&
    (maximum === undefined || (exclusiveMaximum === true ? value < maximum : value <= maximum));
  // One is a better example than zero, where both may be.
  const start = minimum ?? Math.min(step, maximum ?? step);
  const first = Math.ceil(Math.max(start, isAllowed(step) ? step : start) / step) * step;
  const downwards = Math.floor((maximum ?? first) / step) * step;
  const found = [first + index * step, first, first + step, downwards, downwards - step].find(
    isAllowed,
  );
  if (found === undefined) throw new NoSample('a number');
  return found;
}

function isNarrow({ minimum, maximum }: StructuralSchema): boolean {
  return minimum !== undefined && maximum !== undefined && maximum - minimum < 4;
}

function width({ minimum = 0, maximum = 0 }: StructuralSchema): number {
  return maximum > minimum ? maximum - minimum : 1;
}
