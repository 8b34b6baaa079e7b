import { internalError } from '../failures.ts';

/** What etcd takes in one request (`--max-request-bytes`). */
const ETCD_LIMIT_BYTES = 1.5 * 1024 * 1024;

/** What its client sends at all. */
const CLIENT_LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * Refuses what a real server could not store. The size is that of the JSON; a real server stores
 * built-in kinds a little more densely.
 *
 * @throws ApiError 500 in the words of etcd, which the server hands on.
 */
export function requireStorable(object: unknown): void {
  const size = jsonSize(object);
  if (size > CLIENT_LIMIT_BYTES) {
    throw internalError(
      `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${CLIENT_LIMIT_BYTES})`,
    );
  }
  if (size > ETCD_LIMIT_BYTES) throw internalError('etcdserver: request is too large');
}

/** The length of the JSON, escapes left aside: nothing is written to find it out. */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += jsonSize(item) + 1;
  } else {
    for (const [name, field] of Object.entries(value)) size += name.length + 4 + jsonSize(field);
  }
  return size;
}
