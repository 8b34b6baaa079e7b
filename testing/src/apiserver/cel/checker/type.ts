/**
 * A static type of CEL (cel-go, common/types/types.go). The types of lists and maps have the kind `opaque`,
 * with type parameters.
 */
export type Type =
  | { readonly kind: 'dyn' | 'error' | 'null' }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly Type[] }
  | { readonly kind: 'object'; readonly name: string; readonly fields: Fields };

export type Fields = ReadonlyMap<string, Type>;

export const DYN: Type = { kind: 'dyn' };
export const ERROR: Type = { kind: 'error' };
export const NULL: Type = { kind: 'null' };
export const BOOL: Type = simple('bool');
export const INT: Type = simple('int');
export const STRING: Type = simple('string');

export function simple(name: string): Type {
  return { kind: 'simple', name };
}

export function opaque(name: string, ...parameters: readonly Type[]): Type {
  return { kind: 'opaque', name, parameters };
}

export function listOf(item: Type): Type {
  return opaque('list', item);
}

export function mapOf(key: Type, value: Type): Type {
  return opaque('map', key, value);
}

export function optionalOf(type: Type): Type {
  return opaque('optional_type', type);
}

/** The type of the value inside an optional; undefined for any type that is not an optional. */
export function heldBy(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}

export function isDyn({ kind }: Type): boolean {
  return kind === 'dyn';
}

export function isDynOrError({ kind }: Type): boolean {
  return kind === 'dyn' || kind === 'error';
}

const SIMPLE = new Set([
  'bool',
  'bytes',
  'double',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'int',
  'string',
  'uint',
]);

/** Parses a type that is written like `map(string, list(<T>))`, where `<T>` is a parameter. */
export function parseType(text: string): Type {
  const type = text.trim();
  if (type === 'dyn') return DYN;
  if (type === 'null') return NULL;
  if (SIMPLE.has(type)) return simple(type);
  const [, parameter] = /^<(\w+)>$/.exec(type) ?? [];
  if (parameter !== undefined) return { kind: 'parameter', name: parameter };
  const [, name = type, inner] = /^([\w.]+)\((.*)\)$/.exec(type) ?? [];
  return opaque(name, ...(inner === undefined ? [] : parseTypes(inner)));
}

/** Parses types that are separated by commas. */
export function parseTypes(text: string): readonly Type[] {
  const types: Type[] = [];
  let depth = 0;
  let from = 0;
  for (const [at, character] of [...text, ','].entries()) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    if (character !== ',' || depth > 0) continue;
    if (text.slice(from, at).trim() !== '') types.push(parseType(text.slice(from, at)));
    from = at + 1;
  }
  return types;
}

/** A type in the notation of the server's messages (checker/format.go). */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'dyn':
    case 'null':
      return type.kind;
    case 'error':
      return '!error!';
    case 'simple':
      return type.name.replace(/^google\.protobuf\.(.)/, (_, first: string) => first.toLowerCase());
    case 'opaque':
      if (type.parameters.length === 0) return type.name;
      return `${type.name}(${type.parameters.map(formatType).join(', ')})`;
    default:
      return type.name;
  }
}

/** The name of a type without its parameters, as it appears in function names. */
export function typeName(type: Type): string {
  if (type.kind === 'null') return 'null_type';
  return 'name' in type ? type.name : type.kind;
}

/** `IsExactType`: the same type with the same parameters. */
export function isSameType(left: Type, right: Type): boolean {
  if (left.kind !== right.kind) return false;
  if (!('name' in left) || !('name' in right)) return true;
  if (left.name !== right.name) return false;
  if (left.kind !== 'opaque' || right.kind !== 'opaque') return true;
  if (left.parameters.length !== right.parameters.length) return false;
  return left.parameters.every((one, at) => isSameType(one, right.parameters[at] ?? ERROR));
}
