import { createHash } from 'node:crypto';

/** Of a DNS label. */
const MAX_CHARS = 63;

/** Characters of the hash that keeps names apart that would be equal. */
const HASH_CHARS = 8;

/**
 * The name of a controller in logs and metrics, and of its field manager: a DNS label. The name of an object may have
 * dots and 253 characters.
 */
export function controllerName(...parts: readonly [string, ...string[]]): string {
  const wanted = parts.join('-');
  const label = wanted.replaceAll('.', '-');
  if (label === wanted && label.length <= MAX_CHARS) return label;
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, HASH_CHARS);
  return `${label.slice(0, MAX_CHARS - HASH_CHARS - 1).replace(/-+$/, '')}-${hash}`;
}
