import { parse } from '@marcbachmann/cel-js';
import { type CompileProblem, syntaxProblem } from './compile-error.ts';

/**
 * An expression that is parsed but neither checked nor evaluated: an `Expr` of cel-go's
 * `common/ast`.
 */
export type Expression =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'list' | 'map' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'select'; readonly operand: Expression; readonly field: string };

/**
 * Parses an expression. Macros become plain calls.
 *
 * @throws Error for invalid syntax, with the server's message where it is known. Such a message begins with
 * `Syntax error: `.
 */
export function parseUnchecked(text: string): Expression {
  let root: Node;
  try {
    root = parse(text).ast as unknown as Node;
  } catch (error) {
    throw new Error(syntaxProblem(error as CompileProblem));
  }
  return expressionOf(root, text);
}

/** A node in the syntax tree of the CEL library. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly end: number;
}

/** Operators that do not follow cel-go's naming rule for two operands, `_+_`. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  '[]': '_[_]',
  '?:': '_?_:_',
  in: '@in',
};

function expressionOf(node: Node, text: string): Expression {
  const { op, args } = node;
  const below = (each: Node): Expression => expressionOf(each, text);
  switch (op) {
    case 'value':
      return { kind: 'literal', value: args };
    case 'id':
      return { kind: 'identifier', name: args as string };
    case 'list':
    case 'map':
      return { kind: op };
    case '.': {
      const [operand, field] = args as [Node, string];
      return { kind: 'select', operand: below(operand), field };
    }
    case 'call':
    case 'rcall': {
      const [name] = args as [string, ...unknown[]];
      // cel-go does not list the object of a method among its arguments.
      const own = (args as unknown[]).at(-1) as readonly Node[];
      requireNoComma(own, node, text);
      return { kind: 'call', name, args: own.map(below) };
    }
    case '!_':
    case '-_':
      return unary(op, below(args as Node));
    default: {
      const name = FUNCTIONS[op] ?? `_${op}_`;
      return { kind: 'call', name, args: (args as readonly Node[]).map(below) };
    }
  }
}

/**
 * Like cel-go, drops a doubled operator (`!!` or `--`), and turns a negative number into a single literal.
 */
function unary(name: string, operand: Expression): Expression {
  if (operand.kind === 'call' && operand.name === name) return operand.args[0] ?? operand;
  const isNumber = operand.kind === 'literal' && /number|bigint/.test(typeof operand.value);
  if (name === '-_' && isNumber) return operand;
  return { kind: 'call', name, args: [operand] };
}

/** Refuses a comma after the last argument. The library accepts this comma, but CEL does not. */
function requireNoComma(args: readonly Node[], { end }: Node, text: string): void {
  const last = args.at(-1);
  if (last === undefined) return;
  const behind = text.slice(last.end, end).replaceAll(/\/\/.*/g, '');
  if (!behind.includes(',')) return;
  throw new Error(
    "Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  );
}
