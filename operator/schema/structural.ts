import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../core/mapping.ts';
import type { SchemaType, StructuralSchema } from '../model/structural-schema.ts';
import { isTextFormat } from '../model/text-format.ts';
import { definitionError } from './field-path.ts';
import {
  DROPPED,
  type Json,
  KEYWORDS,
  NUMERIC,
  OTHER_TYPES,
  REMEDIES,
  SCHEMA_TYPES,
} from './keywords.ts';
import { patternMatcher } from './pattern/pattern.ts';

/** TypeBox's pattern for a map with arbitrary keys. */
const ANY_KEY = '^.*$';

/** Keywords that are handled separately. All other keywords are copied. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'items',
  'const',
]);

/**
 * Converts a TypeBox schema to a structural schema, in which each field has one type, declared in one place.
 *
 * @param path - the path of the schema, for errors.
 * @throws ConfigurationError `CONFIG` for a schema that cannot be structural, with its path and a remedy.
 */
export function structuralSchema(schema: unknown, path: string): StructuralSchema {
  if (!isMapping(schema)) {
    throw definitionError(path, 'is no schema', 'write one with Type, such as Type.String()');
  }
  const single = withEnum(withoutUnion(asMap(schema), path), path);
  const kind = kindOf(single, path);
  const keywords = keywordsOf(single, kind, path);
  if (kind === 'anything') return { ...keywords, 'x-kubernetes-preserve-unknown-fields': true };
  if (kind === 'int-or-string') return { ...keywords, 'x-kubernetes-int-or-string': true };
  return { type: kind, ...keywords, ...below(single, kind, path) };
}

function kindOf(schema: Json, path: string): SchemaType | 'int-or-string' | 'anything' {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  const { type } = schema;
  if (SCHEMA_TYPES.includes(type as string)) return type as SchemaType;
  // The schemas Unknown and Any of TypeBox have no keywords.
  const refused = Object.keys(schema).find((keyword) => keyword in REMEDIES);
  if (type === undefined && refused === undefined) return 'anything';
  if (refused !== undefined) throw notStructural(path, refused);
  const remedy =
    OTHER_TYPES[String(type)] ?? `write one of the types ${SCHEMA_TYPES.join(', ')}, or Anything()`;
  throw definitionError(path, `the API has no type ${JSON.stringify(type)}`, remedy);
}

function notStructural(path: string, keyword: string): Error {
  const remedy = REMEDIES[keyword] ?? 'leave it out';
  return definitionError(path, `${keyword} cannot be in a structural schema`, remedy);
}

/** The keywords of a schema, except for those in `STRUCTURE`, as the API server expects them. */
function keywordsOf(schema: Json, kind: keyof typeof KEYWORDS, path: string): StructuralSchema {
  const kept: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || STRUCTURE.has(keyword) || DROPPED.has(keyword)) continue;
    if (keyword.startsWith('~')) continue; // keywords that only TypeBox uses
    if (keyword === 'additionalProperties' && kind === 'object') continue;
    if (keyword in REMEDIES && keyword !== 'uniqueItems') throw notStructural(path, keyword);
    if (keyword === 'uniqueItems' && value === true) throw notStructural(path, keyword);
    if (keyword === 'uniqueItems') continue;
    if (!KEYWORDS[kind].includes(keyword)) {
      throw definitionError(path, `${keyword} means nothing for ${kind}`, 'leave it out');
    }
    if (NUMERIC.has(keyword) && !Number.isFinite(value)) {
      throw definitionError(path, `${keyword} must be a number`, 'write a number, or leave it out');
    }
    if (keyword === 'default' || !isLeftOut(value)) kept.push([keyword, value]);
  }
  const keywords = withBounds(Object.fromEntries(kept));
  refuseUnknownFormat(keywords, kind, path);
  refuseUnusablePattern(keywords, path);
  return keywords;
}

/** True for values that the API server omits from a stored definition. */
function isLeftOut(value: unknown): boolean {
  return value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Rewrites exclusive bounds. In JSON Schema, an exclusive bound is a keyword with a number. In OpenAPI v3, a
 * flag marks `minimum` or `maximum` as exclusive.
 */
function withBounds(schema: Json): StructuralSchema {
  const { exclusiveMinimum: above, exclusiveMaximum: under, ...rest } = schema;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } =
    rest as StructuralSchema;
  return {
    ...rest,
    ...(typeof above === 'number' && above >= minimum
      ? { minimum: above, exclusiveMinimum: true }
      : {}),
    ...(typeof under === 'number' && under <= maximum
      ? { maximum: under, exclusiveMaximum: true }
      : {}),
  };
}

function refuseUnknownFormat({ format }: StructuralSchema, kind: string, path: string): void {
  if (format === undefined) return;
  const known: Readonly<Record<string, readonly string[]>> = {
    integer: ['int32', 'int64'],
    number: ['float', 'double'],
  };
  if (known[kind]?.includes(format) ?? isTextFormat(format)) return;
  const remedy =
    known[kind] === undefined ? 'write a pattern' : `write ${known[kind].join(' or ')}`;
  throw definitionError(path, `the API server knows no format ${JSON.stringify(format)}`, remedy);
}

function refuseUnusablePattern({ pattern }: StructuralSchema, path: string): void {
  if (pattern === undefined) return;
  try {
    patternMatcher(pattern);
  } catch (error) {
    const remedy = 'write it without, or as a CEL rule with self.matches(…)';
    throw definitionError(path, `unusable pattern: ${(error as Error).message}`, remedy, error);
  }
}

