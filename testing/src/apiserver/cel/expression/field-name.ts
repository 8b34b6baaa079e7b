/** Reserved words of CEL. A rule writes a field named `for` as `__for__`. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const ESCAPES: Readonly<Record<string, string>> = {
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name that a rule uses for a field of an object. Undefined for a field that rules cannot use. */
export function celFieldName(field: string): string | undefined {
  if (KEYWORDS.has(field)) return `__${field}__`;
  const escaped = field.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? '__underscores__');
  return /^[A-Za-z_]\w*$/.test(escaped) ? escaped : undefined;
}
