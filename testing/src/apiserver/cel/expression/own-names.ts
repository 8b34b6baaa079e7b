/**
 * Functions that the library has, with other results or words than those of the server: an expression that calls them
 * calls ours, which have this in front of their names.
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

/** The name of a function as an expression has it. */
export function originalName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
