import { internalError } from '../../failures/failure.ts';
import { isJsonObject } from '../../objects/json-value.ts';
import { goText } from '../apply/applied-problems.ts';
import { directiveOf, hasDirective } from './directives.ts';

/** The value that identifies an item: its merge key, or the item itself if `mergeKey` is empty. */
function identityOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  return isJsonObject(item) && Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
}

function placeIn(list: readonly unknown[], item: unknown, mergeKey: string): number {
  const identity = identityOf(item, mergeKey);
  return list.findIndex((one) => identityOf(one, mergeKey) === identity);
}

/**
 * Sorts items in the order that a patch requests (Go: normalizeElementOrder). Items that `order` does not
 * contain keep the order of `before`. Each of these items is placed before the first ordered item that came
 * after it in `before`.
 */
export function inElementOrder(
  items: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string,
): unknown[] {
  for (const list of [items, order, before]) requireKeys(list, mergeKey);
  const isOrdered = (item: unknown): boolean => placeIn(order, item, mergeKey) >= 0;
  const ordered = sorted(items.filter(isOrdered), order, mergeKey);
  const others = sorted(
    items.filter((item) => !isOrdered(item)),
    before,
    mergeKey,
  );

  const result: unknown[] = [];
  for (const item of ordered) {
    const stoodInFront = (other: unknown): boolean => {
      const place = placeIn(before, other, mergeKey);
      return place >= 0 && place < placeIn(before, item, mergeKey);
    };
    while (others.length > 0 && stoodInFront(others[0])) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}

/**
 * Sorts by insertion, like Go. The algorithm matters, because the server's comparison is inconsistent: when
 * `order` lacks one of two items, each of the two comes before the other (Go: normalizeSliceOrder). Go sorts
 * lists of more than 20 items with another algorithm.
 */
function sorted(items: readonly unknown[], order: readonly unknown[], mergeKey: string): unknown[] {
  const list: unknown[] = [];
  for (const item of items) {
    const place = placeIn(order, item, mergeKey);
    let at = list.length;
    for (; at > 0; at--) {
      const other = placeIn(order, list[at - 1], mergeKey);
      if (place >= 0 && other >= 0 && place >= other) break;
    }
    list.splice(at, 0, item);
  }
  return list;
}

/** @throws ApiError 500 for an item without its merge key. */
function requireKeys(list: readonly unknown[], mergeKey: string): void {
  if (mergeKey === '') return;
  for (const item of list) {
    if (!isJsonObject(item)) throw badType('map[string]interface {}', item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  }
}

/**
 * Checks that the items of a patch are in the order that the patch itself requests (Go:
 * validatePatchWithSetOrderList). Items with a directive are skipped, except at the end.
 *
 * @throws ApiError 500 when `order` does not contain an item, or contains it at a different position.
 */
export function requireOrder(
  items: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string,
): void {
  if (items.length === 0 || order.length === 0) return;
  const named = mergeKey === '' ? items : items.filter((item) => directiveOf(item) !== 'delete');
  let at = 0;
  let place = 0;
  while (at < named.length && place < order.length) {
    if (hasDirective(named[at])) {
      at++;
      continue;
    }
    const [item, one] = [named[at], order[place]];
    requireKeys([item, one], mergeKey);
    if (identityOf(item, mergeKey) === identityOf(one, mergeKey)) at++;
    place++;
  }
  if (at >= named.length) return;
  throw internalError(
    `The order in patch list:\n${goText(items)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
  );
}

export function noMergeKey(item: unknown, mergeKey: string): Error {
  return internalError(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function badType(wanted: string, value: unknown): Error {
  return internalError(`expected a ${wanted}, but received a ${goTypeOf(value)}`);
}

/** The Go type that a decoded JSON value has. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(Number(value)) ? 'int64' : 'float64';
}
