import { badRequest, internalError } from '../failures/failure.ts';
import { MAX_DEPTH } from './go-json.ts';
import { isDeeper } from './json-text.ts';

/** The largest request that etcd accepts (`--max-request-bytes`). */
const ETCD_LIMIT_BYTES = 1.5 * 1024 * 1024;

/** The largest request that etcd's client sends. */
const CLIENT_LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * Counting stops at this size. No body is that large, but a value that contains itself has no end.
 */
const COUNTED_BYTES = 64 * 1024 * 1024;

/**
 * Refuses an object that a real server could not store. The size is the size of its JSON. A real
 * server stores built-in kinds slightly smaller.
 *
 * @throws ApiError 500 with etcd's message, which the server passes on.
 * @throws ApiError 400 as `requireDepth`.
 */
export function requireStorable(object: unknown): void {
  const size = jsonSize(object);
  if (size > CLIENT_LIMIT_BYTES) {
    throw internalError(
      `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${CLIENT_LIMIT_BYTES})`,
    );
  }
  if (size > ETCD_LIMIT_BYTES) throw internalError('etcdserver: request is too large');
  // A level takes at least two bytes.
  if (size > 2 * MAX_DEPTH) requireDepth(object);
}

/**
 * Refuses an object that is nested deeper than any body can be. A JSON Patch can create such an
 * object, and it would make every list that contains it fail.
 *
 * @throws ApiError 400 beyond 10 000 levels.
 */
export function requireDepth(object: unknown): void {
  if (!isDeeper(object, MAX_DEPTH)) return;
  throw badRequest(`the object is nested in more than ${MAX_DEPTH} levels: exceeded max depth`);
}

/**
 * The length of the JSON, without escapes, computed without writing it. Counting stops at 64 MiB.
 */
export function jsonSize(value: unknown): number {
  let size = 0;
  const left = [value];
  while (left.length > 0 && size < COUNTED_BYTES) {
    const next = left.pop();
    if (typeof next === 'string') {
      size += Buffer.byteLength(next) + 2;
    } else if (typeof next !== 'object' || next === null) {
      size += 4;
    } else if (Array.isArray(next)) {
      size += 2 + next.length;
      for (const item of next) left.push(item);
    } else {
      size += 2;
      for (const [name, field] of Object.entries(next)) {
        size += name.length + 4;
        left.push(field);
      }
    }
  }
  return size;
}
