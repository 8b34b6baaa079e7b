import {
  exactly,
  PER_CHARACTER,
  PER_REGEX_CHARACTER,
  plus,
  product,
  type SizeRange,
  search,
  times,
  traversal,
} from './size-range.ts';

/** An operand of an operator, or an argument or the receiver of a function. */
export interface Argument {
  readonly kind: string;
  readonly size: SizeRange;
  /** The value, if the argument is a literal. */
  readonly literal: unknown;
  /** The kind and size of a list's items; undefined if the value is not a list. */
  readonly items: { readonly kind: string; readonly size: SizeRange } | undefined;
}

/** The cost of a call without its arguments, and the size of its result where that is known. */
export interface CallCost {
  readonly cost: number;
  readonly size?: SizeRange;
}

/** The cost of most calls. */
const SIMPLE: CallCost = { cost: 1 };

type Estimate = (target: Argument | undefined, args: readonly Argument[]) => CallCost | undefined;

/**
 * The server's estimate for a call: the rules of cel-go (checker/cost.go), of its extension `sets`,
 * and of k8s.io/apiserver (pkg/cel/library/cost.go). If several overloads fit the kinds of the
 * arguments, the most expensive one counts.
 */
export function callCost(
  name: string,
  target: Argument | undefined,
  args: readonly Argument[],
): CallCost {
  return CALLS[name]?.(target, args) ?? SIMPLE;
}

function isText({ kind }: Argument): boolean {
  return kind === 'string' || kind === 'bytes';
}

function mayBeText(arg: Argument): boolean {
  return isText(arg) || arg.kind === 'dyn';
}

/** The cost of comparing two values. It depends on the size of the shorter value. */
const compare: Estimate = (_, [left, right]) => {
  if (left === undefined || right === undefined) return undefined;
  return { cost: traversal(left.size.max < right.size.max ? left.size : right.size) };
};

const order: Estimate = (target, args) =>
  args.every(mayBeText) ? atLeastSimple(compare(target, args), args) : undefined;

/**
 * If the types of the arguments are unknown, the call may use the overload for numbers, so it costs at least
 * as much as a simple call.
 */
function atLeastSimple(
  found: CallCost | undefined,
  args: readonly Argument[],
): CallCost | undefined {
  if (found === undefined || args.some(isText)) return found;
  return { ...found, cost: Math.max(found.cost, 1) };
}

/** The cost of `==` for types whose values are compared in a fixed number of steps. */
const EQUALITY: Readonly<Record<string, number>> = {
  'net.IP': 1,
  'net.CIDR': 1,
  'kubernetes.Quantity': 1,
  'kubernetes.NamedFormat': 7,
};

const equality: Estimate = (target, args) => {
  const [left, right] = args;
  const known = left?.kind === right?.kind ? EQUALITY[left?.kind ?? ''] : undefined;
  return known === undefined ? compare(target, args) : { cost: known };
};

const add: Estimate = (_, args) => {
  const [left, right] = args;
  if (left === undefined || right === undefined) return undefined;
  const size = plus(left.size, right.size);
  if (args.some(({ kind }) => kind === 'list')) return { cost: 1, size };
  if (!args.every(mayBeText)) return undefined;
  return atLeastSimple({ cost: traversal(size), size }, args);
};

const isIn: Estimate = (_, [, list]) => {
  if (list === undefined || list.kind === 'map') return undefined;
  return { cost: list.kind === 'dyn' ? Math.max(list.size.max, 1) : list.size.max };
};

/** The cost of a function that reads its argument once. */
function reads(factor: number = PER_CHARACTER): Estimate {
  return (_, [text]) => text && { cost: traversal(text.size, factor) };
}

/** The cost of a method that reads its receiver once and returns a value of the same size. */
function rewrites(factor: number = PER_CHARACTER): Estimate {
  return (target) => target && { cost: traversal(target.size, factor), size: target.size };
}

/** The cost of a method that reads a string once, or looks at every item of a list. */
const eachItem: Estimate = (target) => {
  if (target === undefined) return undefined;
  if (target.items === undefined) return { cost: traversal(target.size) };
  const { kind, size } = target.items;
  const item = 1 + (kind === 'string' || kind === 'bytes' ? traversal(size) : 0);
  return { cost: product(target.size.max, item) };
};

const replace: Estimate = (target, [old, next]) => {
  if (target === undefined || old === undefined || next === undefined) return undefined;
  const cost = traversal(target.size, 2 * PER_CHARACTER);
  return { cost, size: replaced(target.size, old.size, next.size) };
};

/** The size of `text` after replacements. An empty `old` is found between any two characters. */
function replaced(text: SizeRange, old: SizeRange, next: SizeRange): SizeRange {
  const most =
    old.min === 0
      ? product(text.max + 1, next.max) + text.max
      : next.max <= old.min
        ? text.max
        : product(Math.ceil(text.max / old.min), next.max);
  const least =
    old.max === 0
      ? product(text.min + 1, next.min) + text.min
      : old.max <= next.min
        ? text.min
        : product(Math.ceil(text.min / old.max), next.min);
  return { min: least, max: most };
}

const split: Estimate = (target, [, most]) => {
  if (target === undefined) return undefined;
  const limit = typeof most?.literal === 'bigint' ? Number(most.literal) : target.size.max;
  return { cost: traversal(target.size, 2 * PER_CHARACTER), size: { min: 0, max: limit } };
};

const join: Estimate = (target, [separator]) => {
  if (target === undefined) return undefined;
  const { size: count, items } = target;
  const texts = items === undefined ? exactly(0) : times(count, items.size);
  const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
  const size = separator === undefined ? texts : plus(texts, times(separator.size, gaps));
  return { cost: traversal(size), size };
};

