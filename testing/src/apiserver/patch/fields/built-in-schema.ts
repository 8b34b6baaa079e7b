import {
  type BuiltInField,
  builtInKindName,
  builtInType,
  elementType,
} from '../../built-in-types/built-in-types.ts';
import { zeroValue } from '../../built-in-types/zero-value.ts';
import type { FieldSchema } from './field-schema.ts';

/**
 * The schemas that have been made so far, keyed by type. Types refer to each other, and some refer to
 * themselves, so each schema must be made only once.
 */
const SCHEMAS = new Map<string, FieldSchema>();

/**
 * The rules for merging objects of a built-in kind and for the ownership of their fields. They are derived
 * from the list types in the Go type.
 *
 * @returns undefined for a kind that is not built in.
 */
export function builtInSchema(apiVersion: string, kind: string): FieldSchema | undefined {
  const name = builtInKindName(apiVersion, kind);
  return name === undefined ? undefined : structSchema(name);
}

/**
 * The schema of a built-in struct type.
 * @param name - the name of the type, with or without a leading `#`.
 */
export function structSchema(name: string): FieldSchema {
  const known = SCHEMAS.get(name);
  if (known !== undefined) return known;
  const { fields = {}, atomic = false } = builtInType(name) ?? {};
  const lazy: Record<string, FieldSchema> = {};
  for (const [field, declared] of Object.entries(fields)) {
    let schema: FieldSchema | undefined;
    const get = (): FieldSchema => {
      schema ??= fieldSchemaOf(declared);
      return schema;
    };
    Object.defineProperty(lazy, field, { get, enumerable: true });
  }
  const zeros = Object.entries(fields)
    .map(([field, declared]): [string, unknown] => [field, zeroValue(field, declared)])
    .filter(([, zero]) => zero !== undefined);
  const schema: FieldSchema = {
    fields: lazy,
    closed: true,
    ...(zeros.length > 0 ? { present: new Map(zeros) } : {}),
    ...(atomic ? { atomic } : {}),
  };
  SCHEMAS.set(name, schema);
  return schema;
}

function fieldSchemaOf(field: BuiltInField): FieldSchema {
  return {
    ...valueSchema(field.type),
    ...listSchema(field),
    ...(field.atomic ? { atomic: true } : {}),
  };
}

function valueSchema(type: string): FieldSchema {
  if (type.startsWith('#')) return structSchema(type);
  const element = elementType(type);
  if (element !== undefined) {
    return { items: valueSchema(element), ...(type.startsWith('[]') ? { list: true } : {}) };
  }
  const scalar = SCALARS[type];
  // A type that the schema does not describe, such as RawExtension, is one field with one owner.
  return scalar === undefined ? { atomic: true } : { scalar };
}

const SCALARS: Readonly<Record<string, NonNullable<FieldSchema['scalar']>>> = {
  string: 'string',
  bytes: 'string',
  Time: 'string',
  MicroTime: 'string',
  bool: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  Quantity: 'untyped',
  IntOrString: 'untyped',
};

function listSchema({ type, listType, listMapKeys = [] }: BuiltInField): FieldSchema {
  if (!type.startsWith('[]')) return {};
  if (listType === 'set') return { set: true };
  if (listType !== 'map') return { atomic: true };
  const item = builtInType(elementType(type) ?? '');
  const defaults = listMapKeys
    .map((key): [string, unknown] => [key, keyDefault(item?.fields[key])])
    .filter(([, value]) => value !== undefined);
  return {
    keys: listMapKeys,
    ...(defaults.length > 0 ? { keyDefaults: Object.fromEntries(defaults) } : {}),
  };
}

/**
 * The default of a key field. In the server's schema, the default of a field that Go always writes is the
 * zero value.
 */
function keyDefault(field: BuiltInField | undefined): unknown {
  if (field === undefined || field.default !== undefined) return field?.default;
  if (field.pointer === true || field.omitempty === true) return undefined;
  return SCALARS[field.type] === 'numeric' ? 0 : '';
}
