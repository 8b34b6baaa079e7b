import { fieldOf, isJsonObject, type JsonObject, setField } from '../../objects/json-value.ts';
import { malformedPatch } from '../patch-error.ts';

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

/** From the top down, with a stack of its own: each object is a copy before it is changed. */
function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const root: Record<string, unknown> = { ...target };
  const left = [{ copy: root, patch }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { copy } = next;
    for (const [name, value] of Object.entries(next.patch)) {
      if (value === null) {
        delete copy[name];
      } else if (isJsonObject(value)) {
        const own = fieldOf(copy, name);
        const child: Record<string, unknown> = isJsonObject(own) ? { ...own } : {};
        setField(copy, name, child);
        left.push({ copy: child, patch: value });
      } else {
        setField(copy, name, value);
      }
    }
  }
  return root;
}