/** Moves the schema of a map's values to `additionalProperties`, where structural schemas have it. */
function asMap(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  if (!isMapping(patternProperties)) return schema;
  if (!isDeepStrictEqual(Object.keys(patternProperties), [ANY_KEY])) return schema;
  return { ...rest, additionalProperties: patternProperties[ANY_KEY] };
}

/** Turns a literal into an enumeration with one value, and adds the type of the values to an enumeration. */
function withEnum(schema: Json, path: string): Json {
  const { const: constant, ...rest } = schema;
  const values = constant === undefined ? rest.enum : [constant];
  if (!Array.isArray(values)) return schema;
  const some = values.filter((value) => value !== null);
  const types = [...new Set(some.map((value) => typeOf(value)))];
  const [type = 'null'] = types.includes('number') ? ['number'] : types;
  const isMixed = types.some((other) => other !== type && other !== 'integer');
  if (isMixed || some.length === 0 || (types.length > 1 && type !== 'number')) {
    const remedy = 'write texts alone or numbers alone';
    throw definitionError(path, 'the values of an enumeration are of one type', remedy);
  }
  const nullable = some.length < values.length || rest.nullable === true;
  // A nullable enumeration must also list null.
  return {
    type,
    ...rest,
    enum: [...new Set(some), ...(nullable ? [null] : [])],
    ...(nullable ? { nullable: true } : {}),
  };
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function below(schema: Json, kind: SchemaType, path: string): StructuralSchema {
  if (kind === 'array') return { items: itemsOf(schema, path) };
  return kind === 'object' ? fieldsOf(schema, path) : {};
}

function itemsOf({ items }: Json, path: string): StructuralSchema {
  if (Array.isArray(items)) throw notStructural(path, 'prefixItems');
  if (items !== undefined) return structuralSchema(items, `${path}[]`);
  throw definitionError(path, 'a list without a schema of its items', 'write Type.Array(…)');
}

function fieldsOf(schema: Json, path: string): StructuralSchema {
  const { properties, additionalProperties: values } = schema;
  const fields = Object.entries(isMapping(properties) ? properties : {});
  if (isMapping(values)) {
    if (fields.length === 0)
      return { additionalProperties: structuralSchema(values, `${path}[*]`) };
    const remedy = 'write a field of its own for the map, or preserveUnknownFields(…)';
    throw definitionError(path, 'both named fields and a map', remedy);
  }
  if (values === true) {
    throw definitionError(path, 'additionalProperties: true', 'write preserveUnknownFields(…)');
  }
  const converted = Object.fromEntries(
    fields.map(([name, field]) => [name, structuralSchema(field, `${path}.${name}`)]),
  );
  const required = requiredFields(schema, converted, path);
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0 ? {} : { properties: converted }),
  };
}

/**
 * The required fields, without fields that have a default: these are never missing. If they were required, a
 * default of the object that omits such a field would be refused, because the API server checks this default
 * before it fills in the defaults of fields.
 */
function requiredFields(
  { required }: Json,
  fields: Readonly<Record<string, StructuralSchema>>,
  path: string,
): readonly string[] {
  if (!Array.isArray(required)) return [];
  const unknown = required.find((name: string) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    throw definitionError(`${path}.${unknown}`, 'is required, and has no schema', 'add its schema');
  }
  return required.filter((name: string) => fields[name]?.default === undefined);
}

/**
 * `schema` without its union, if a structural schema can express the union: a list of literals, one schema
 * and null, or an integer and a string.
 *
 * @throws ConfigurationError `CONFIG` for any other union.
 */
function withoutUnion(schema: Json, path: string): Json {
  const { anyOf, ...around } = typesAsUnion(schema);
  if (!Array.isArray(anyOf)) return around;
  const members: readonly Json[] = anyOf
    .filter(isMapping)
    .map((member) => withoutUnion(member, path));
  const some = members.filter(({ type }) => type !== 'null');
  const nullable = some.length < members.length ? { nullable: true } : {};
  const [only] = some;
  if (only !== undefined && some.length === 1) return { ...only, ...nullable, ...around };
  if (isIntOrString(some)) return { 'x-kubernetes-int-or-string': true, ...nullable, ...around };
  const values = some.flatMap(valuesOf);
  if (some.length > 0 && some.every((member) => valuesOf(member).length > 0)) {
    return { enum: values, ...nullable, ...around };
  }
  throw definitionError(
    path,
    'a union of more than literals, or than one schema and null',
    REMEDIES.anyOf ?? '',
  );
}

/** Rewrites `type: ['string', 'null']`, which is also a union. */
function typesAsUnion(schema: Json): Json {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const some = type.filter((one) => one !== 'null');
  if (some.length === 1) return { type: some[0], nullable: true, ...rest };
  return { anyOf: type.map((one) => ({ type: one as unknown })), ...rest };
}

function isIntOrString(members: readonly Json[]): boolean {
  const types = members.map((member) => ({ ...member })); // without TypeBox's hidden fields
  return (
    isDeepStrictEqual(types, [{ type: 'integer' }, { type: 'string' }]) ||
    isDeepStrictEqual(types, [{ type: 'string' }, { type: 'integer' }])
  );
}

function valuesOf(member: Json): readonly unknown[] {
  if (member.const !== undefined) return [member.const];
  return Array.isArray(member.enum) ? member.enum : [];
}
