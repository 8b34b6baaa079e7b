import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../../core/mapping.ts';
import type { StructuralSchema } from '../../model/structural-schema.ts';
import type { Json } from '../keywords.ts';
import { knownPattern } from '../pattern/pattern.ts';
import { type FieldError, forbidden, invalid, required } from '../validation/field-errors.ts';

type Level = 'root' | 'item' | 'field';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/**
 * The reasons why a schema is not structural. A structural schema declares every field exactly once, with its
 * type.
 */
export function structuralProblems(root: StructuralSchema, path: string): readonly FieldError[] {
  const schema = root as Json;
  const problems = [
    ...invariantProblems(schema, 'root', path),
    ...incompleteProblems(schema, path),
  ];
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`;
  return problems.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function invariantProblems(schema: Json, level: Level, path: string): readonly FieldError[] {
  const { type, items, properties, additionalProperties } = schema;
  const problems: FieldError[] = [];
  if (type === 'array' && items === undefined) {
    problems.push(required(`${path}.items`, 'must be specified'));
  }
  if (isMapping(items)) problems.push(...invariantProblems(items, 'item', `${path}.items`));
  for (const [name, child] of entriesOf(properties)) {
    problems.push(...invariantProblems(child, 'field', `${path}.properties[${name}]`));
  }
  if (additionalProperties !== undefined && level === 'root') {
    problems.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isMapping(additionalProperties)) {
    const below = `${path}.additionalProperties`;
    problems.push(...invariantProblems(additionalProperties, 'field', below));
  }
  return [
    ...problems,
    ...extensionProblems(schema, path),
    ...valueProblems(schema, path, skippedIn(schema)),
    ...typeProblems(schema, level, path),
    ...metadataProblems(schema, level, path),
  ];
}

function extensionProblems(schema: Json, path: string): readonly FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'].flatMap(
    (name) =>
      schema[name] === true
        ? [invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true')]
        : [],
  );
}

function typeProblems(schema: Json, level: Level, path: string): readonly FieldError[] {
  const { type } = schema;
  const problems: FieldError[] = [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const untyped =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    problems.push(type ? invalid(`${path}.type`, type, why) : required(`${path}.type`, why));
  } else if (!type && !untyped) problems.push(required(`${path}.type`, EMPTY[level]));
  if (embedded && schema.additionalProperties !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set';
    problems.push(forbidden(`${path}.additionalProperties`, why));
  }
  if (level === 'root' && type && type !== 'object') {
    problems.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  return problems;
}

const EMPTY: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** The problems with fields that every object has. A schema may only restrict them. */
function metadataProblems(schema: Json, level: Level, path: string): readonly FieldError[] {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = isMapping(schema.properties) ? schema.properties : {};
  const problems: FieldError[] = [];
  const typeOf = (name: string): unknown => (properties[name] as Json | undefined)?.type;
  if (level === 'root' || embedded) {
    for (const name of ['kind', 'apiVersion']) {
      if (properties[name] === undefined || typeOf(name) === 'string') continue;
      const at = `${path}.properties[${name}].type`;
      problems.push(invalid(at, typeOf(name) ?? '', 'must be string'));
    }
    if (properties.metadata !== undefined && typeOf('metadata') !== 'object') {
      const at = `${path}.properties[metadata].type`;
      problems.push(invalid(at, typeOf('metadata') ?? '', 'must be object'));
    }
  }
  if (level === 'root' && isMapping(properties.metadata) && !narrowsNames(properties.metadata)) {
    const why =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    problems.push(forbidden(`${path}.properties[metadata]`, why));
  }
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && !preserve && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    problems.push(required(`${path}.properties`, why));
  }
  return problems;
}

function narrowsNames({ type: _, properties, default: __, ...rest }: Json): boolean {
  const names = Object.keys(isMapping(properties) ? properties : {});
  const known = names.every((name) => name === 'name' || name === 'generateName');
  return known && Object.keys(rest).length === 0;
}

interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOfAnyOf: boolean;
}

/** Finds the two allowed notations of an int-or-string: the `anyOf` in them is not checked. */
function skippedIn(schema: Json): Skipped {
  const [first] = listOf(schema.allOf);
  return {
    anyOf: isDeepStrictEqual(schema.anyOf, INT_OR_STRING),
    firstAllOfAnyOf: isDeepStrictEqual(first?.anyOf, INT_OR_STRING),
  };
}

/**
 * Checks the schemas in `anyOf`, `allOf`, `oneOf` and `not`, which restrict values but must not declare
 * fields.
 */
function valueProblems(schema: Json, path: string, skip: Skipped): readonly FieldError[] {
  const problems: FieldError[] = [];
  if (!skip.anyOf) {
    for (const [at, nested] of listOf(schema.anyOf).entries()) {
      problems.push(...nestedProblems(nested, `${path}.anyOf[${at}]`));
    }
  }
  for (const [at, nested] of listOf(schema.allOf).entries()) {
    const anyOf = skip.firstAllOfAnyOf && at === 0;
    problems.push(...nestedProblems(nested, `${path}.allOf[${at}]`, anyOf));
  }
  for (const [at, nested] of listOf(schema.oneOf).entries()) {
    problems.push(...nestedProblems(nested, `${path}.oneOf[${at}]`));
  }
  if (isMapping(schema.not)) problems.push(...nestedProblems(schema.not, `${path}.not`));
  const { pattern } = schema;
  if (typeof pattern === 'string' && pattern !== '') {
    const why = patternProblem(pattern);
    if (why !== undefined) problems.push(invalid(`${path}.pattern`, pattern, why));
  }
  return problems;
}

function patternProblem(pattern: string): string | undefined {
  try {
    knownPattern(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `must be a valid regular expression, but isn't: ${error.message}`;
  }
}

