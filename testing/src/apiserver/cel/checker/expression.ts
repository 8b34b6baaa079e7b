import type { Type } from './type.ts';

/** An expression as cel-go checks it: `Expr` of common/ast, with its macros expanded. */
export type Expression =
  | { readonly kind: 'literal'; readonly at: number; readonly type: Type; readonly value: unknown }
  | { readonly kind: 'identifier'; readonly at: number; readonly name: string }
  | Select
  | Call
  | List
  | MapLiteral
  | Struct
  | Comprehension;

export interface Select {
  readonly kind: 'select';
  /** The offset in the expression's source that an error message points to. */
  readonly at: number;
  readonly operand: Expression;
  readonly field: string;
  /** `plain` for `a.b`, `optional` for `a.?b`, `test` for `has(a.b)`. */
  readonly form: 'plain' | 'optional' | 'test';
}

export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly name: string;
  /** The object on which a method is called; undefined for a function. */
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

interface List {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly { readonly value: Expression; readonly isOptional: boolean }[];
}

interface MapLiteral {
  readonly kind: 'map';
  readonly at: number;
  readonly entries: readonly {
    readonly key: Expression;
    readonly value: Expression;
    readonly isOptional: boolean;
  }[];
}

/** An object literal: `Name{}`. */
interface Struct {
  readonly kind: 'struct';
  readonly at: number;
  readonly name: string;
}

/** A loop, to which macros such as `all` expand. */
export interface Comprehension {
  readonly kind: 'comprehension';
  readonly at: number;
  readonly range: Expression;
  readonly variables: readonly string[];
  /** The name of the variable in which the loop builds its result. */
  readonly accumulator: string;
  readonly start: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The direct children of an expression. */
export function below(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target === undefined
        ? expression.args
        : [expression.target, ...expression.args];
    case 'list':
      return expression.items.map(({ value }) => value);
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension': {
      const { range, start, condition, step, result } = expression;
      return [range, start, condition, step, result];
    }
    default:
      return [];
  }
}

/** An expression and all its descendants, each before its children. */
export function* descendants(expression: Expression): Generator<Expression, void, undefined> {
  yield expression;
  for (const one of below(expression)) yield* descendants(one);
}
