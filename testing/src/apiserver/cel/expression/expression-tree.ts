/**
 * The tree of a parsed expression, as the library builds it. `meta.evaluate` and the arguments of a
 * comprehension are not part of the library's public API. The version is pinned, and tests fail
 * when these change.
 */
export interface ExpressionNode {
  readonly op: string;
  readonly args: unknown;
  /** The type of the node. The type check sets it. */
  readonly checkedType?: CheckedType;
  readonly meta: {
    readonly evaluate: Evaluate;
    /** The expression that is evaluated instead of the node: the loop that a macro expands to. */
    readonly alternate?: ExpressionNode;
    /** Evaluates a macro that does not expand to another expression, such as `has`. */
    readonly macro?: Macro;
  };
  setMeta(key: 'evaluate', evaluate: Evaluate): unknown;
}

/** A type of the library: `primitive`, `list`, `map`, `message`, `optional`, `dyn` or `param`. */
interface CheckedType {
  readonly kind: string;
  readonly name: string;
  readonly valueType?: CheckedType;
}

type Evaluate = (evaluator: unknown, node: ExpressionNode, context: unknown) => unknown;

interface Macro {
  evaluate: (evaluator: unknown, macro: Macro, context: unknown) => unknown;
  typeCheck: (checker: TypeChecker, macro: Macro, context: unknown) => unknown;
  readonly args?: readonly unknown[];
}

interface TypeChecker {
  check(node: unknown, context: unknown): unknown;
}

interface Comprehension {
  readonly iterable: ExpressionNode;
  readonly step: ExpressionNode;
  /** False if the loop continues after an error in a step. */
  readonly errorsAreFatal?: boolean;
  /** Whether the loop continues after an iteration with this result. */
  readonly condition?: (result: boolean) => boolean;
}

export function nodesOf(root: unknown): readonly ExpressionNode[] {
  if (Array.isArray(root)) return root.flatMap(nodesOf);
  if (!isNode(root)) return [];
  const { alternate } = root.meta;
  const node = alternate?.op === 'comprehension' ? alternate : root;
  const below = node === alternate ? [loopOf(node).iterable, loopOf(node).step] : node.args;
  return [node, ...nodesOf(below)];
}

function isNode(value: unknown): value is ExpressionNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function loopOf({ args }: ExpressionNode): Comprehension {
  return args as Comprehension;
}

/** True when an expression contains a variable with this name. */
export function names(nodes: readonly ExpressionNode[], variable: string): boolean {
  return nodes.some(({ op, args }) => op === 'id' && args === variable);
}

/**
 * Renames the functions and methods that the nodes call. Call this before the expression is
 * checked.
 */
export function renameFunctions(
  nodes: readonly ExpressionNode[],
  rename: (name: string) => string,
): void {
  for (const { op, args } of nodes) {
    if ((op === 'rcall' || op === 'call') && Array.isArray(args)) args[0] = rename(String(args[0]));
  }
}

/**
 * Makes the type check treat `has(a.b)` like `a.b`, so that a field that cannot exist is also an error inside
 * of `has`. Call this before the expression is checked.
 */
export function checkPresenceTests(nodes: readonly ExpressionNode[]): void {
  for (const { op, args, meta } of nodes) {
    const { macro } = meta;
    if (op !== 'call' || !Array.isArray(args) || args[0] !== 'has' || macro === undefined) continue;
    const { typeCheck } = macro;
    macro.typeCheck = (checker, own, context) => {
      const type = typeCheck(checker, own, context);
      checker.check(own.args?.[0], context);
      return type;
    };
  }
}

/**
 * Makes every loop of an expression call `mayTake` before each step. Call this after the expression was
 * checked. A loop for which `mayTake` returns false ends: with an error if errors end this loop, otherwise
 * with a result that must be ignored.
 */
export function meterLoops(
  nodes: readonly ExpressionNode[],
  mayTake: (steps: number) => boolean,
): void {
  for (const node of nodes) {
    if (node.op !== 'comprehension') continue;
    const { step, errorsAreFatal, condition } = loopOf(node);
    const { evaluate } = step.meta;
    const cost = costOf(nodesOf(step));
    step.setMeta('evaluate', (evaluator, one, context) => {
      if (mayTake(cost)) return evaluate(evaluator, one, context);
      if (errorsAreFatal === true || condition === undefined)
        throw new RangeError('too many steps');
      return !condition(true); // `all` ends with false, `exists` with true
    });
  }
}

/** The cost of a rule without its loops: every node that is not a constant is one step. */
export function costOf(nodes: readonly ExpressionNode[]): number {
  return Math.max(nodes.filter(({ op }) => op !== 'value' && !op.startsWith('accu')).length, 1);
}
