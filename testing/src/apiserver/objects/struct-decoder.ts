import { type BuiltInField, builtInType, elementType } from '../built-in-types/built-in-types.ts';
import type { Fractions } from './go-json.ts';
import { goMicroTime, goTime } from './go-time.ts';
import { jsonText } from './json-text.ts';
import { isObject, type Json } from './metadata.ts';
import { goQuantity } from './quantity.ts';

/** A value that does not fit its field. */
export interface Mismatch {
  /** The kind of the value: `string`, `number 1.5`, `object`, … */
  readonly found: string;
  /** The expected type, as Go writes it: `int32`, `[]v1.Container`. */
  readonly wanted: string;
  /** The innermost struct, and the names of the fields on the path to the value, without indices. */
  readonly struct: string;
  readonly fields: readonly string[];
  /**
   * The error of a type that has its own parser, such as a time. This error does not contain the name of the
   * field.
   */
  readonly problem?: string;
}

export interface DecodedStruct {
  /** The value without unknown fields and nulls. A value that does not fit its field is not changed. */
  readonly value: Json;
  /**
   * Paths of fields that the type does not have, in the order of the document. The list contains at most 100
   * paths.
   */
  readonly unknown: readonly string[];
  /** The first value that does not fit its field. */
  readonly mismatch: Mismatch | undefined;
}

/**
 * Decodes JSON like Go decodes it into a struct: unknown fields are dropped, null counts as unset, and field
 * names must match exactly, including upper and lower case.
 *
 * @param typeName - the name of a built-in type, with or without a leading `#`.
 * @param by - the decoder to imitate: `json`, or the `converter` from maps to structs (k8s.io/apimachinery,
 * pkg/runtime/converter.go), which has its own messages and sorts unknown fields. With `converted`, the value
 * has already been decoded from JSON, and integers that are too large wrap around.
 * @param fractions - the numbers that were written as fractions. The JSON decoder refuses `1.0` as an
 * integer. The other decoders read it as 1.
 */
export function decodeStruct(
  value: Json,
  typeName: string,
  by: 'json' | 'converted' | 'converter' = 'json',
  fractions?: Fractions,
): DecodedStruct {
  const decoder = new StructDecoder(by, fractions);
  const decoded = decoder.struct(value, typeName, '');
  const unknown = [...decoder.unknown];
  if (by === 'converter') unknown.sort();
  return { value: decoded, unknown, mismatch: decoder.mismatch };
}

/** The type of every object's metadata, including custom objects. */
export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Decodes metadata like Go. */
export function decodeMetadata(metadata: Json): DecodedStruct {
  return decodeStruct(metadata, OBJECT_META);
}

/** The real server's message for a mismatch. */
export function describeMismatch({ found, wanted, struct, fields, problem }: Mismatch): string {
  if (problem !== undefined) return problem;
  const field = `Go struct field ${struct}.${fields.join('.')}`;
  return `json: cannot unmarshal ${found} into ${field} of type ${wanted}`;
}

/** The maximum number of unknown fields that the server's decoder records. */
const MAX_UNKNOWN = 100;

/**
 * The limit for nested structs. Only the schemas in a CustomResourceDefinition can be nested without a limit.
 * Go reads up to 10 000 levels. The limit is lower here, because the functions for schemas are recursive.
 */
const MAX_STRUCTS = 300;

class StructDecoder {
  readonly unknown = new Set<string>();
  mismatch: Mismatch | undefined;
  readonly #fields: string[] = [];
  #struct = '';
  /** True inside a type with its own decoder. Such a decoder reports no unknown fields. */
  #silent = false;
  /** The number of structs around the current struct. */
  #depth = 0;
  readonly #converts: boolean;
  readonly #wraps: boolean;
  /**
   * True after a type with its own decoder has reported an error. Go then drops earlier mismatches and stops
   * reading.
   */
  #isOver = false;

  readonly #fractions: Fractions | undefined;

  constructor(by: 'json' | 'converted' | 'converter', fractions: Fractions | undefined) {
    this.#fractions = by === 'json' ? fractions : undefined;
    this.#converts = by === 'converter';
    this.#wraps = by !== 'json';
  }

  struct(value: Json, typeName: string, path: string): Json {
    if (this.#depth >= MAX_STRUCTS) {
      this.#reject(value, `${typeName.slice(typeName.lastIndexOf('.') + 1)}: exceeded max depth`);
      return value;
    }
    this.#depth++;
    const decoded = this.#fieldsOf(value, typeName, path);
    this.#depth--;
    return decoded;
  }

  #fieldsOf(value: Json, typeName: string, path: string): Json {
    const declared = builtInType(typeName)?.fields ?? {};
    const outer = this.#struct;
    const decoded: Record<string, unknown> = {};
    for (const name of this.#namesIn(value, declared)) {
      const at = path === '' ? name : `${path}.${name}`;
      const field = Object.hasOwn(declared, name) ? declared[name] : undefined;
      if (field === undefined) {
        if (!this.#silent && this.unknown.size < MAX_UNKNOWN) this.unknown.add(at);
        continue;
      }
      this.#struct = typeName.slice(typeName.lastIndexOf('.') + 1);
      const { length } = this.#fields;
      this.#fields.push(...(field.embedded ?? []), name);
      const child = this.#field(value[name], field, at);
      this.#fields.length = length;
      if (child !== undefined) decoded[name] = child;
    }
    this.#struct = outer;
    return decoded;
  }

