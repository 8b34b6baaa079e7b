import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { type CompileProblem, compileErrorText } from './compile-error.ts';
import type { DeclaredSize } from './cost/declared-size.ts';
import { maxCostOf } from './cost/expression-cost.ts';
import {
  checkPresenceTests,
  costOf,
  type ExpressionNode,
  meterLoops,
  names,
  nodesOf,
  renameMethod,
} from './expression/expression-tree.ts';
import { refuseForeign } from './expression/foreign-functions.ts';
import { RE2_MATCHES } from './functions/regex-functions.ts';
import type { Budget } from './runtime/budget.ts';
import { meterCalls } from './runtime/call-meter.ts';

/** A compiled expression. */
export interface Program {
  /** True when it looks at the state before. */
  readonly usesOldSelf: boolean;
  /** What it costs at most for the largest value of this size. */
  maxCost(declared: DeclaredSize): number;
  /** @throws whatever goes wrong; when the budget is exhausted, the result does not count. */
  run(variables: Readonly<Record<string, unknown>>, budget: Budget): unknown;
}

/** Why an expression is none. */
export interface Rejection {
  readonly rejected: string;
}

/**
 * Compiles an expression that must have the type `wanted`; `dyn` is any type.
 *
 * @param what - how the server begins its complaint: `compilation failed`.
 */
export function compile(
  environment: CelEnvironment,
  expression: string,
  wanted: 'bool' | 'string' | 'dyn',
  what: string,
): Program | Rejection {
  try {
    const parsed = environment.parse(expression);
    const nodes = nodesOf(parsed.ast);
    renameMethod(nodes, 'matches', RE2_MATCHES);
    checkPresenceTests(nodes);
    const checked = parsed.check();
    if (!checked.valid) throw checked.error;
    refuseForeign(nodesOf(parsed.ast));
    if (wanted !== 'dyn' && checked.type !== wanted && checked.type !== 'dyn') {
      return { rejected: wrongType(wanted) };
    }
    meterCalls(nodesOf(parsed.ast));
    let current: Budget | undefined;
    meterLoops(nodesOf(parsed.ast), (steps) => current?.spend(steps) ?? false);
    const cost = costOf(nodes);
    return {
      usesOldSelf: names(nodes, 'oldSelf'),
      maxCost: (declared) => maxCostOf(parsed.ast as unknown as ExpressionNode, declared),
      run(variables, budget) {
        current = budget;
        return budget.spend(cost) ? budget.run(() => parsed(variables)) : undefined;
      },
    };
  } catch (error) {
    return { rejected: `${what}: ${compileErrorText(expression, error as CompileProblem)}` };
  }
}

function wrongType(wanted: 'bool' | 'string'): string {
  return wanted === 'bool'
    ? 'cel expression must evaluate to a bool'
    : 'messageExpression must evaluate to a string';
}
