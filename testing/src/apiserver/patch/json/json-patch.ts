import { ApiError } from 'chancery';
import { isJsonObject, type JsonObject, jsonEquals } from '../../objects/json-value.ts';
import { jsonSize } from '../../objects/stored-size.ts';
import { malformedPatch, unprocessablePatch } from '../patch-error.ts';
import { addAt, type Pointer, parsePointer, readAt, removeAt, replaceAt } from './json-pointer.ts';

/** The server's own limit (`maxJSONPatchOperations`). */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;

/**
 * The document with a JSON patch (RFC 6902) carried out: all of its operations or none. Neither
 * input is changed; the result may share parts with both.
 *
 * @throws ApiError 400 when `operations` is no array of objects; 413 for more than 10 000; 422 with
 *   the server's generic message when a test fails, a path does not exist or an operation is unknown.
 */
export function applyJsonPatch(document: JsonObject, operations: unknown): JsonObject {
  if (!Array.isArray(operations) || !operations.every(isJsonObject))
    throw malformedPatch('a JSON patch must be an array of operations');
  if (operations.length > MAX_JSON_PATCH_OPERATIONS) throw tooManyOperations(operations.length);
  let result: unknown = document;
  let copiedBytes = 0;
  for (const operation of operations) {
    if (operation.op === 'copy') {
      copiedBytes += jsonSize(readAt(result, parsePointer(operation.from)));
      if (copiedBytes > MAX_COPIED_BYTES) throw unprocessablePatch();
    }
    result = applyOperation(result, operation);
  }
  if (!isJsonObject(result)) throw unprocessablePatch();
  return result;
}

/** The server's own limit (`JSONPatchMaxCopyBytes`): thirty copies of copies would be a gigabyte. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case 'add':
      return addAt(document, path, operandOf(operation));
    case 'remove':
      return removeAt(document, path);
    case 'replace':
      return replaceAt(document, path, operandOf(operation));
    case 'copy':
      return addAt(document, path, readAt(document, parsePointer(operation.from)));
    case 'move': {
      const from = parsePointer(operation.from);
      return addAt(removeAt(document, from), path, readAt(document, from));
    }
    case 'test':
      if (!passes(document, path, operation)) throw unprocessablePatch();
      return document;
    default:
      throw unprocessablePatch();
  }
}

/** To the server a field that is not there is null, as long as there is something to have it. */
function passes(document: unknown, path: Pointer, operation: JsonObject): boolean {
  const token = path.at(-1);
  const parent = token === undefined ? document : readAt(document, path.slice(0, -1));
  const isAbsent = token !== undefined && isJsonObject(parent) && !Object.hasOwn(parent, token);
  const value = isAbsent ? null : readAt(document, path);
  return jsonEquals(value, operation.value ?? null);
}

function operandOf(operation: JsonObject): unknown {
  if (!Object.hasOwn(operation, 'value')) throw unprocessablePatch();
  return operation.value;
}

function tooManyOperations(count: number): ApiError {
  return new ApiError({
    status: 'Failure',
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${count}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  });
}
