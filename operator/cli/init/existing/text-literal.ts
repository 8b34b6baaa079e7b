/**
 * A text as a TypeScript literal on one line, for any text. JSON may contain two line separators
 * unescaped, so they are escaped here. A template would otherwise indent the text after them.
 */
export function textLiteral(text: string): string {
  return oneLine(JSON.stringify(text));
}

/**
 * A value as JSON, which is valid TypeScript except for one key: `__proto__` would set the
 * prototype, so it is written differently.
 */
export function jsonLiteral(value: unknown): string {
  const json = oneLine(JSON.stringify(value, undefined, 2));
  return json.replaceAll(/^( *)"__proto__": /gm, '$1["__proto__"]: ');
}

function oneLine(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
