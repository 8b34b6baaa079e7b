import { deepJson } from 'chancery/internal-objects';

/**
 * `JSON.rawJSON` is part of ES2025, and every supported version of Node has it. TypeScript's library does not
 * declare it yet.
 */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * Values that are nested deeper than this are not indented, neither in JSON nor in YAML. The size of the
 * indentation grows with the square of the depth, to 200 MB at 10 000 levels.
 */
export const READABLE_LEVELS = 200;

/**
 * The JSON of a value. Uses `JSON.stringify` where possible, and handles what it cannot write: integers
 * beyond 2^53, which are bigints here, and values that are nested too deeply for the stack. A value that is
 * nested deeper than `READABLE_LEVELS` is never indented.
 *
 * @throws TypeError for a value that contains itself.
 */
export function jsonText(value: unknown, indent = ''): string {
  const indentation = indent !== '' && isDeeper(value, READABLE_LEVELS) ? '' : indent;
  try {
    return JSON.stringify(value, undefined, indentation) ?? 'null';
  } catch {
    return exactText(value, indentation);
  }
}

function exactText(value: unknown, indentation: string): string {
  try {
    return JSON.stringify(value, withDigits, indentation);
  } catch (error) {
    if (error instanceof RangeError) return deepJson(value, withDigits);
    throw error;
  }
}

function withDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}

/** Whether objects and lists are nested in more than `levels` levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  let row = [value].filter(isContainer);
  for (let level = 0; level < levels && row.length > 0; level++) {
    row = row.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return row.length > 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
