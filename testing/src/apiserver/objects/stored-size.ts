import { badRequest, internalError } from '../failures/failure.ts';
import { MAX_DEPTH } from './go-json.ts';
import { isDeeper } from './json-text.ts';

/** The size of the largest request that etcd accepts (`--max-request-bytes`). */
const ETCD_LIMIT_BYTES = 1.5 * 1024 * 1024;

/** The size of the largest request that etcd's client sends. */
const CLIENT_LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * Counting stops at this size. No request body is so large. The limit is for values that contain themselves,
 * where counting would never end.
 */
const COUNTED_BYTES = 64 * 1024 * 1024;

/**
 * Refuses an object that a real server could not store. The size of an object is the length of its JSON. On a
 * real server, stored objects of built-in kinds are slightly smaller.
 *
 * @throws ApiError 500 with etcd's message. The real server forwards this message to the client.
 * @throws ApiError 400 in the same cases as `requireDepth`.
 */
export function requireStorable(object: unknown): void {
  const size = jsonSize(object);
  if (size > CLIENT_LIMIT_BYTES) {
    throw internalError(
      `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${CLIENT_LIMIT_BYTES})`,
    );
  }
  if (size > ETCD_LIMIT_BYTES) throw internalError('etcdserver: request is too large');
  // Each level takes at least two bytes, so a smaller object cannot be too deep.
  if (size > 2 * MAX_DEPTH) requireDepth(object);
}

/**
 * Refuses an object that is nested deeper than any request body can be. A JSON Patch can create such an
 * object, and every list that contains it would fail.
 *
 * @throws ApiError 400 for an object with more than 10 000 levels.
 */
export function requireDepth(object: unknown): void {
  if (!isDeeper(object, MAX_DEPTH)) return;
  throw badRequest(`the object is nested in more than ${MAX_DEPTH} levels: exceeded max depth`);
}

/**
 * The length of the JSON of a value, computed without writing it. Escapes in strings are not counted.
 * Counting stops at 64 MiB.
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
