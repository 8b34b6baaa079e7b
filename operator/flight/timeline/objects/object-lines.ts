import { isMapping } from '../../../core/mapping.ts';
import { visibleJson } from '../../../core/text/visible-text.ts';

/** Matches a string that YAML reads in the same way without quotes: a word, a path, a sentence. */
const PLAIN = /^[A-Za-z_][\w./@%+-]*(?:[ :][\w./@%+(),;=-]+)*$/;

/** Matches words that YAML 1.1 does not read as strings. */
const OTHER_MEANING = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/**
 * Matches a string of several lines that can be written unchanged as a YAML block. It has no invisible
 * characters except for tabs.
 */
const BLOCK = /^(?=[^ \n\t][\s\S]*\n)(?:[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]|[\n\t])+$/u;

/** Values that are nested deeper than this are written as JSON on one line. */
const MAX_DEPTH = 100;

/**
 * A JSON value as the lines of a YAML document, in the order of its fields. This is fifty times as fast as a
 * YAML library, which matters because a record may have ten thousand objects. The value always comes from
 * JSON, so no other YAML types are needed.
 */
export function yamlLines(value: unknown): readonly string[] {
  const lines: string[] = [];
  const empty = emptyText(value);
  if (empty !== undefined) return [empty];
  addMembers(lines, value as object, '', 0);
  return lines;
}

/**
 * An object of the API as YAML. `metadata.managedFields` becomes a comment with a line for each manager,
 * because its many fields would make the changes hard to find.
 */
export function objectLines(object: unknown): readonly string[] {
  if (!isMapping(object) || !isMapping(object.metadata)) return yamlLines(object);
  const { managedFields, ...metadata } = object.metadata;
  const lines = yamlLines({ ...object, metadata });
  return Array.isArray(managedFields) ? [...lines, ...managers(managedFields)] : lines;
}

function managers(entries: readonly unknown[]): readonly string[] {
  const words = entries
    .filter(isMapping)
    .map(({ manager, operation, subresource, time }) =>
      [manager, operation, subresource, time].filter((word) => typeof word === 'string').join(' '),
    );
  return words.map((word) => visibleJson(`# managed by ${word.replaceAll(/\s+/g, ' ')}`));
}

/** The YAML of a value that needs only one line. Undefined for a value that has members or items. */
function emptyText(value: unknown): string | undefined {
  if (typeof value === 'string') return scalar(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : undefined;
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

function addMembers(lines: string[], value: object, indent: string, depth: number): void {
  if (Array.isArray(value)) {
    for (const item of value) addItem(lines, item, indent, depth);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    addMember(lines, `${indent}${scalar(name)}:`, member, indent, depth);
  }
}

function addMember(
  lines: string[],
  start: string,
  member: unknown,
  indent: string,
  depth: number,
): void {
  if (typeof member === 'string' && BLOCK.test(member)) {
    addBlock(lines, start, member, `${indent}  `);
    return;
  }
  const text = depth >= MAX_DEPTH ? visibleJson(JSON.stringify(member)) : emptyText(member);
  if (text !== undefined) {
    lines.push(`${start} ${text}`);
    return;
  }
  lines.push(start);
  addMembers(lines, member as object, Array.isArray(member) ? indent : `${indent}  `, depth + 1);
}

/**
 * The lines of a list item. The item begins right after its dash, so the first member of an object is on the
 * same line as the dash.
 */
function addItem(lines: string[], item: unknown, indent: string, depth: number): void {
  if (typeof item === 'string' && BLOCK.test(item)) {
    addBlock(lines, `${indent}-`, item, `${indent}  `);
    return;
  }
  const text = depth >= MAX_DEPTH ? visibleJson(JSON.stringify(item)) : emptyText(item);
  if (text !== undefined) {
    lines.push(`${indent}- ${text}`);
    return;
  }
  const first = lines.length;
  addMembers(lines, item as object, `${indent}  `, depth + 1);
  lines[first] = `${indent}- ${(lines[first] ?? '').slice(indent.length + 2)}`;
}

/**
 * The header of a YAML block: `|` keeps one line feed at the end of the text, `|-` keeps none, and `|+` keeps
 * all.
 */
function addBlock(lines: string[], start: string, text: string, indent: string): void {
  const [, body = '', end = ''] = /^(.*?)(\n*)$/s.exec(text) ?? [];
  const mark = end === '' ? '|-' : end === '\n' ? '|' : '|+';
  lines.push(`${start} ${mark}`);
  const rows = [...body.split('\n'), ...Array<string>(Math.max(0, end.length - 1)).fill('')];
  for (const row of rows) lines.push(row === '' ? '' : `${indent}${row}`);
}

function scalar(text: string): string {
  const isPlain = PLAIN.test(text) && !OTHER_MEANING.test(text);
  return isPlain ? text : visibleJson(JSON.stringify(text));
}
