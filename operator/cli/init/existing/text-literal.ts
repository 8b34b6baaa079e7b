/**
 * Any string as a TypeScript literal on one line. JSON may contain the line separators U+2028 and
 * U+2029 unescaped. They are escaped here, because a template would indent the text after them.
 */
export function textLiteral(text: string): string {
  return oneLine(JSON.stringify(text));
}

/**
 * A value as JSON, which is valid TypeScript. Only the key `__proto__` is written as a computed
 * key, because otherwise it would set the prototype.
 */
export function jsonLiteral(value: unknown): string {
  const json = oneLine(JSON.stringify(value, undefined, 2));
  return json.replaceAll(/^( *)"__proto__": /gm, '$1["__proto__"]: ');
}

function oneLine(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
