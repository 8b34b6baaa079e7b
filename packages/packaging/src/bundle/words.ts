/**
 * A name as separate words: `Max Replicas` for `maxReplicas`, `max-replicas` and `MaxReplicas`.
 * Acronyms are kept.
 */
export function spacedWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[ ._-]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
