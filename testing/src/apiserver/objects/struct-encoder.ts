import { type BuiltInField, builtInType, elementType } from '../built-in-types/built-in-types.ts';
import { zeroValue } from '../built-in-types/zero-value.ts';
import { isObject, type Json } from './metadata.ts';

/**
 * Encodes a value like Go writes the struct: the fields in the order of the type, the keys of maps sorted,
 * without unknown fields, and without empty fields that have `omitempty`. A struct that is not a pointer is
 * written even if it is unset (`status: {}`, `eventTime: null`).
 *
 * @param typeName - the name of a built-in type, with or without a leading `#`.
 * @param isStored - whether the value has been stored as protobuf, in which an empty list is the same as no
 * list.
 */
export function encodeStruct(value: Json, typeName: string, isStored = false): Json {
  const encoded: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(builtInType(typeName)?.fields ?? {})) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    const isGone = isOmitted(field) || (isStored && Array.isArray(own));
    const isNothing = own === undefined || own === null || (isGone && isEmpty(own));
    const written = isNothing ? zeroOf(name, field) : encodeValue(own, field.type, isStored);
    if (written !== undefined) encoded[name] = written;
  }
  return encoded;
}

function zeroOf(name: string, field: BuiltInField): unknown {
  const isStruct = field.type.startsWith('#') && !field.pointer;
  return isStruct ? encodeStruct({}, field.type) : zeroValue(name, field);
}

/**
 * Whether a field is omitted when it is empty. A struct is never omitted, because for Go it is never empty. A
 * pointer is omitted only when it is missing.
 */
function isOmitted(field: BuiltInField): boolean {
  return field.omitempty === true && !field.pointer && !field.type.startsWith('#');
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

function encodeValue(value: unknown, type: string, isStored: boolean): unknown {
  if (type.startsWith('[]') && Array.isArray(value)) {
    const element = elementType(type) ?? '';
    return isPlain(element)
      ? value
      : value.map((item: unknown) => encodeValue(item, element, isStored));
  }
  if (!isObject(value)) return value;
  if (type.startsWith('#')) return encodeStruct(value, type, isStored);
  if (!type.startsWith('map:')) return value;
  const element = elementType(type) ?? '';
  const sorted: [string, unknown][] = Object.keys(value)
    .sort()
    .map((key) => [key, encodeValue(value[key], element, isStored)]);
  return Object.fromEntries(sorted);
}

function isPlain(type: string): boolean {
  return !type.startsWith('#') && elementType(type) === undefined;
}
