import {
  type BuiltInField,
  builtInKindName,
  builtInKinds,
  builtInType,
  elementType,
} from '../built-in-types/built-in-types.ts';
import { descriptionsOf } from '../built-in-types/descriptions.ts';
import { compareText } from '../discovery/version-order.ts';
import type { Json } from '../objects/metadata.ts';

/** Types that have their own JSON representation, keyed by the name of the type in a field. */
const FORMS: Readonly<Record<string, { readonly name: string; readonly schema: Json }>> = {
  Time: form('apimachinery.pkg.apis.meta.v1.Time', { type: 'string', format: 'date-time' }),
  MicroTime: form('apimachinery.pkg.apis.meta.v1.MicroTime', {
    type: 'string',
    format: 'date-time',
  }),
  Duration: form('apimachinery.pkg.apis.meta.v1.Duration', { type: 'string' }),
  FieldsV1: form('apimachinery.pkg.apis.meta.v1.FieldsV1', { type: 'object' }),
  RawExtension: form('apimachinery.pkg.runtime.RawExtension', { type: 'object' }),
  Quantity: form('apimachinery.pkg.api.resource.Quantity', {
    oneOf: [{ type: 'string' }, { type: 'number' }],
  }),
  IntOrString: form('apimachinery.pkg.util.intstr.IntOrString', {
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    format: 'int-or-string',
  }),
  JSON: form('apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', {}),
  JSONSchemaPropsOrArray: form(
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray',
    {},
  ),
  JSONSchemaPropsOrBool: form(
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool',
    {},
  ),
  JSONSchemaPropsOrStringArray: form(
    'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray',
    {},
  ),
};

const PLAIN: Readonly<Record<string, Json>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

const FORMS_BY_NAME: ReadonlyMap<string, Json> = new Map(
  Object.values(FORMS).map(({ name, schema }) => [name, schema]),
);

function form(path: string, schema: Json): { name: string; schema: Json } {
  return { name: `io.k8s.${path}`, schema };
}

export const SCHEMAS = '#/components/schemas/';

/**
 * The schema of a built-in type in OpenAPI v3: its fields, their types and descriptions, and how
 * its lists and maps merge.
 *
 * @param name - the name of the type, such as `io.k8s.api.core.v1.ConfigMap`. For an unknown type, the schema
 * allows any object.
 */
export function typeSchema(name: string): Json {
  const meaning = descriptionsOf(name);
  const own = FORMS_BY_NAME.get(name);
  if (own !== undefined) return { ...described(meaning['']), ...own };
  const type = builtInType(name);
  if (type === undefined) return { type: 'object' };
  const fields = Object.entries(type.fields).toSorted(([a], [b]) => compareText(a, b));
  const required = fields.filter(([, field]) => field.required).map(([field]) => field);
  const kinds = kindsOf(name);
  return {
    ...described(meaning['']),
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(
      fields.map(([field, one]) => [field, { ...described(meaning[field]), ...fieldSchema(one) }]),
    ),
    ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(kinds.length > 0 ? { 'x-kubernetes-group-version-kind': kinds } : {}),
  };
}

export function described(description: string | undefined): Json {
  return description === undefined ? {} : { description };
}

function fieldSchema(field: BuiltInField): Json {
  const list = field.type.startsWith('[]');
  return {
    ...valueSchema(field.type, field.pointer !== true, list ? undefined : field.enum, field.enum),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    ...(field.atomic && !list ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(field.patchMergeKey === undefined
      ? {}
      : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
    ...(field.patchStrategy === undefined
      ? {}
      : { 'x-kubernetes-patch-strategy': field.patchStrategy }),
  };
}

/**
 * The schema of a value.
 * @param always - true for a value that Go writes even if it is unset.
 */
function valueSchema(
  type: string,
  always: boolean,
  values?: readonly string[],
  itemValues?: readonly string[],
): Json {
  const element = elementType(type);
  if (element !== undefined) {
    const inner = valueSchema(element, true, itemValues);
    return type.startsWith('[]')
      ? { type: 'array', items: inner }
      : { type: 'object', additionalProperties: inner };
  }
  const plain = PLAIN[type];
  if (plain !== undefined) return values === undefined ? plain : { ...plain, enum: values };
  const allOf = [{ $ref: `${SCHEMAS}${referredType(type)}` }];
  return always && type.startsWith('#') ? { allOf, default: {} } : { allOf };
}

/** The name of the type of a field; the type itself if it has no name. */
function referredType(type: string): string {
  return type.startsWith('#') ? type.slice(1) : (FORMS[type]?.name ?? type);
}

/** The names of these types and of all types that they use, sorted. */
export function closureOf(roots: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { type } of Object.values(builtInType(name)?.fields ?? {})) {
      const inner = innermost(type);
      if (PLAIN[inner] === undefined) visit(referredType(inner));
    }
  };
  for (const root of roots) visit(root);
  return [...found].toSorted(compareText);
}

function innermost(type: string): string {
  const element = elementType(type);
  return element === undefined ? type : innermost(element);
}

let kindsByType: ReadonlyMap<string, readonly Json[]> | undefined;

/** The kinds that a type has, one for each group and version that uses it. */
function kindsOf(name: string): readonly Json[] {
  kindsByType ??= readKinds();
  return kindsByType.get(name) ?? [];
}

function readKinds(): ReadonlyMap<string, readonly Json[]> {
  const kinds = new Map<string, Json[]>();
  for (const qualified of builtInKinds()) {
    const parts = qualified.split('/');
    const [kind = '', version = '', group = ''] = parts.toReversed();
    const type = builtInKindName(parts.slice(0, -1).join('/'), kind) ?? '';
    kinds.set(type, [...(kinds.get(type) ?? []), { group, kind, version }]);
  }
  return kinds;
}
