/**
 * The prefix of the names of our replacement functions. A function of the library is replaced if its results
 * or messages differ from the server's. A call of such a function in an expression is changed to a call of
 * the replacement.
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

/** The name of a function in the source of the expression, without this prefix. */
export function originalName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
