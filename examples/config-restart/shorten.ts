import { createHash } from 'node:crypto';

const DIGEST_LENGTH = 12;

/** `name`, or its beginning and a digest of all of it where it is longer than `maxLength`. */
export function shorten(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH);
  return `${name.slice(0, maxLength - DIGEST_LENGTH - 1)}-${digest}`;
}
