import { fieldOf, isJsonObject, type JsonObject } from './json-value.ts';
import { malformedPatch } from './patch-error.ts';

/**
 * The document with a JSON merge patch (RFC 7386) carried out: `null` removes, an object merges,
 * anything else replaces. Neither input is changed; the result may share parts with both.
 *
 * @throws ApiError 400 when the patch is not an object.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (!isJsonObject(patch)) throw malformedPatch('a JSON merge patch must be an object');
  return merge(document, patch);
}

function merge(target: unknown, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const name of Object.keys(patch)) {
    const value = fieldOf(patch, name);
    if (value === null) merged.delete(name);
    else merged.set(name, isJsonObject(value) ? merge(merged.get(name), value) : value);
  }
  return Object.fromEntries(merged);
}
