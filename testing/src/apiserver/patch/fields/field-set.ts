import { compareElements, type FieldPath, type PathElement } from './path-element.ts';

/**
 * A set of field paths, as a tree. A node of the tree may be a member of the set, have members below it, or
 * both.
 */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  /** The fields below each path element, as sets that are not empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

export const NO_FIELDS: FieldSet = { members: new Set(), children: new Map() };

export function isEmptyFieldSet(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

/** The set of these paths. The empty path cannot be a member. */
export function fieldSetOf(paths: Iterable<FieldPath>): FieldSet {
  const members = new Set<PathElement>();
  const below = new Map<PathElement, FieldPath[]>();
  for (const [first, ...rest] of paths) {
    if (first === undefined) continue;
    if (rest.length === 0) members.add(first);
    else if (below.get(first)?.push(rest) === undefined) below.set(first, [rest]);
  }
  const children = new Map([...below].map(([element, rest]) => [element, fieldSetOf(rest)]));
  return { members, children };
}

/**
 * Every path of the set, in the order of the server's `Set.Iterate`: on each level first the
 * members, then the paths below them.
 */
export function pathsOf(set: FieldSet): FieldPath[] {
  const members = [...set.members].sort(compareElements).map((element) => [element]);
  const below = [...set.children]
    .sort(([left], [right]) => compareElements(left, right))
    .flatMap(([element, child]) => pathsOf(child).map((path) => [element, ...path]));
  return [...members, ...below];
}

export function unionOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptyFieldSet(left)) return right;
  if (isEmptyFieldSet(right)) return left;
  const children = new Map(left.children);
  for (const [element, child] of right.children) {
    children.set(element, unionOf(children.get(element) ?? NO_FIELDS, child));
  }
  return { members: new Set([...left.members, ...right.members]), children };
}

/**
 * The paths in `left` that are not in `right`. A path in `right` does not remove the paths below
 * it.
 */
export function differenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptyFieldSet(right)) return left;
  return narrowed(
    left,
    (element) => !right.members.has(element),
    (element, child) => differenceOf(child, right.children.get(element) ?? NO_FIELDS),
  );
}

export function intersectionOf(left: FieldSet, right: FieldSet): FieldSet {
  return narrowed(
    left,
    (element) => right.members.has(element),
    (element, child) => intersectionOf(child, right.children.get(element) ?? NO_FIELDS),
  );
}

/** The set without the paths in `roots`, and without all paths below them. */
export function withoutSubtrees(set: FieldSet, roots: FieldSet): FieldSet {
  return narrowed(
    set,
    (element) => !roots.members.has(element),
    (element, child) =>
      roots.members.has(element)
        ? NO_FIELDS
        : withoutSubtrees(child, roots.children.get(element) ?? NO_FIELDS),
  );
}

/**
 * If nothing is removed, returns the same set object, because other code caches data for each set object.
 */
function narrowed(
  set: FieldSet,
  keeps: (element: PathElement) => boolean,
  narrow: (element: PathElement, child: FieldSet) => FieldSet,
): FieldSet {
  const members = [...set.members].filter(keeps);
  let isSame = members.length === set.members.size;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const left = narrow(element, child);
    isSame &&= left === child;
    if (!isEmptyFieldSet(left)) children.set(element, left);
  }
  return isSame ? set : { members: new Set(members), children };
}
