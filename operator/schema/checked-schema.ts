import { ConfigurationError } from '../core/errors.ts';
import { isMapping } from '../core/mapping.ts';
import { boundedText } from '../core/text/visible-text.ts';
import type { Json } from './keywords.ts';

/**
 * A schema that may come from any tool, after a check: its keywords have the types that the API server can
 * read. Keywords that have their default as value (`nullable: false`, `required: []`, an empty string) are
 * omitted.
 */
export type CheckedSchema = Json;

/**
 * Maximum depth, which limits the recursion. Schemas of the Kubernetes project itself are nested 20 deep at
 * most.
 */
const MAX_DEPTH = 100;

/**
 * The type that the value of each keyword must have. With any other type, the API server cannot read the
 * definition.
 */
const TYPES: Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>> = {
  ...keywords(['a string', (value) => typeof value === 'string'], 'type title description format'),
  ...keywords(['a string', (value) => typeof value === 'string'], 'pattern'),
  ...keywords(
    ['a string', (value) => typeof value === 'string'],
    'x-kubernetes-list-type x-kubernetes-map-type',
  ),
  ...keywords(
    ['a number', (value) => Number.isFinite(value)],
    'minimum maximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties',
  ),
  ...keywords(
    ['true or false', (value) => typeof value === 'boolean'],
    'nullable exclusiveMinimum exclusiveMaximum uniqueItems x-kubernetes-preserve-unknown-fields ' +
      'x-kubernetes-embedded-resource x-kubernetes-int-or-string',
  ),
  ...keywords(
    ['a list of texts', (value) => isListOf(value, (each) => typeof each === 'string')],
    'required x-kubernetes-list-map-keys',
  ),
  ...keywords(['a list', (value) => Array.isArray(value)], 'enum'),
  ...keywords(
    ['a list of mappings', (value) => isListOf(value, isMapping)],
    'x-kubernetes-validations',
  ),
};

function keywords<T>(type: T, names: string): Readonly<Record<string, T>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]));
}

function isListOf(value: unknown, is: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

/**
 * `schema` with only the keywords that have an effect.
 *
 * @throws ConfigurationError `CONFIG` for a value that is not a schema, for a keyword with a value of the
 *   wrong type, and for a schema that is nested too deeply. The message contains the path.
 */
export function checkedSchema(schema: unknown, path: string = '.', depth: number = 0): Json {
  if (!isMapping(schema)) throw wrong('the schema of', path, 'a mapping');
  if (depth > MAX_DEPTH) throw nestedTooDeep(path);
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    const checked = checkedKeyword(keyword, value, path, depth + 1);
    return checked === undefined ? [] : [[keyword, checked] as const];
  });
  return Object.fromEntries(entries);
}

/** The value of a keyword. Undefined if the value means the same as omitting the keyword. */
function checkedKeyword(keyword: string, value: unknown, path: string, depth: number): unknown {
  if (value === null || value === undefined) return undefined;
  const [what, isRight] = (Object.hasOwn(TYPES, keyword) && TYPES[keyword]) || ANY;
  if (!isRight(value)) throw wrong(`${keyword} in the schema of`, path, what);
  switch (keyword) {
    case 'default':
    case 'enum':
    case 'example':
      return isEmptyList(value) && keyword === 'enum' ? undefined : shallow(value, path, depth);
    case 'properties':
      return checkedProperties(value, path, depth);
    case 'items':
      return checkedSchema(value, stepped(path, '[]'), depth);
    case 'not':
      return checkedSchema(value, stepped(path, '(not)'), depth);
    case 'additionalProperties':
      // `additionalProperties: false` is kept, because it forbids fields that would be allowed without this
      // keyword.
      return typeof value === 'boolean' ? value : checkedSchema(value, stepped(path, '{}'), depth);
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return checkedList(keyword, value, path, depth);
    default:
      return isUnset(value) ? undefined : shallow(value, path, depth);
  }
}

const ANY = ['anything', () => true] as const;

function wrong(what: string, path: string, wanted: string): ConfigurationError {
  return new ConfigurationError(`${what} ${shown(path)} must be ${wanted}`);
}

/** Maximum number of characters of a path in a message. */
const PATH_CHARS = 600;

function shown(path: string): string {
  return boundedText(path, PATH_CHARS);
}

/**
 * Returns `value`, which may be any JSON, unchanged: in a default, even `false` and an empty string have a
 * meaning.
 */
function shallow(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw nestedTooDeep(path);
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) shallow(each, path, depth + 1);
  }
  return value;
}

function nestedTooDeep(path: string): ConfigurationError {
  return new ConfigurationError(`the schema is nested deeper than ${MAX_DEPTH}, at ${shown(path)}`);
}

function checkedProperties(value: unknown, path: string, depth: number): Json | undefined {
  if (!isMapping(value)) {
    throw wrong('properties in the schema of', path, 'a mapping');
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name,
      checkedSchema(each, stepped(path, fieldStep(name)), depth),
    ]),
  );
}

function checkedList(
  keyword: string,
  value: unknown,
  path: string,
  depth: number,
): readonly Json[] | undefined {
  if (!Array.isArray(value)) {
    throw wrong(`${keyword} in the schema of`, path, 'a list');
  }
  if (value.length === 0) return undefined;
  return value.map((each: unknown, at) =>
    checkedSchema(each, stepped(path, `(${keyword}[${at}])`), depth),
  );
}

function isUnset(value: unknown): boolean {
  const isEmpty = isMapping(value) && Object.keys(value).length === 0;
  return value === false || value === '' || isEmpty || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * One step of a path: `.name`, or `["a.b"]` for a name with characters that would make it look like several
 * steps.
 */
export function fieldStep(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

export function stepped(path: string, step: string): string {
  return path === '.' && step.startsWith('.') ? step : `${path}${step}`;
}