  /**
   * The names of the fields in the order in which they are read. The converter goes through the fields of the
   * struct, and the JSON decoder through the fields of the value.
   */
  #namesIn(value: Json, declared: Readonly<Record<string, BuiltInField>>): readonly string[] {
    const names = Object.keys(value);
    if (!this.#converts) return names;
    const known = Object.keys(declared).filter((name) => Object.hasOwn(value, name));
    return [...known, ...names.filter((name) => !Object.hasOwn(declared, name))];
  }

  #field(value: unknown, field: BuiltInField, path: string): unknown {
    return value === null ? undefined : this.#value(value, field.type, path, field.goType);
  }

  #value(value: unknown, type: string, path: string, goType?: string): unknown {
    if (type.startsWith('[]')) return this.#list(value, type, path, goType);
    if (type.startsWith('map:')) return this.#map(value, type, path, goType);
    if (type.startsWith('#')) {
      return isObject(value) ? this.struct(value, type, path) : this.#misfit(value, type);
    }
    return this.#scalar(value, type, path, goType);
  }

  #list(value: unknown, type: string, path: string, goType: string | undefined): unknown {
    if (!Array.isArray(value)) return this.#misfit(value, type, { goType });
    const element = elementType(type) ?? '';
    const goElement = goType?.startsWith('[]') ? goType.slice(2) : undefined;
    return value.map((item: unknown, index) =>
      item === null ? nothing(element) : this.#value(item, element, `${path}[${index}]`, goElement),
    );
  }

  #map(value: unknown, type: string, path: string, goType: string | undefined): unknown {
    if (!isObject(value)) return this.#misfit(value, type, { goType });
    const element = elementType(type) ?? '';
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
      key,
      item === null ? nothing(element) : this.#value(item, element, `${path}.${key}`),
    ]);
    return Object.fromEntries(entries);
  }

  #scalar(value: unknown, type: string, path: string, goType: string | undefined): unknown {
    switch (type) {
      case 'string':
        return typeof value === 'string' ? value : this.#misfit(value, type, { goType });
      case 'bool':
        return typeof value === 'boolean' ? value : this.#misfit(value, type);
      case 'double':
        if (typeof value === 'bigint') return Number(value);
        return typeof value === 'number' ? value : this.#misfit(value, type);
      case 'int32':
      case 'int64':
        return this.#integer(value, type, path);
      case 'bytes':
        return this.#bytes(value);
      case 'Time':
        return this.#own(() => this.#text(value, goTime));
      case 'MicroTime':
        return this.#own(() => this.#text(value, goMicroTime));
      case 'Duration':
        return typeof value === 'string' ? value : this.#own(() => this.#misread(value, 'string'));
      case 'Quantity':
        // The type's own decoder accepts any kind of value.
        return this.#own(() =>
          this.#text(typeof value === 'string' ? value : jsonText(value), goQuantity),
        );
      case 'IntOrString':
        if (typeof value === 'string') return value;
        if (isInt32(value) && !this.#fractions?.has(path)) return value;
        return this.#own(() => this.#misread(value, 'int32', path));
      case 'JSONSchemaPropsOrBool':
      case 'JSONSchemaPropsOrArray':
      case 'JSONSchemaPropsOrStringArray':
        return this.#schemaOr(value, path);
      default:
        return value; // RawExtension, JSON, FieldsV1: any value
    }
  }

  /** Reads a value whose type has its own decoder. */
  #own(read: () => unknown): unknown {
    const before = this.mismatch;
    if (!this.#isOver && !this.#converts) this.mismatch = undefined;
    const value = read();
    if (this.mismatch === undefined) this.mismatch = before;
    else this.#isOver ||= !this.#converts;
    return value;
  }

  #integer(value: unknown, type: 'int32' | 'int64', path: string): unknown {
    if (!isNumber(value)) return this.#misfit(value, type);
    const written = this.#fractions?.get(path);
    if (written !== undefined) return this.#misfit(value, type, { found: `number ${written}` });
    if (type === 'int32' ? isInt32(value) : isInt64(value)) return value;
    if (this.#wraps && isWhole(value)) return wrapped(value, type);
    return this.#misfit(value, type, { found: `number ${value}` });
  }

  #bytes(value: unknown): unknown {
    if (Array.isArray(value)) return this.#byteList(value);
    if (typeof value !== 'string') return this.#misfit(value, 'bytes');
    const bad = illegalBase64(value.replace(/[\r\n]/g, ''));
    if (bad === undefined) return value;
    const why = `illegal base64 data at input byte ${bad}`;
    return this.#reject(value, this.#converts ? `error decoding from json: ${why}` : why);
  }

  /** Go also accepts a list of numbers as bytes. */
  #byteList(items: readonly unknown[]): unknown {
    const bytes = items.map((item) => item ?? 0);
    const isByte = (item: unknown): boolean =>
      this.#converts ? isNumber(item) && isInt64(item) : Buffer.from([Number(item)])[0] === item;
    const misfit = bytes.find((item) => !isByte(item));
    if (misfit === undefined) return Buffer.from(bytes.map(Number)).toString('base64');
    const found = isNumber(misfit) ? `number ${misfit}` : kindOf(misfit);
    return this.#misfit(misfit, 'uint8', { found });
  }

  #text(value: unknown, read: (text: string) => { text: string } | { problem: string }): unknown {
    if (typeof value !== 'string') return this.#misread(value, 'string');
    const result = read(value);
    return 'text' in result ? result.text : this.#reject(value, result.problem);
  }

  /** Reads a value that may be a schema or something else, such as a boolean. */
  #schemaOr(value: unknown, path: string): unknown {
    const outer = this.#silent;
    this.#silent = true;
    const schema = (item: unknown): unknown =>
      isObject(item) ? this.struct(item, JSON_SCHEMA, path) : item;
    const decoded = Array.isArray(value) ? value.map(schema) : schema(value);
    this.#silent = outer;
    return decoded;
  }

  #misfit(
    value: unknown,
    type: string,
    { found = kindOf(value), goType }: { found?: string; goType?: string | undefined } = {},
  ): unknown {
    const wanted = goType ?? goTypeName(type);
    if (this.#converts) return this.#reject(value, converterProblem(value, type, wanted));
    this.mismatch ??= { found, wanted, struct: this.#struct, fields: [...this.#fields] };
    return value;
  }

  /**
   * The error of a type with its own decoder. The JSON decoder adds the field to the message; the
   * converter does not.
   */
  #misread(value: unknown, wanted: 'string' | 'int32', path = ''): unknown {
    const isFraction = typeof value === 'number' && wanted === 'int32';
    const found = isFraction ? `number ${this.#fractions?.get(path) ?? value}` : kindOf(value);
    if (!this.#converts) return this.#misfit(value, wanted, { found });
    return this.#reject(value, `json: cannot unmarshal ${found} into Go value of type ${wanted}`);
  }

  #reject(value: unknown, problem: string): unknown {
    this.mismatch ??= { found: '', wanted: '', struct: '', fields: [...this.#fields], problem };
    return value;
  }
}

const JSON_SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && (value | 0) === value;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isWhole(value: number | bigint): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/**
 * An integer as Go converts it. A value that does not fit into an int64 becomes the smallest int64, as on
 * amd64.
 */
function wrapped(value: number | bigint, type: 'int32' | 'int64'): number | bigint {
  const exact = BigInt(value);
  const held = exact === BigInt.asIntN(64, exact) ? exact : -(2n ** 63n);
  return type === 'int64' ? held : Number(BigInt.asIntN(32, held));
}

/**
 * True for an integer that fits into 64 bits. Every bigint fits, because the parser turns larger integers
 * into ordinary numbers.
 */
function isInt64(value: number | bigint): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < 2 ** 63);
}

