/**
 * Number of slots. Each covers 2^58 of the 2^64 hashes. All replicas and releases must use the same number.
 */
export const SLOTS = 64;

/**
 * The slot of an object, 0 to 63, from its `metadata.uid` or `metadata.namespace`. An object never changes
 * its slot, because these fields never change.
 */
export function slotOf(text: string): number {
  return hashOf(text).high >>> 26;
}

/** The hash as an API server compares it: 16 hexadecimal digits in lower case. */
export function fieldHash(text: string): string {
  const { high, low } = hashOf(text);
  return digits(high) + digits(low);
}

function digits(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}

/**
 * 64-bit FNV-1a over the UTF-8 bytes of a string, as an API server hashes a field for `shardSelector`:
 * `HashField` in k8s.io/apimachinery pkg/sharding/hash.go. It is computed in two halves, because using a
 * BigInt for each byte is slow.
 */
function hashOf(text: string): { readonly high: number; readonly low: number } {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const bytes = isAscii(text) ? undefined : utf8.encode(text);
  const length = bytes?.length ?? text.length;
  for (let at = 0; at < length; at++) {
    low ^= bytes?.[at] ?? text.charCodeAt(at);
    // The prime is 2^40 + 0x1b3. The carry of the lower half is computed in steps of 16 bits.
    const middle = (low >>> 16) * 0x1b3 + (((low & 0xffff) * 0x1b3) >>> 16);
    high = (Math.imul(high, 0x1b3) + (middle >>> 16) + (low << 8)) | 0;
    low = Math.imul(low, 0x1b3);
  }
  return { high, low };
}

const utf8 = new TextEncoder();

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
