import type { ExpressionNode } from '../expression/expression-tree.ts';
import { originalName } from '../expression/own-names.ts';
import { Budget } from './budget.ts';

/**
 * Computes the cost of a call from its values and its result. The first value is the receiver, and the
 * arguments follow. One step of this cost is charged already, as for every node.
 */
type Cost = (values: readonly unknown[], result: unknown) => number;

/**
 * Makes every call charge the budget for the sizes of its values, by the rules of cel-go
 * (interpreter/runtimecost.go) and of k8s.io/apiserver (pkg/cel/library/cost.go). Call this after the
 * expression was checked. Without this metering, one step could read megabytes. `matches` and `find` charge
 * their own cost.
 */
export function meterCalls(nodes: readonly ExpressionNode[]): void {
  const watched = new Map<ExpressionNode, () => unknown>();
  const watch = (node: ExpressionNode): (() => unknown) => {
    const known = watched.get(node) ?? lastValueOf(node);
    watched.set(node, known);
    return known;
  };
  for (const node of nodes) {
    const { name, inputs } = callOf(node);
    const cost = COSTS[name];
    if (cost === undefined || node.meta.macro !== undefined) continue;
    if (inputs.every(isScalar) && !OF_NUMBERS.has(name)) continue;
    const values = inputs.map(watch);
    const { evaluate } = node.meta;
    node.setMeta('evaluate', (evaluator, one, context) => {
      const result = evaluate(evaluator, one, context);
      const found = values.map((value) => value());
      Budget.charge(Math.max(cost(found, result) - 1, 0));
      return result;
    });
  }
}

/**
 * Types whose values all have the same size. Most comparisons have these types and need no
 * metering.
 */
const SCALARS: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'int',
  'uint',
]);

/** Functions that make a large value from a number. */
const OF_NUMBERS: ReadonlySet<string> = new Set(['lists.range']);

function isScalar({ checkedType }: ExpressionNode): boolean {
  return SCALARS.has(checkedType?.name ?? '');
}

/** Records the value of an expression at each evaluation. The returned function returns the last value. */
function lastValueOf(node: ExpressionNode): () => unknown {
  const target = node.meta.alternate ?? node;
  if (target.op === 'value') return () => target.args;
  let last: unknown;
  const { evaluate, macro } = target.meta;
  if (macro === undefined) {
    target.setMeta('evaluate', (evaluator, one, context) => {
      last = evaluate(evaluator, one, context);
      return last;
    });
  } else {
    const { evaluate: expand } = macro;
    macro.evaluate = (evaluator, own, context) => {
      last = expand(evaluator, own, context);
      return last;
    };
  }
  return () => last;
}

interface Call {
  readonly name: string;
  readonly inputs: readonly ExpressionNode[];
}

const NO_CALL: Call = { name: '', inputs: [] };

function callOf({ op, args }: ExpressionNode): Call {
  if (!Array.isArray(args)) return NO_CALL;
  if (op === 'call') return { name: originalName(String(args[0])), inputs: args[1] };
  if (op !== 'rcall') return { name: op, inputs: args };
  const [called, receiver, others] = args as [string, ExpressionNode, readonly ExpressionNode[]];
  const name = originalName(called);
  if (receiver.op !== 'id') return { name, inputs: [receiver, ...others] };
  const whole = `${receiver.args}.${name}`;
  return Object.hasOwn(COSTS, whole)
    ? { name: whole, inputs: others }
    : { name, inputs: [receiver, ...others] };
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof Map ? value.size : 1;
}

/** The cost of reading a value once, including its items. */
function traversal(value: unknown): number {
  if (typeof value === 'string') return Math.floor(value.length / 10);
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + traversal(one), 0);
  return 1;
}

function tenth(size: number): number {
  return Math.ceil(size / 10);
}

const readsFirst: Cost = ([first]) => tenth(sizeOf(first));
const readsTwice: Cost = ([first]) => tenth(2 * sizeOf(first));
const looksAtAll: Cost = ([first]) => traversal(first);

const compares: Cost = ([left, right]) => tenth(Math.min(sizeOf(left), sizeOf(right)));

const multiplies: Cost = ([left, right]) => sizeOf(left) * sizeOf(right) + 1;

/** The cost of making a list. */
const NEW_LIST = 10;

const makesList: Cost = (_, result) => 1 + NEW_LIST + sizeOf(result);

/** The cost of comparing each item of a list with every other item. */
const comparesAll: Cost = ([list]) => {
  const [first] = Array.isArray(list) ? list : [];
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return 1 + NEW_LIST + Math.floor(sizeOf(list) ** 2 * (isText ? 2.1 : 2));
};

const COSTS: Readonly<Record<string, Cost>> = {
  slice: makesList,
  reverse: makesList,
  'lists.range': makesList,
  flatten: ([list, depth = 1n]) => 1 + NEW_LIST + sizeOf(list) * Number(depth),
  distinct: comparesAll,
  sort: comparesAll,
  semver: readsFirst,
  isSemver: readsFirst,
  '==': compares,
  '!=': compares,
  '<': compares,
  '<=': compares,
  '>': compares,
  '>=': compares,
  '+': ([left, right]) => (Array.isArray(left) ? 1 : tenth(sizeOf(left) + sizeOf(right))),
  in: ([, list]) => (Array.isArray(list) ? list.length : 1),
  contains: ([text, part]) => tenth(sizeOf(text)) * tenth(sizeOf(part)),
  startsWith: readsFirst,
  endsWith: readsFirst,
  format: readsFirst,
  'strings.quote': readsFirst,
  bytes: readsFirst,
  string: readsFirst,
  isSorted: looksAtAll,
  sum: looksAtAll,
  max: looksAtAll,
  min: looksAtAll,
  indexOf: looksAtAll,
  lastIndexOf: looksAtAll,
  url: readsFirst,
  lowerAscii: readsFirst,
  upperAscii: readsFirst,
  substring: readsFirst,
  trim: readsFirst,
  replace: readsTwice,
  split: readsTwice,
  join: (_, result) => tenth(2 * sizeOf(result)),
  isIP: readsFirst,
  ip: readsFirst,
  cidr: readsFirst,
  isCIDR: readsFirst,
  'ip.isCanonical': readsTwice,
  quantity: readsFirst,
  isQuantity: readsFirst,
  'sets.contains': multiplies,
  'sets.intersects': multiplies,
  'sets.equivalent': ([left, right]) => 2 * sizeOf(left) * sizeOf(right) + 1,
};
