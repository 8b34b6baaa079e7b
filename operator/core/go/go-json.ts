import { deepJson } from '../json/deep-json.ts';
import { compareKeys, sortedJson } from '../json/sorted-json.ts';

/**
 * `value`, which is plain data, as Go's `encoding/json` writes maps: without white space, with keys sorted by
 * their UTF-8 bytes, and with `<`, `>`, `&`, U+2028 and U+2029 escaped. A bigint becomes an integer.
 * Undefined members are omitted. Works at any depth.
 */
export function goJson(value: unknown): string {
  try {
    return escapedForHtml(valueText(value));
  } catch (error) {
    // The value is nested too deeply for the call stack.
    if (error instanceof RangeError) return escapedForHtml(sortedJson(deepText(value)));
    throw error;
  }
}

/** `text` as a JSON string literal, escaped as Go does it. */
export function goString(text: string): string {
  return escapedForHtml(stringText(text));
}

/** Escapes the characters in `json` that Go's encoder escapes. In JSON, they occur only within strings. */
function escapedForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return Array.isArray(value) ? listText(value) : mapText(value as Record<string, unknown>);
}

function listText(items: readonly unknown[]): string {
  let text = '[';
  for (const [index, item] of items.entries()) {
    text += index === 0 ? valueText(item) : `,${valueText(item)}`;
  }
  return `${text}]`;
}

function mapText(map: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const key of Object.keys(map).sort(compareKeys)) {
    const member = map[key];
    if (member === undefined) continue;
    text += `${text === '' ? '{' : ','}${stringText(key)}:${valueText(member)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/**
 * A JSON string, with each half of a surrogate pair replaced by U+FFFD, as Go replaces it when it reads a
 * string. JSON.stringify alone would write an escape.
 */
function stringText(text: string): string {
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
}

/**
 * `JSON.rawJSON` is part of ES2025 and of every supported Node. TypeScript's library does not declare it yet.
 */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function deepText(value: unknown): string {
  return deepJson(value, (_key, member) => {
    if (typeof member === 'bigint') return rawJSON(String(member));
    return typeof member === 'string' ? member.toWellFormed() : member;
  });
}
