/**
 * The prefix of our replacements for functions of the library whose results or messages differ from
 * the server's. Expressions that call such a function call the replacement.
 */
const PREFIX = 'k8s__';

export const REPLACED: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'duration',
  'int',
  'matches',
  'substring',
  'timestamp',
  'uint',
]);

export function ownName(name: string): string {
  return `${PREFIX}${name}`;
}

/** The name of a function as the expression writes it. */
export function originalName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
