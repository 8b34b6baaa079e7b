import { isObject } from '../objects/metadata.ts';

const STEP =
  /\.([^.[\]]+)|\['([^']+)'\]|\[(\d+|\*)\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]/y;

/**
 * The values that a JSONPath of a printer column finds: fields, indexes, `[*]` and filters of the
 * form `[?(@.type=="Ready")]`. A path with anything else finds nothing.
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
  const name = dotted?.replace(/\\/g, '') ?? quoted;
  if (name !== undefined) return isObject(value) ? [value[name]] : [];
  if (!Array.isArray(value)) return [];
  if (index === '*') return value;
  if (index !== undefined) return [value[Number(index)]];
  return value.filter((item) => isObject(item) && String(item[field ?? '']) === wanted);
}
