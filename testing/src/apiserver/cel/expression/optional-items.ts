import { Optional } from '@marcbachmann/cel-js';
import type { ParsedNode } from '../checker/read-expression.ts';
import { nodesOf } from './expression-tree.ts';
import type { Checker, Evaluator, Scope } from './macro.ts';
import { tokensOf } from './tokens.ts';

/** An expression that the library can parse, and the offsets at which items were marked with `?`. */
interface MaskedText {
  readonly text: string;
  readonly marks: ReadonlySet<number>;
}

/**
 * The library cannot parse `[?a]` and `{?"k": a}`. Each question mark is replaced by `!`. This keeps all
 * offsets, and produces a node that nothing else could produce at that position.
 */
export function maskOptionalItems(expression: string): MaskedText {
  const marks = new Set<number>();
  if (!/[[{,]\s*(?:\/\/[^\n]*\s*)*\?/.test(expression)) return { text: expression, marks };
  const open: ('literal' | 'other')[] = [];
  let text = '';
  let before = '';
  for (const token of tokensOf(expression)) {
    const isItem = open.at(-1) === 'literal' && /^[[{,]$/.test(before);
    if (token === '?' && isItem) marks.add(text.length);
    text += token === '?' && isItem ? '!' : token;
    if (/^\s|^\/\//.test(token)) continue;
    // A bracket that follows a value begins an index, not a list.
    const isIndex = token === '[' && /[\w)\]}"']$/.test(before) && before !== 'in';
    if ('{[('.includes(token)) open.push(token === '(' || isIndex ? 'other' : 'literal');
    else if ('}])'.includes(token)) open.pop();
    before = token;
  }
  return { text, marks };
}

interface Node extends ParsedNode {
  args: unknown;
  setMeta(key: string, value: unknown): unknown;
}

/**
 * Removes the `!` nodes that stand for question marks. The lists and maps around them then evaluate the
 * marked items as optional items.
 */
export function restoreOptionalItems(
  root: unknown,
  marks: ReadonlySet<number>,
): ReadonlySet<ParsedNode> {
  const optionals = new Set<ParsedNode>();
  if (marks.size === 0) return optionals;
  for (const node of nodesOf(root) as unknown as readonly Node[]) {
    if (node.op === 'list') restoreList(node, marks, optionals);
    else if (node.op === 'map') restoreMap(node, marks, optionals);
  }
  return optionals;
}

function restoreList(node: Node, marks: ReadonlySet<number>, optionals: Set<ParsedNode>): void {
  const items = node.args as Node[];
  for (const at of items.keys()) unmark(items, at, marks, optionals);
  if (!items.some((item) => optionals.has(item))) return;
  node.setMeta('check', (checker: Checker, _: unknown, scope: Scope) => {
    for (const item of items) checker.check(item, scope);
    return checker.registry.getListType(checker.dynType);
  });
  node.setMeta('evaluate', (evaluator: Evaluator, _: unknown, scope: Scope) =>
    items.flatMap((item) => {
      const value = evaluator.run(item, scope);
      return optionals.has(item) ? held(value) : [value];
    }),
  );
}

function restoreMap(node: Node, marks: ReadonlySet<number>, optionals: Set<ParsedNode>): void {
  const entries = node.args as [Node, Node][];
  for (const entry of entries) unmark(entry, 0, marks, optionals);
  if (!entries.some(([key]) => optionals.has(key))) return;
  node.setMeta('check', (checker: Checker, _: unknown, scope: Scope) => {
    for (const one of entries.flat()) checker.check(one, scope);
    return checker.registry.getMapType(checker.dynType, checker.dynType);
  });
  node.setMeta(
    'evaluate',
    (evaluator: Evaluator, _: unknown, scope: Scope) =>
      new Map(
        entries.flatMap(([key, item]) => {
          const name = evaluator.run(key, scope);
          const value = evaluator.run(item, scope);
          const values = optionals.has(key) ? held(value) : [value];
          return values.map((one) => [name, one] as const);
        }),
      ),
  );
}

/**
 * The value of an optional as a list with at most one item.
 * @throws Error for a value that is not an optional.
 */
function held(value: unknown): readonly unknown[] {
  if (!(value instanceof Optional))
    throw new Error('cannot initialize optional entry from non-optional value');
  return value.hasValue() ? [value.value()] : [];
}

/**
 * Replaces the `!` node of a question mark with its operand. This node is the item itself, or the leftmost
 * node inside the item.
 */
function unmark(
  place: Node[],
  at: number,
  marks: ReadonlySet<number>,
  optionals: Set<ParsedNode>,
): void {
  const item = place[at];
  if (item === undefined || !marks.has(item.start)) return;
  let [nodes, index]: [Node[], number] = [place, at];
  for (let first = item; first.op !== '!_'; first = nodes[index] ?? item) {
    [nodes, index] = [first.args as Node[], 0];
  }
  const mark = nodes[index];
  if (mark !== undefined) nodes[index] = mark.args as Node;
  const whole = place[at];
  if (whole !== undefined) optionals.add(whole);
}
