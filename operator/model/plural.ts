/**
 * The plural of an English noun in lower case, derived from its ending: `policies`, `ingresses`, `websites`.
 * Exceptions such as `indices` are not supported.
 */
export function pluralOf(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
