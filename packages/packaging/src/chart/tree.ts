import { MERGE_KEYS } from 'chancery/internal';

/** A boolean expression of Go's templates. */
export type Condition = string;

/** A value that is the same in every release. */
export interface Constant {
  readonly is: 'constant';
  readonly value: unknown;
}

/** An expression of Go's templates that renders one scalar, already quoted. */
export interface Inline {
  readonly is: 'inline';
  readonly expression: string;
}

/** An expression of Go's templates that renders lines of YAML without indentation. */
export interface Lines {
  readonly is: 'lines';
  readonly expression: string;
}

/**
 * A field of a mapping. Several fields may have the same key if the conditions of at most one of
 * them are true.
 */
export interface Field {
  readonly key: string;
  readonly tree: Tree;
  readonly when: readonly Condition[];
}

/** An item of a list. */
export interface Item {
  readonly tree: Tree;
  readonly when: readonly Condition[];
}

/** Additional fields of an object, or additional items of a list, which an expression renders. */
export interface More {
  readonly more: string;
  readonly when: readonly Condition[];
}

export interface Mapping {
  readonly is: 'mapping';
  readonly fields: readonly (Field | More)[];
}

export interface Sequence {
  readonly is: 'sequence';
  readonly items: readonly (Item | More)[];
}

/** A YAML document whose parts depend on conditions. */
export type Tree = Constant | Inline | Lines | Mapping | Sequence;

export function inline(expression: string): Inline {
  return { is: 'inline', expression };
}

export function lines(expression: string): Lines {
  return { is: 'lines', expression };
}

export function mapping(...fields: readonly (Field | More)[]): Mapping {
  return { is: 'mapping', fields };
}

export function field(key: string, tree: Tree, ...when: readonly Condition[]): Field {
  return { key, tree, when };
}

export function not(condition: Condition): Condition {
  return `not (${condition})`;
}

/** A tree without conditions. Fields that are undefined are dropped. */
export function treeOf(value: unknown): Tree {
  if (Array.isArray(value) && value.length > 0) {
    return { is: 'sequence', items: value.map((item) => ({ tree: treeOf(item), when: [] })) };
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    return { is: 'constant', value };
  }
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return mapping(...fields.map(([key, each]) => field(key, treeOf(each))));
}

/**
 * The tree with a strategic merge patch that applies only where `condition` is true. The patch is
 * merged like in kustomize: null removes a field, lists of named items are merged by name, and the
 * items in the patch come first.
 */
export function mergeWhen(tree: Tree, patch: object, condition: Condition): Tree {
  if (tree.is !== 'mapping') throw new Error('a patch changes what is no mapping');
  return Object.entries(patch).reduce<Mapping>(
    (merged, [key, change]) => mergeField(merged, key, change, condition),
    tree,
  );
}

function mergeField(tree: Mapping, key: string, change: unknown, condition: Condition): Mapping {
  let isMerged = change === null;
  const fields = tree.fields.map((each) => {
    if ('more' in each || each.key !== key) return each;
    const merged = mergedValue(each, change, condition);
    if (merged === undefined) return { ...each, when: [...each.when, not(condition)] };
    isMerged = true;
    return { ...each, tree: merged };
  });
  if (isMerged) return { is: 'mapping', fields };
  return { is: 'mapping', fields: [...fields, field(key, treeOf(change), condition)] };
}

/** The merged value of a field. Undefined when the change replaces or removes the field. */
function mergedValue(
  { key, tree }: Field,
  change: unknown,
  condition: Condition,
): Tree | undefined {
  if (isNamedList(key, change) && tree.is === 'sequence') {
    return mergeItems(tree, change, MERGE_KEYS[key] ?? '', condition);
  }
  if (tree.is === 'constant' && tree.value === change) return tree;
  const isObject = typeof change === 'object' && change !== null && !Array.isArray(change);
  return isObject && tree.is === 'mapping' ? mergeWhen(tree, change, condition) : undefined;
}

type Json = Readonly<Record<string, unknown>>;

function isNamedList(key: string, change: unknown): change is readonly Json[] {
  return Array.isArray(change) && MERGE_KEYS[key] !== undefined;
}

function mergeItems(
  list: Sequence,
  patches: readonly Json[],
  key: string,
  condition: Condition,
): Sequence {
  const isNamed = (item: Item | More, patch: Json): item is Item =>
    'tree' in item && constantAt(item.tree, key) === patch[key];
  const named = patches.flatMap((patch): readonly Item[] => {
    const known = list.items.filter((item) => isNamed(item, patch)) as readonly Item[];
    if (patch.$patch === 'delete') {
      return known.map((item) => ({ ...item, when: [...item.when, not(condition)] }));
    }
    if (known.length === 0) return [{ tree: treeOf(patch), when: [condition] }];
    return known.map((item) => ({ ...item, tree: mergeWhen(item.tree, patch, condition) }));
  });
  const others = list.items.filter((item) => !patches.some((patch) => isNamed(item, patch)));
  return { is: 'sequence', items: [...named, ...others] };
}

/** The value of a field if it is the same in every release, otherwise undefined. */
export function constantAt(tree: Tree, key: string): unknown {
  if (tree.is !== 'mapping') return undefined;
  const found = tree.fields.find((each) => !('more' in each) && each.key === key);
  return found !== undefined && 'tree' in found && found.tree.is === 'constant'
    ? found.tree.value
    : undefined;
}

/** The tree, changed at a path. The path consists of names of fields and of list items. */
export function changeAt(tree: Tree, path: readonly string[], change: (part: Tree) => Tree): Tree {
  const [key, ...rest] = path;
  if (key === undefined) return change(tree);
  let isFound = false;
  const changed = <T extends Item | Field>(each: T): T => {
    isFound = true;
    return { ...each, tree: changeAt(each.tree, rest, change) };
  };
  const result = changedParts(tree, key, changed);
  if (!isFound) throw new Error(`the Deployment has no ${path.join(' ')}`);
  return result;
}

function changedParts(
  tree: Tree,
  key: string,
  changed: <T extends Item | Field>(each: T) => T,
): Tree {
  if (tree.is === 'mapping') {
    const fields = tree.fields.map((each) =>
      'more' in each || each.key !== key ? each : changed(each),
    );
    return { ...tree, fields };
  }
  if (tree.is !== 'sequence') return tree;
  const items = tree.items.map((each) =>
    'more' in each || constantAt(each.tree, 'name') !== key ? each : changed(each),
  );
  return { ...tree, items };
}

/** The mapping with fields added at its end. A field with the same key is replaced. */
export function withFields(tree: Tree, ...fields: readonly (Field | More)[]): Mapping {
  const known = tree.is === 'mapping' ? tree.fields : [];
  const keys = fields.flatMap((each) => ('more' in each ? [] : [each.key]));
  const kept = known.filter((each) => 'more' in each || !keys.includes(each.key));
  return { is: 'mapping', fields: [...kept, ...fields] };
}

/** The list with items added at its end. */
export function withItems(tree: Tree, ...items: readonly (Item | More)[]): Sequence {
  return { is: 'sequence', items: [...(tree.is === 'sequence' ? tree.items : []), ...items] };
}
