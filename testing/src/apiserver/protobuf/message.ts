import { type BuiltInField, builtInType, elementType } from '../built-in-types/built-in-types.ts';
import { exactInteger, parseGoJson } from '../objects/go-json.ts';
import type { Json } from '../objects/metadata.ts';
import { allBytesOf, bytesOf, FORMS, numbersOf } from './well-known.ts';
import { BYTES, FIXED_64, VARINT, WireError, WireReader } from './wire-reader.ts';

/**
 * The maximum nesting depth of messages. The schemas of custom resources are nested most deeply, and never
 * reach this depth.
 */
const MAX_DEPTH = 100;

const JSON_SCHEMA = '#io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

/**
 * Converts the message of a built-in type to JSON. Unknown field numbers are skipped, as protobuf requires.
 *
 * @throws WireError for bytes that are not a message, and for a message nested deeper than 100
 * levels.
 */
export function readMessage(bytes: Buffer, typeName: string, depth = 0): Json {
  const message: Record<string, unknown> = {};
  readInto(message, bytes, wireFieldsOf(typeName), depth);
  return message;
}

function readInto(
  message: Record<string, unknown>,
  bytes: Buffer,
  fields: WireFields,
  depth: number,
): void {
  if (depth > MAX_DEPTH) throw new WireError('proto: exceeded max depth');
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { number, wireType } = reader.tag();
    const known = fields.get(number);
    if (known === undefined) {
      reader.skip(wireType);
    } else if ('inlined' in known) {
      expect(wireType, BYTES, 'inlined message');
      readInto(message, reader.bytes(), known.inlined, depth + 1);
    } else {
      const { name, field } = known;
      const value = readField(reader, wireType, name, field, message[name], depth);
      if (value !== undefined) message[name] = value;
    }
  }
}

/**
 * Reads one field.
 * @param before - the value that the field already has, if it occurred before in the message.
 */
function readField(
  reader: WireReader,
  wireType: number,
  name: string,
  { type }: BuiltInField,
  before: unknown,
  depth: number,
): unknown {
  const element = elementType(type);
  if (element === undefined) return readValue(reader, wireType, name, type, before, depth);
  if (type.startsWith('map:')) {
    expect(wireType, BYTES, name);
    return { ...(before as object), ...readEntry(reader.bytes(), element, depth) };
  }
  const items = Array.isArray(before) ? before : [];
  const isPacked = wireType === BYTES && isNumber(element);
  if (!isPacked) {
    items.push(readValue(reader, wireType, name, element, undefined, depth) ?? null);
    return items;
  }
  const packed = new WireReader(reader.bytes());
  const itemType = element === 'double' ? FIXED_64 : VARINT;
  while (!packed.done) items.push(readValue(packed, itemType, name, element, undefined, depth));
  return items;
}

/** Reads one entry of a map. An entry is a message with the key as field 1 and the value as field 2. */
function readEntry(bytes: Buffer, type: string, depth: number): Json {
  const reader = new WireReader(bytes);
  let key = '';
  let value: unknown;
  while (!reader.done) {
    const { number, wireType } = reader.tag();
    if (number === 1 && wireType === BYTES) key = reader.bytes().toString('utf8');
    else if (number !== 2) reader.skip(wireType);
    else if (type === '[]string') value = (allBytesOf(reader.bytes()).get(1) ?? []).map(String);
    else value = readValue(reader, wireType, 'value', type, undefined, depth);
  }
  return Object.fromEntries([[key, value ?? emptyOf(type)]]);
}

function emptyOf(type: string): unknown {
  if (type.startsWith('#')) return {};
  if (type.startsWith('[]')) return [];
  return type === 'Quantity' ? '0' : type === 'Time' ? null : '';
}

function readValue(
  reader: WireReader,
  wireType: number,
  name: string,
  type: string,
  before: unknown,
  depth: number,
): unknown {
  if (type === 'double') {
    expect(wireType, FIXED_64, name);
    return reader.double();
  }
  if (isNumber(type)) {
    expect(wireType, VARINT, name);
    const value = reader.varint();
    if (type === 'bool') return value !== 0n;
    return exactInteger(BigInt.asIntN(type === 'int32' ? 32 : 64, value));
  }
  expect(wireType, BYTES, name);
  const bytes = reader.bytes();
  if (type === 'string') return bytes.toString('utf8');
  if (type === 'bytes') return bytes.toString('base64');
  if (type.startsWith('#')) {
    const message = { ...(before as Record<string, unknown> | undefined) };
    readInto(message, bytes, wireFieldsOf(type), depth + 1);
    return message;
  }
  return readForm(bytes, type, depth);
}

function readForm(bytes: Buffer, type: string, depth: number): unknown {
  const schema = (part: Buffer): Json => readMessage(part, JSON_SCHEMA, depth + 1);
  const parts = bytesOf(bytes);
  const [first, second] = [parts.get(1), parts.get(2)];
  switch (type) {
    case 'JSONSchemaPropsOrBool':
      return second === undefined ? (numbersOf(bytes).get(1) ?? 0n) !== 0n : schema(second);
    case 'JSONSchemaPropsOrArray':
      if (second !== undefined) return (allBytesOf(bytes).get(2) ?? []).map(schema);
      return first === undefined ? null : schema(first);
    case 'JSONSchemaPropsOrStringArray':
      if (second !== undefined) return (allBytesOf(bytes).get(2) ?? []).map(String);
      return first === undefined ? null : schema(first);
    case 'RawExtension':
    case 'JSON':
    case 'FieldsV1':
      return first === undefined || first.length === 0 ? undefined : rawJson(first);
    default:
      return FORMS[type]?.(bytes);
  }
}

/** Reads a message that contains JSON as a string. */
function rawJson(bytes: Buffer): unknown {
  try {
    return parseGoJson(bytes.toString('utf8')).value;
  } catch (error) {
    throw new WireError(error instanceof Error ? error.message : String(error));
  }
}

function isNumber(type: string): boolean {
  return type === 'bool' || type === 'int32' || type === 'int64' || type === 'double';
}

function expect(wireType: number, wanted: number, name: string): void {
  if (wireType === wanted) return;
  const field = name.charAt(0).toUpperCase() + name.slice(1);
  throw new WireError(`proto: wrong wireType = ${wireType} for field ${field}`);
}

/** The field with a certain number in the message of a type. */
type WireField =
  | { readonly name: string; readonly field: BuiltInField }
  /** The fields of a nested message that are one level higher in JSON. */
  | { readonly inlined: WireFields };

type WireFields = ReadonlyMap<number, WireField>;

const FIELDS = new Map<string, WireFields>();

/** The fields of a built-in type, keyed by their numbers in protobuf. */
function wireFieldsOf(typeName: string): WireFields {
  const known = FIELDS.get(typeName);
  if (known !== undefined) return known;
  const root = new Map<number, WireField>();
  for (const [name, field] of Object.entries(builtInType(typeName)?.fields ?? {})) {
    if (field.number === undefined) continue;
    const message = (field.within ?? []).reduce(inlinedAt, root);
    message.set(field.number, { name, field });
  }
  FIELDS.set(typeName, root);
  return root;
}

function inlinedAt(message: Map<number, WireField>, number: number): Map<number, WireField> {
  const there = message.get(number);
  if (there !== undefined && 'inlined' in there) return there.inlined as Map<number, WireField>;
  const inlined = new Map<number, WireField>();
  message.set(number, { inlined });
  return inlined;
}