/** The value that a null item in a list or map gets. */
function nothing(type: string): unknown {
  if (type.startsWith('#')) return {};
  if (type === 'string' || type === 'bytes') return '';
  if (type === 'bool') return false;
  if (type === 'Quantity') return '0';
  return /^(int32|int64|double|IntOrString)$/.test(type) ? 0 : null;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The converter's message for a value that does not fit. */
function converterProblem(value: unknown, type: string, wanted: string): string {
  const kind = reflectedKind(value);
  if (type.startsWith('[]') || type === 'bytes') return `cannot restore slice from ${kind}`;
  if (type.startsWith('map:')) return `cannot restore map from ${kind}`;
  if (type.startsWith('#')) return `cannot restore struct from: ${kind}`;
  // Go can convert integers to strings and to other numbers, so these cases have a different message.
  const isConvertible =
    (kind === 'int64' && type === 'string') || (kind === 'float64' && /^int/.test(type));
  return isConvertible
    ? `cannot convert ${kind} to ${wanted}`
    : `unrecognized type: ${goTypeName(type)}`;
}

/** The Go kind of a decoded JSON value. */
function reflectedKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (isNumber(value)) return isInt64(value) ? 'int64' : 'float64';
  return typeof value === 'object' ? 'map' : kindOf(value);
}

/** The index of the first character that Go refuses as base64; undefined for valid base64. */
function illegalBase64(text: string): number | undefined {
  const bad = text.search(/[^A-Za-z0-9+/=]|=(?!=?$)/);
  if (bad >= 0) return bad;
  return text.length % 4 === 0 ? undefined : text.length - (text.length % 4);
}

const GO_NAMES: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  double: 'float64',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
};

/** A type as Go prints it in messages. */
function goTypeName(type: string): string {
  if (type.startsWith('[]')) return `[]${goTypeName(type.slice(2))}`;
  if (type.startsWith('map:')) return `map[string]${goTypeName(type.slice(4))}`;
  if (type.startsWith('#')) return type.split('.').slice(-2).join('.');
  return GO_NAMES[type] ?? type;
}
