import type { BuiltInField } from './built-in-types.ts';

/**
 * The JSON that Go writes for an unset field; undefined if it writes nothing. With `omitempty`, Go omits
 * empty values, but it never treats a struct as empty, so it writes `status: {}` or `eventTime: null`.
 */
export function zeroValue(name: string, field: BuiltInField): unknown {
  if (field.pointer) return field.omitempty ? undefined : null;
  if (field.type.startsWith('#')) return {};
  // The only field of v1.36 that is declared `omitzero`.
  if (name === 'creationTimestamp') return undefined;
  if (Object.hasOwn(ZERO_STRUCTS, field.type)) return ZERO_STRUCTS[field.type];
  if (field.omitempty) return undefined;
  return Object.hasOwn(ZERO_SCALARS, field.type) ? ZERO_SCALARS[field.type] : null;
}

/** Go structs whose zero value is not written as `{}`. */
const ZERO_STRUCTS: Readonly<Record<string, unknown>> = {
  Time: null,
  MicroTime: null,
  Quantity: '0',
  IntOrString: 0,
  RawExtension: null,
  JSON: null,
};

const ZERO_SCALARS: Readonly<Record<string, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};
