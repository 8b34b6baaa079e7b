/**
 * A text as a literal of TypeScript that stands on one line, whatever is in it. Two separators of lines may
 * stand in JSON as they are, and a template would indent what follows them.
 */
export function textLiteral(text: string): string {
  return oneLine(JSON.stringify(text));
}

/**
 * A value as JSON, which is TypeScript but for one key: written plainly, `__proto__` would set the prototype.
 */
export function jsonLiteral(value: unknown): string {
  const json = oneLine(JSON.stringify(value, undefined, 2));
  return json.replaceAll(/^( *)"__proto__": /gm, '$1["__proto__"]: ');
}

function oneLine(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
