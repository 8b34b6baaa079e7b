import { isMapping, type Mapping } from '../../../core/mapping.ts';
import { textLiteral } from './text-literal.ts';

/** Maximum depth. The type of a deeper value is `unknown`. */
const MAX_DEPTH = 40;

/** Fields that every object has, and that `KubernetesObject` declares. */
const OF_EVERY_OBJECT = ['apiVersion', 'kind', 'metadata'];

/** The members of a TypeScript interface for an object with this schema. */
export function fieldTypes(schema: Mapping): string {
  const { properties } = schema;
  const fields = Object.entries(isMapping(properties) ? properties : {});
  const own = fields.filter(([name]) => !OF_EVERY_OBJECT.includes(name));
  return members(own, schema, 0).join('\n');
}

function members(
  fields: readonly (readonly [name: string, field: unknown])[],
  { required }: Mapping,
  depth: number,
): readonly string[] {
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  return fields.map(([name, field]) => member(name, field, needed.has(name), depth));
}

function member(name: string, field: unknown, isRequired: boolean, depth: number): string {
  const isThere = isRequired || (isMapping(field) && field.default !== undefined);
  const key = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : textLiteral(name);
  return `readonly ${key}${isThere ? '' : '?'}: ${typeOf(field, depth)};`;
}

/**
 * The type of a value with this schema. Where the schema does not specify a type, the type is
 * `unknown`.
 */
function typeOf(schema: unknown, depth: number): string {
  if (!isMapping(schema) || depth > MAX_DEPTH) return 'unknown';
  const type = typeOfValue(schema, depth + 1);
  const takesNull = schema.nullable === true && type !== 'unknown' && !/(?:^|\| )null$/.test(type);
  return takesNull ? `${type} | null` : type;
}

function typeOfValue(schema: Mapping, depth: number): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  const { type, enum: values, items } = schema;
  if (Array.isArray(values) && values.length > 0 && values.every(isLiteral)) {
    const texts = values.filter((value) => value !== null).map(literal);
    const all = values.includes(null) ? [...texts, 'null'] : texts;
    return [...new Set(all)].join(' | ');
  }
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
      return type;
    case 'array':
      return `readonly (${typeOf(items, depth)})[]`;
    case 'object':
      return objectType(schema, depth);
    default:
      return 'unknown';
  }
}

function isLiteral(value: unknown): boolean {
  return ['string', 'boolean'].includes(typeof value) || value === null || Number.isFinite(value);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? textLiteral(value) : JSON.stringify(value);
}

function objectType(schema: Mapping, depth: number): string {
  const { properties, additionalProperties: values } = schema;
  const fields = Object.entries(isMapping(properties) ? properties : {});
  if (fields.length > 0) {
    const lines = members(fields, schema, depth).join('\n');
    return `{\n${lines.replaceAll(/^/gm, '  ')}\n}`;
  }
  return `Readonly<Record<string, ${isMapping(values) ? typeOf(values, depth) : 'unknown'}>>`;
}
