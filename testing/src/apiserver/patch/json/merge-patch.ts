import { badRequest } from '../../failures/failure.ts';
import { isJsonObject } from '../../objects/json-value.ts';
import { LazyNode, plainJson, pruneNulls } from './lazy-node.ts';

/**
 * The document after a JSON merge patch (RFC 7386), applied as evanphx/json-patch v4 does: `null`
 * removes a field, an object is merged, anything else replaces. A list replaces the whole document.
 * Neither input is changed. The result may share parts with both.
 *
 * @throws ApiError 400 for any other patch.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch) && !Array.isArray(patch)) throw badRequest('Invalid JSON Patch');
  const change = new LazyNode(patch);
  const root = new LazyNode(document);
  if (root.fields === undefined || change.fields === undefined) {
    pruneNulls(change);
    return plainJson(change);
  }
  merge(root, change);
  return plainJson(root);
}

/** Merges from the top down, with an explicit stack. Both nodes are objects. */
function merge(root: LazyNode, change: LazyNode): void {
  const left = [{ into: root, from: change }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { fields } = next.into;
    for (const [name, value] of next.from.fields ?? []) {
      if (value === null) {
        fields?.delete(name);
        continue;
      }
      const own = fields?.get(name) ?? undefined;
      if (own?.fields !== undefined && value.fields !== undefined) {
        left.push({ into: own, from: value });
        continue;
      }
      // A value that replaces an object is written as sent, including nulls in its lists.
      if (own?.fields === undefined) pruneNulls(value);
      fields?.set(name, value);
    }
  }
}
