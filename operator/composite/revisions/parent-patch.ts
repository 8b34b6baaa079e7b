import { OperatorError } from '../../core/errors.ts';
import { goJson } from '../../core/go/go-json.ts';
import { isMapping } from '../../core/mapping.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';

/** The fields of a parent that define a revision, nested as in the parent. */
export type ParentPatch = Readonly<Record<string, unknown>>;

/** The fields that define a revision by default. */
export const DEFAULT_FIELD_PATHS: readonly string[] = ['spec'];

/**
 * The values at `fieldPaths` of a parent. A path that the parent does not have is omitted.
 *
 * @param fieldPaths - names joined by dots, such as `spec.template`.
 * @throws OperatorError `USER_CODE` when a path leads through a value that is not an object.
 */
export function parentPatch(parent: KubernetesObject, fieldPaths: readonly string[]): ParentPatch {
  return fieldPaths.reduce<ParentPatch>((patch, fieldPath) => {
    const value = valueAt(parent, fieldPath, parent);
    return value === undefined ? patch : withValue(patch, fieldPath.split('.'), value);
  }, {});
}

/**
 * `parent` as it was in the revision of `patch`: its values at `fieldPaths` come from the patch. A path that
 * is missing in the patch is removed from the result, because the parent did not have that field then.
 *
 * @throws OperatorError `USER_CODE` in the same cases as `parentPatch`.
 */
export function withParentPatch(
  parent: KubernetesObject,
  patch: ParentPatch,
  fieldPaths: readonly string[],
): KubernetesObject {
  return fieldPaths.reduce<Fields>(
    (result, fieldPath) => {
      const value = valueAt(patch, fieldPath, parent);
      if (value !== undefined) return withValue(result, fieldPath.split('.'), value);
      const known = valueAt(result, fieldPath, parent);
      return known === undefined ? result : withoutValue(result, fieldPath.split('.'));
    },
    parent as unknown as Fields,
  ) as unknown as KubernetesObject;
}

/**
 * The patch as a string. The names of revisions are computed from its bytes. Equal patches have equal
 * strings.
 */
export function patchText(patch: ParentPatch): string {
  return goJson(patch);
}

type Fields = Readonly<Record<string, unknown>>;

function valueAt(from: unknown, fieldPath: string, parent: KubernetesObject): unknown {
  let value = from;
  for (const name of fieldPath.split('.')) {
    if (value === undefined || value === null) return undefined;
    if (!isMapping(value)) throw noObject(fieldPath, name, parent);
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/**
 * `fields` with a value at `path`. Because the names in the literal are computed, even `__proto__` becomes an
 * ordinary field.
 */
function withValue(
  fields: Fields,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Fields {
  if (rest.length === 0) return { ...fields, [name]: value };
  const inner = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return { ...fields, [name]: withValue(isMapping(inner) ? inner : {}, rest, value) };
}

function withoutValue(fields: Fields, [name = '', ...rest]: readonly string[]): Fields {
  const { [name]: inner, ...others } = fields;
  if (rest.length === 0 || !isMapping(inner)) return others;
  return { ...fields, [name]: withoutValue(inner, rest) };
}

function noObject(fieldPath: string, before: string, parent: KubernetesObject): OperatorError {
  return new OperatorError('a field path of the revision history leads through no object', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { fieldPath, before, parent: keyOf(parent) },
  });
}