/**
 * Keywords that a schema inside `anyOf`, `allOf`, `oneOf` or `not` must not have, in the order in which the
 * API server reports them.
 */
const NOT_NESTED: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedProblems(nested: Json, path: string, skipAnyOf = false): readonly FieldError[] {
  const problems = [...valueProblems(nested, path, { anyOf: skipAnyOf, firstAllOfAnyOf: false })];
  if (isMapping(nested.items)) problems.push(...nestedProblems(nested.items, `${path}.items`));
  for (const [name, child] of entriesOf(nested.properties)) {
    problems.push(...nestedProblems(child, `${path}.properties[${name}]`));
  }
  for (const [field, why] of NOT_NESTED) {
    const value = nested[field];
    const absent = value === undefined || value === false || value === '';
    if (!absent) problems.push(forbidden(`${path}.${field}`, why));
  }
  if (isMapping(nested.properties) && nested.properties.metadata !== undefined) {
    const at = `${path}.properties[metadata]`;
    problems.push(forbidden(at, 'must not be specified in a nested context'));
  }
  return problems;
}

/**
 * Problems with fields that `anyOf`, `allOf`, `oneOf` or `not` restricts, although the schema does not
 * declare them.
 */
function incompleteProblems(schema: Json, path: string): readonly FieldError[] {
  const problems: FieldError[] = [];
  const inspect = (nested: Json, declared: Json | undefined, at: string, source: string): void => {
    for (const [name, child] of entriesOf(nested.properties)) {
      const properties = isMapping(declared?.properties) ? declared.properties : {};
      const below = `${at}.properties[${name}]`;
      const known = properties[name];
      if (!isMapping(known)) {
        const why = `because it is defined in ${source}.properties[${name}]`;
        problems.push(required(below, why));
      } else inspect(child, known, below, `${source}.properties[${name}]`);
    }
    if (isMapping(nested.items)) {
      const known = declared?.items;
      if (!isMapping(known)) {
        problems.push(required(`${at}.items`, `because it is defined in ${source}.items`));
      } else inspect(nested.items, known, `${at}.items`, `${source}.items`);
    }
  };
  const visit = (declared: Json, at: string): void => {
    for (const [name, nested] of nestedOf(declared)) inspect(nested, declared, at, `${at}.${name}`);
    for (const [name, child] of entriesOf(declared.properties)) {
      visit(child, `${at}.properties[${name}]`);
    }
    if (isMapping(declared.items)) visit(declared.items, `${at}.items`);
    if (isMapping(declared.additionalProperties)) {
      visit(declared.additionalProperties, `${at}.additionalProperties`);
    }
  };
  visit(schema, path);
  return problems;
}

function nestedOf(schema: Json): readonly (readonly [string, Json])[] {
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((name) =>
    listOf(schema[name]).map((nested, at) => [`${name}[${at}]`, nested] as const),
  );
  return isMapping(schema.not) ? [...lists, ['not', schema.not]] : lists;
}

function entriesOf(value: unknown): readonly (readonly [string, Json])[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, Json] => isMapping(entry[1]));
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isMapping) : [];
}
