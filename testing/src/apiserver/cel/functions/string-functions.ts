import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { ownName } from '../expression/own-names.ts';

/** Registers the functions of the string extension that the library lacks. */
export function registerStringFunctions(environment: CelEnvironment): void {
  environment
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
      const characters = [...text];
      requireInside(at, characters);
      return characters[Number(at)] ?? '';
    })
    .registerFunction(
      `string.${ownName('substring')}(int): string`,
      (text: string, start: bigint) => {
        const characters = [...text];
        requireInside(start, characters);
        return characters.slice(Number(start)).join('');
      },
    )
    .registerFunction(`string.${ownName('substring')}(int, int): string`, substring)
    .registerFunction('string.replace(string, string): string', (text, from, to) =>
      replaced(text, from, to, -1n),
    )
    .registerFunction('string.replace(string, string, int): string', replaced)
    .registerFunction('string.format(list<dyn>): string', formatted);
  class Strings {}
  environment
    .registerType('StringsNamespace', Strings)
    .registerConstant('strings', 'StringsNamespace', new Strings())
    .registerFunction('StringsNamespace.quote(string): string', (_: unknown, text: string) =>
      JSON.stringify(text),
    );
}

function requireInside(at: bigint, characters: readonly string[]): void {
  if (at < 0n || at > BigInt(characters.length)) throw new Error(`index out of range: ${at}`);
}

/** The substring between two offsets, which are counted in code points. */
function substring(text: string, start: bigint, end: bigint): string {
  const characters = [...text];
  if (start > end) throw new Error(`invalid substring range. start: ${start}, end: ${end}`);
  requireInside(start, characters);
  requireInside(end, characters);
  return characters.slice(Number(start), Number(end)).join('');
}

/** @param limit - the largest number of replacements; negative for all. */
function replaced(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.split(from).join(to);
  const parts = text.split(from);
  const count = Math.min(Number(limit), parts.length - 1);
  return parts.slice(0, count + 1).join(to) + [''].concat(parts.slice(count + 1)).join(from);
}

/**
 * Formats a string with the verbs `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X` and `%o`. A number can have a
 * precision.
 */
function formatted(template: string, values: readonly unknown[]): string {
  let next = 0;
  return template.replace(/%(?:\.(\d+))?([a-zA-Z%])/g, (_, precision?: string, verb = '') => {
    if (verb === '%') return '%';
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    return writeAs(verb, values[next++], Number(precision ?? 6));
  });
}

function writeAs(verb: string, value: unknown, precision: number): string {
  switch (verb) {
    case 's':
      return textOf(value);
    case 'd':
      return String(value);
    case 'f':
      return Number(value).toFixed(precision);
    case 'e':
      return Number(value).toExponential(precision);
    case 'b':
      return typeof value === 'boolean'
        ? String(Number(value))
        : BigInt(value as bigint).toString(2);
    case 'o':
      return BigInt(value as bigint).toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw new Error(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
}

function hexadecimal(value: unknown): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return BigInt(value as bigint).toString(16);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, one]) => `${textOf(key)}: ${textOf(one)}`).sort();
    return `{${entries.join(', ')}}`;
  }
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return String(value);
}
