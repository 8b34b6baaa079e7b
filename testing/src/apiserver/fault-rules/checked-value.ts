import type { StructuralSchema } from 'chancery/internal';
import {
  ConfigurationError,
  isMapping,
  nearMatches,
  objectProblems,
} from 'chancery/internal-objects';

/** The maximum number of problems in one message. */
const SHOWN = 5;

/**
 * Checks a value that a person has written against a schema that lists all fields.
 *
 * @param what - the beginning of the message, such as a file.
 * @throws ConfigurationError `CONFIG` with the path of each invalid field, and for an unknown field
 * with the list of known fields.
 */
export function requireSchema(value: unknown, schema: StructuralSchema, what: string): void {
  const known = Object.keys(schema.properties ?? {}).join(', ');
  if (!isMapping(value)) {
    const found = Array.isArray(value) ? 'a list' : JSON.stringify(value);
    throw new ConfigurationError(`${what}: expected an object with ${known}, got ${found}`);
  }
  const problems = [
    ...unknownFields(value, schema, ''),
    ...objectProblems(value, undefined, { schema, scaled: [] }).map(
      ({ field, message }) => `${field}: ${message}`,
    ),
  ];
  if (problems.length > 0) throw new ConfigurationError(`${what}: ${listed(problems)}`);
}

/** Joins the first problems to one message, and adds how many more there are. */
export function listed(problems: readonly string[]): string {
  const more = problems.length - SHOWN;
  return `${problems.slice(0, SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function unknownFields(value: unknown, schema: StructuralSchema, path: string): readonly string[] {
  const { items, properties } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.flatMap((item, at) => unknownFields(item, items, `${path}[${at}]`));
  }
  if (!isMapping(value) || properties === undefined) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    const below = path === '' ? field : `${path}.${field}`;
    const known = Object.hasOwn(properties, field) ? properties[field] : undefined;
    return known === undefined
      ? [unknownField(below, field, Object.keys(properties))]
      : unknownFields(inner, known, below);
  });
}

function unknownField(path: string, field: string, known: readonly string[]): string {
  const near = nearMatches(field, known);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}? ` : '';
  return `${path} is not known; ${hint}known: ${known.join(', ')}`;
}
