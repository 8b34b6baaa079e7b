/** Reserved words of CEL: a rule writes a field of that name as `__for__`. */
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

/** How a rule names a field of an object; undefined for one that no rule can name. */
export function celFieldName(field: string): string | undefined {
  if (KEYWORDS.has(field)) return `__${field}__`;
  const escaped = field.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? '__underscores__');
  return /^[A-Za-z_]\w*$/.test(escaped) ? escaped : undefined;
}
