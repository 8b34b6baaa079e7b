import { nodeCrypto } from '../../core/builtin-modules.ts';
import { isJsonObject, type MakePlaceholder } from './secret-values.ts';

/** Number of characters of a placeholder for a value of more than 256 bytes. */
const LONGEST = 512;

/**
 * Placeholders that only the holder of `key` can compute. A placeholder reveals only the length class of its
 * value: up to 8, 32 or 256 bytes, or more. Equal values have equal placeholders. Placeholders are in lower
 * case and begin with a letter, so they can replace names. The placeholder of a JSON object is a JSON object
 * as well, and has more than 8 characters.
 */
export function keyedPlaceholders(key: Buffer): MakePlaceholder {
  return (bytes, text) => {
    const digest = nodeCrypto().createHmac('sha256', key).update(bytes).digest();
    const hex = digest.toString('hex');
    const { length } = bytes;
    if (isJsonObject(text)) {
      const json = `{"redacted":"${hex.slice(0, length <= 32 ? 16 : 48)}"}`;
      return length <= 256 ? json : json.padEnd(LONGEST);
    }
    // Eight characters have room for 41 bits of the hash.
    if (length <= 8) return `r${digest.readUIntBE(0, 6).toString(36).padStart(7, '0').slice(-7)}`;
    if (length <= 32) return `redacted-${hex.slice(0, 16)}`;
    const long = `redacted-${hex.slice(0, 48)}`;
    return length <= 256 ? long : long.padEnd(LONGEST, '-x');
  };
}
