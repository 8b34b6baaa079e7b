import { badRequest } from '../../failures/failure.ts';
import { isJsonObject } from '../../objects/json-value.ts';
import { LazyNode, plainJson, pruneNulls } from './lazy-node.ts';

/**
 * The document after a JSON merge patch (RFC 7386), applied like in evanphx/json-patch v4: `null` removes a
 * field, an object is merged, and any other value replaces the old value. A patch that is a list replaces the
 * whole document. Neither input is changed. The result may share values with both.
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

/** Merges `change` into `root`, from the top down and with an explicit stack. Both must be objects. */
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
      // A value that replaces an object is written as sent, including its nulls.
      if (own?.fields === undefined) pruneNulls(value);
      fields?.set(name, value);
    }
  }
}
