import { fieldOf, isJsonObject, jsonEquals } from '../../objects/json-value.ts';

/** True when two items of a list stand for the same element. An empty key: scalars. */
export function isSameElement(left: unknown, right: unknown, mergeKey: string): boolean {
  if (mergeKey === '') return jsonEquals(left, right);
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  return jsonEquals(fieldOf(left, mergeKey), fieldOf(right, mergeKey));
}

/**
 * The items in the order that a patch asks for. Those that `order` does not name keep their order
 * of `before`, each in front of the first ordered item that it stood in front of.
 */
export function inElementOrder(
  items: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  const placeIn = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((one) => isSameElement(one, item, mergeKey));
  const byPlaceIn =
    (list: readonly unknown[]) =>
    (left: unknown, right: unknown): number =>
      placeIn(list, left) - placeIn(list, right);

  const isOrdered = (item: unknown): boolean => placeIn(order, item) >= 0;
  const ordered = items.filter(isOrdered).toSorted(byPlaceIn(order));
  const others = items.filter((item) => !isOrdered(item)).toSorted(byPlaceIn(before));

  const result: unknown[] = [];
  for (const item of ordered) {
    const stoodInFront = (other: unknown): boolean => {
      const place = placeIn(before, other);
      return place >= 0 && place < placeIn(before, item);
    };
    while (others.length > 0 && stoodInFront(others[0])) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}
