import { isMapping, type Mapping, memberOf, requireDepth } from 'chancery/internal';

/**
 * Members that identify the items of a list, in order of preference. They are the same as in
 * Metacontroller.
 */
const LIST_KEYS = ['containerPort', 'port', 'mountPath', 'name', 'uid', 'ip', 'path'] as const;

/**
 * `observed` with the changes from `lastApplied` to `desired`, merged like in `kubectl apply`
 * without knowledge of types:
 *
 * - A member of `lastApplied` that is missing in `desired` is removed. Every member of `desired` is
 *   set. All other members belong to other writers and stay.
 * - Lists whose items all have a known member, such as `name`, are merged item by item. Known items
 *   keep their order, and new items come last. Other lists are replaced.
 * - null means absent, because the API server stores no null.
 *
 * If the types of `observed` and `desired` differ, `desired` wins.
 */
export function mergeThreeWay(observed: Mapping, lastApplied: Mapping, desired: Mapping): Mapping {
  return mergedMap(observed, lastApplied, desired, 0);
}

/** The merged value. Undefined when it is removed. */
function merged(observed: unknown, last: unknown, desired: unknown, depth: number): unknown {
  requireDepth(depth);
  if (isMapping(observed) && (isMapping(desired) || desired === null)) {
    return mergedMap(observed, isMapping(last) ? last : {}, desired ?? {}, depth);
  }
  if (Array.isArray(observed) && (Array.isArray(desired) || desired === null)) {
    return mergedList(observed, Array.isArray(last) ? last : [], desired, depth);
  }
  if (desired === null) return undefined;
  return isMapping(desired) ? mergedMap({}, {}, desired, depth) : desired;
}

function mergedMap(observed: Mapping, last: Mapping, desired: Mapping, depth: number): Mapping {
  const members = new Map(Object.entries(observed));
  for (const key of Object.keys(last)) if (!Object.hasOwn(desired, key)) members.delete(key);
  for (const [key, wanted] of Object.entries(desired)) {
    if (wanted === undefined) continue;
    const value = merged(memberOf(observed, key), memberOf(last, key), wanted, depth + 1);
    if (value === undefined) members.delete(key);
    else members.set(key, value);
  }
  return Object.fromEntries(members);
}

function mergedList(
  observed: readonly unknown[],
  last: readonly unknown[],
  desired: readonly unknown[] | null,
  depth: number,
): unknown {
  const key = listKeyOf(observed, last, desired ?? []);
  if (key === undefined) return desired ?? undefined;
  const byKey = (items: readonly unknown[]): Map<string, unknown> =>
    new Map(items.map((item) => [identityOf(item, key), item]));
  const after = mergedMap(
    Object.fromEntries(byKey(observed)),
    Object.fromEntries(byKey(last)),
    Object.fromEntries(byKey(desired ?? [])),
    depth,
  );
  const order = [...byKey(observed).keys(), ...byKey(desired ?? []).keys()];
  return [...new Set(order)]
    .filter((identity) => Object.hasOwn(after, identity))
    .map((identity) => after[identity]);
}

/**
 * The first known member that every item of every list has, and that identifies the items in each
 * list. Undefined when there is none. Metacontroller also uses a member that several items share,
 * such as the `port` 53 for TCP and UDP, and so loses items.
 */
function listKeyOf(...lists: readonly (readonly unknown[])[]): string | undefined {
  const items = lists.flat();
  if (items.length === 0 || !items.every(isMapping)) return undefined;
  return LIST_KEYS.find(
    (key) =>
      items.every((item) => Object.hasOwn(item, key)) &&
      lists.every(
        (list) => new Set(list.map((item) => identityOf(item, key))).size === list.length,
      ),
  );
}

function identityOf(item: unknown, key: string): string {
  return String((item as Mapping)[key]);
}
