import { NAME, NAMESPACE, WATCHED } from './placeholders.ts';

/** `text` as a string literal in Go's templates. Go reads the escapes of JSON in the same way. */
export function literal(text: string): string {
  return JSON.stringify(text);
}

/** `text`, escaped so that Go's template engine prints it unchanged. */
export function escaped(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

/** The expression that includes the named template `name` of a chart. */
export function include(chart: string, name: string): string {
  return `include ${literal(`${chart}.${name}`)} $`;
}

const PLACEHOLDERS = new RegExp(`(${NAME}|${NAMESPACE}|${WATCHED})`);

export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDERS.test(text);
}

/**
 * An expression that replaces the placeholders in a string, and renders the result, quoted for
 * YAML.
 *
 * @param watched - the expression that replaces the placeholder for a watched namespace, such as
 * the namespace of a Role. If omitted, the placeholder is replaced by a pattern for the filter,
 * with all watched namespaces as alternatives.
 */
export function expressionOf(chart: string, text: string, watched?: string): string {
  const values: Readonly<Record<string, string>> = {
    [NAME]: `(${include(chart, 'fullname')})`,
    [NAMESPACE]: '$.Release.Namespace',
    [WATCHED]: watched ?? `(${include(chart, 'watchedPattern')})`,
  };
  const parts = text.split(PLACEHOLDERS).filter((part) => part !== '');
  const words = parts.map((part) => values[part] ?? literal(part));
  return words.length === 1 ? `${words[0]} | quote` : `print ${words.join(' ')} | quote`;
}
