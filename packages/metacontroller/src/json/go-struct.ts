import { goJson, goString, isMapping } from 'chancery/internal';
import { goDurationText } from './go-duration-text.ts';

/**
 * A type of Go, as far as it matters for JSON: a string, another scalar or raw JSON, a duration, a
 * map of strings, a list, or a struct.
 */
export type GoType = 'string' | 'raw' | 'duration' | 'map' | { readonly listOf: GoType } | GoStruct;

/** A struct of Go. Its fields are written in this order. Fields that are not listed are dropped. */
export interface GoStruct {
  readonly fields: readonly GoField[];
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  /**
   * When the field is written. `always`: even with its zero value. `set`: only when it is set
   * (`omitempty` of a pointer or a struct). `filled`: only when it is not empty (`omitempty` of a
   * string, a list or a map).
   */
  readonly written: 'always' | 'set' | 'filled';
}

export function always(name: string, type: GoType = 'string'): GoField {
  return { name, type, written: 'always' };
}

export function set(name: string, type: GoType = 'raw'): GoField {
  return { name, type, written: 'set' };
}

export function filled(name: string, type: GoType = 'string'): GoField {
  return { name, type, written: 'filled' };
}

export function struct(...fields: readonly GoField[]): GoStruct {
  return { fields };
}

/**
 * `value` as Go stores it after reading it into `type`: with only the fields of the type, and with
 * zero values for missing fields.
 */
export function goValue(value: unknown, type: GoType): unknown {
  if (type === 'string') return value ?? '';
  if (type === 'duration') {
    return typeof value === 'string' ? (goDurationText(value) ?? value) : value;
  }
  if (typeof type === 'string') return value ?? null;
  if ('listOf' in type) {
    return Array.isArray(value) ? value.map((item) => goValue(item, type.listOf)) : null;
  }
  const given = isMapping(value) ? value : {};
  const members: [string, unknown][] = [];
  for (const field of type.fields) {
    const member = given[field.name] ?? undefined;
    if (isWritten(member, field)) members.push([field.name, goValue(member, field.type)]);
  }
  return Object.fromEntries(members);
}

function isWritten(member: unknown, { written }: GoField): boolean {
  if (written === 'always') return true;
  if (member === undefined || written === 'set') return member !== undefined;
  if (Array.isArray(member)) return member.length > 0;
  if (isMapping(member)) return Object.keys(member).length > 0;
  return member !== '' && member !== 0 && member !== false;
}

/** The JSON text of a value that `goValue` returned. */
export function goStructText(value: unknown, type: GoType): string {
  if (typeof type === 'string') return goJson(value);
  if ('listOf' in type) {
    if (!Array.isArray(value)) return 'null';
    return `[${value.map((item) => goStructText(item, type.listOf)).join(',')}]`;
  }
  const given = isMapping(value) ? value : {};
  const members = type.fields
    .filter(({ name }) => given[name] !== undefined)
    .map((field) => `${goString(field.name)}:${goStructText(given[field.name], field.type)}`);
  return `{${members.join(',')}}`;
}
