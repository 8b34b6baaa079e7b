import { internalError } from '../../failures/failure.ts';
import { isJsonObject } from '../../objects/json-value.ts';
import { goText } from '../apply/applied-problems.ts';
import { unprocessablePatch } from '../patch-error.ts';
import { DIRECTIVE, hasDirective, type OwnMap } from './directives.ts';
import { goTypeOf, inElementOrder, noMergeKey } from './element-order.ts';

/** Merges a change into an item of a list. */
export type MergeItem = (item: OwnMap, change: OwnMap) => unknown;

/**
 * Merges a patch into a list, item by item (Go: mergeSlice). New items come first, as on the
 * server.
 *
 * @param items - changed in place, like Go changes the underlying array: items after a deleted item move up,
 * and new items fill the freed places. `$setElementOrder` uses this changed array as the order before the
 * patch.
 * @param mergeKey - the field that identifies an item; empty for a list of scalars.
 * @throws ApiError 422 for lists in a list, 500 for items that cannot be merged.
 */
export function mergeList(
  items: unknown[],
  patch: readonly unknown[],
  mergeKey: string,
  mergeItem: MergeItem,
): readonly unknown[] {
  if (items.length === 0 && patch.length === 0) return items;
  if (!areMaps(items, patch)) {
    return inElementOrder(withoutDuplicates([...items, ...patch]), patch, items, mergeKey);
  }
  if (mergeKey === '') throw internalError('cannot merge lists without merge key for struct');
  const { kept, changes } = special(items as OwnMap[], patch as OwnMap[], mergeKey);
  const merged = changes.reduce<unknown[]>((list, change) => {
    if (!Object.hasOwn(change, mergeKey)) throw noMergeKey(change, mergeKey);
    const at = indexOfKey(list, mergeKey, change[mergeKey]);
    if (at < 0) {
      if (list.length < items.length) items[list.length] = change;
      return list.concat([change]);
    }
    return list.with(at, mergeItem(list[at] as OwnMap, change));
  }, kept);
  return inElementOrder(merged, changes, kept, mergeKey);
}

/**
 * Carries out the directives in the items of a patch: `delete` removes an item, and `replace` replaces all
 * items.
 *
 * @throws ApiError 500 for any other directive.
 */
function special(
  items: OwnMap[],
  patch: readonly OwnMap[],
  mergeKey: string,
): { kept: OwnMap[]; changes: readonly OwnMap[] } {
  const changes = patch.filter((item) => !hasDirective(item));
  let left = items.length;
  let replaces = false;
  for (const item of patch) {
    const directive = item[DIRECTIVE];
    if (!hasDirective(item)) continue;
    if (directive === 'delete') {
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
      for (;;) {
        const at = indexOfKey(items.slice(0, left), mergeKey, item[mergeKey]);
        if (at < 0) break;
        items.copyWithin(at, at + 1, left);
        left--;
      }
    } else if (directive === 'replace') {
      replaces = true;
    } else if (directive === 'merge') {
      throw internalError('merging lists cannot yet be specified in the patch');
    } else throw unknownDirective(item);
  }
  if (replaces) return { kept: [...changes], changes: [] };
  return { kept: items.slice(0, left), changes };
}

/** @throws ApiError 500 for items of several types, 422 for lists. */
export function areMaps(...lists: readonly (readonly unknown[])[]): boolean {
  const types = new Set(lists.flat().map(goTypeOf));
  const [first] = types;
  if (first === '[]interface {}') throw unprocessablePatch();
  if (types.size > 1) {
    throw internalError(`list element types are not identical: ${goText(lists)}`);
  }
  if (first === undefined) throw internalError('no elements in any of the given slices');
  return first === 'map[string]interface {}';
}

function indexOfKey(list: readonly unknown[], mergeKey: string, value: unknown): number {
  return list.findIndex(
    (item) => isJsonObject(item) && Object.hasOwn(item, mergeKey) && item[mergeKey] === value,
  );
}

/** Removes duplicates. As on the server, the last item moves to the place of a removed duplicate. */
function withoutDuplicates(items: readonly unknown[]): unknown[] {
  const left = [...items];
  for (let at = 0; at < left.length; at++) {
    for (let other = at + 1; other < left.length; other++) {
      if (left[at] !== left[other]) continue;
      left[other] = left.at(-1);
      left.pop();
      other--;
    }
  }
  return left;
}

export function unknownDirective(map: OwnMap): Error {
  const directive = map[DIRECTIVE];
  const text =
    typeof directive === 'string' ? directive : `%!s(${goTypeOf(directive)}=${goText(directive)})`;
  return internalError(`unknown patch type: ${text} in map: ${goText(map)}`);
}
