import { isObject } from '../objects/metadata.ts';

const STEP =
  /\.((?:\\.|[^.[\]\\])+)|\[('[^']+'(?:\s*,\s*'[^']+')*)\]|\[(\d+|\*)\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]/y;

/**
 * The values that the JSONPath of a printer column finds. Supports fields (`.a\.b` for a name with a dot),
 * unions of fields (`['a','b']`), indexes, `[*]`, and filters like `[?(@.type=="Ready")]`. A path with
 * anything else finds nothing.
 */
export function readJsonPath(object: unknown, path: string): readonly unknown[] {
  const text = path.replace(/^\{|\}$/g, '').replace(/^\$/, '');
  let values: readonly unknown[] = [object];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text.startsWith('.') || text.startsWith('[') ? text : `.${text}`);
    if (step === null) return [];
    values = values.flatMap((value) => follow(value, step)).filter((value) => value !== undefined);
  }
  return values;
}

function follow(
  value: unknown,
  [, dotted, quoted, index, field, wanted]: RegExpExecArray,
): unknown[] {
  const names = dotted === undefined ? namesIn(quoted) : [dotted.replace(/\\/g, '')];
  if (names.length > 0) return isObject(value) ? names.map((name) => value[name]) : [];
  if (!Array.isArray(value)) return [];
  if (index === '*') return value;
  if (index !== undefined) return [value[Number(index)]];
  return value.filter((item) => isObject(item) && String(item[field ?? '']) === wanted);
}

/** The names in a union: `a` and `b` for `'a','b'`. */
function namesIn(quoted = ''): string[] {
  return [...quoted.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
}