const find: Estimate = (target, [regex]) =>
  target &&
  regex && { cost: search(target.size, regex.size), size: { min: 0, max: target.size.max } };

const matches: Estimate = (target, [regex]) =>
  target && regex && { cost: search(target.size, regex.size) };

const contains: Estimate = (target, [part]) =>
  target && part && { cost: product(traversal(target.size), traversal(part.size)) };

/**
 * The cost of a function that parses its string argument, or of a method that returns a part of an existing
 * network.
 */
const address: Estimate = (target, args) => (target === undefined ? reads()(target, args) : SIMPLE);

/**
 * The cost of testing whether a network contains an address or network. Both are compared as 4 or 16 bytes. A
 * string argument has to be parsed first.
 */
function within(cost: number): Estimate {
  return (_, [other]) => other && { cost: cost + (mayBeText(other) ? traversal(other.size) : 0) };
}

function ofSets(factor: number): Estimate {
  return (_, [left, right]) =>
    left && right && { cost: traversal(times(left.size, right.size), factor) + 1 };
}

/**
 * The cost of a conversion between string and bytes: the result may be four times as long, or a quarter as
 * long.
 */
const toBytes: Estimate = (_, [text]) => {
  if (text === undefined || !mayBeText(text)) return undefined;
  const size = { min: text.size.min, max: text.size.max * 4 };
  return { cost: Math.max(traversal(text.size), text.kind === 'dyn' ? 1 : 0), size };
};

const toText: Estimate = (_, [value]) => {
  if (value === undefined || !(value.kind === 'bytes' || value.kind === 'dyn')) return undefined;
  const size = { min: Math.floor(value.size.min / 4), max: value.size.max };
  return { cost: Math.max(traversal(value.size), value.kind === 'dyn' ? 1 : 0), size };
};

const quote: Estimate = (_, [text]) =>
  text && {
    cost: traversal(text.size),
    size: { min: text.size.min + 2, max: text.size.max * 2 + 2 },
  };

/** The length of the longest regular expression among all named formats. */
const FORMAT_REGEX = 128;

const validate: Estimate = (_, [text]) =>
  text && { cost: Math.ceil(product(traversal(text.size), FORMAT_REGEX * PER_REGEX_CHARACTER)) };

/**
 * The cost of parsing a selector such as `a,b=c`. It has at most one requirement per two characters, and for
 * each requirement a list and an object are made.
 */
const selector: Estimate = (_, [text]) => {
  if (text === undefined) return undefined;
  const requirements = traversal(text.size, 0.5);
  return { cost: 10 + traversal(text.size) + product(requirements, 50) };
};

/** The cost of making a list (cel-go: ListCreateBaseCost). */
const NEW_LIST = 10;

/** The cost of a call that makes a list and looks at each item `factor` times (cel-go: ext/lists.go). */
function makesList(size: SizeRange, factor: number): CallCost {
  return { cost: 1 + NEW_LIST + Math.ceil(product(size.max, factor)), size };
}

function literalOr(arg: Argument | undefined, preset: number): number {
  return typeof arg?.literal === 'bigint' ? Math.max(Number(arg.literal), 0) : preset;
}

const slice: Estimate = (target, [start, end]) =>
  target &&
  makesList(exactly(Math.max(literalOr(end, target.size.max) - literalOr(start, 0), 0)), 1);

const flatten: Estimate = (target, [depth]) =>
  target &&
  makesList(target.size, depth === undefined ? 1 : literalOr(depth, Number.POSITIVE_INFINITY));

/** The cost of comparing each item with every other item. Strings cost a little more than other items. */
export function comparesAll({ size, items }: Pick<Argument, 'size' | 'items'>): CallCost {
  const isOfTexts = items?.kind === 'string' || items?.kind === 'bytes';
  return makesList(times(size, size), isOfTexts ? 2 + PER_CHARACTER : 2);
}

const distinct: Estimate = (target) => target && makesList(times(target.size, target.size), 2);

const CALLS: Readonly<Record<string, Estimate>> = {
  slice,
  flatten,
  reverse: (target) => target && makesList(target.size, 1),
  distinct,
  sort: (target) => target && comparesAll(target),
  'lists.range': (_, [count]) => makesList(exactly(literalOr(count, Number.POSITIVE_INFINITY)), 1),
  '==': equality,
  '!=': compare,
  '<': order,
  '<=': order,
  '>': order,
  '>=': order,
  '+': add,
  in: isIn,
  bytes: toBytes,
  string: toText,
  startsWith: reads(),
  endsWith: reads(),
  contains,
  matches,
  format: (target) => target && { cost: traversal(target.size) },
  'strings.quote': quote,
  isSorted: eachItem,
  sum: eachItem,
  max: eachItem,
  min: eachItem,
  indexOf: eachItem,
  lastIndexOf: eachItem,
  lowerAscii: rewrites(),
  upperAscii: rewrites(),
  substring: rewrites(),
  trim: rewrites(),
  replace,
  split,
  join,
  find,
  findAll: find,
  url: (_, [text]) => text && { cost: traversal(text.size), size: text.size },
  'jsonpatch.escapeKey': (_, [text]) => text && { cost: traversal(text.size), size: text.size },
  ip: address,
  isIP: reads(),
  cidr: reads(),
  isCIDR: reads(),
  'ip.isCanonical': reads(2 * PER_CHARACTER),
  containsIP: within(4),
  containsCIDR: within(7),
  quantity: reads(),
  isQuantity: reads(),
  semver: reads(),
  isSemver: reads(),
  validate,
  'sets.contains': ofSets(1),
  'sets.intersects': ofSets(1),
  'sets.equivalent': ofSets(2),
  check: () => ({ cost: 350_000 }),
  fieldSelector: selector,
  labelSelector: selector,
};
