/**
 * The plural of an English noun in lower case, by its ending: `policies`, `ingresses`, `websites`. It knows
 * no exceptions, such as `indices`.
 */
export function pluralOf(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
