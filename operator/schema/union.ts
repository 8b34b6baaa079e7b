import { isDeepStrictEqual } from 'node:util';
import { definitionError } from './definition-error.ts';
import { isJson, type Json, REMEDIES } from './keywords.ts';

/**
 * `schema` without its union, where it says no more than a structural schema can: a list of literals,
 * something or null, an integer or a text.
 *
 * @throws ConfigurationError `CONFIG` for any other union.
 */
export function withoutUnion(schema: Json, path: string): Json {
  const { anyOf, ...around } = typesAsUnion(schema);
  if (!Array.isArray(anyOf)) return around;
  const members: readonly Json[] = anyOf.filter(isJson).map((member) => withoutUnion(member, path));
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

/** `type: ['string', 'null']` is a union, too. */
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
