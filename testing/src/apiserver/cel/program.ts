import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { type Checked, check, type Finding, type Variables } from './checker/check.ts';
import type { Expression } from './checker/expression.ts';
import { MacroError } from './checker/macros.ts';
import { ExpressionReader, type ParsedNode } from './checker/read-expression.ts';
import { formatType } from './checker/type.ts';
import { validate } from './checker/validate.ts';
import { type CompileProblem, compileErrorText, findingsText } from './compile-error.ts';
import { constantProblem, converts } from './constants.ts';
import type { DeclaredSize } from './cost/declared-size.ts';
import { maxCostOf } from './cost/expression-cost.ts';
import {
  checkPresenceTests,
  costOf,
  type ExpressionNode,
  meterLoops,
  names,
  nodesOf,
  renameFunctions,
} from './expression/expression-tree.ts';
import { refuseForeign } from './expression/foreign-functions.ts';
import { maskOptionalItems, restoreOptionalItems } from './expression/optional-items.ts';
import { ownName, REPLACED } from './expression/own-names.ts';
import type { Budget } from './runtime/budget.ts';
import { meterCalls } from './runtime/call-meter.ts';

/** A compiled expression. */
export interface Program {
  /** True if the expression uses the previous state (`oldSelf`). */
  readonly usesOldSelf: boolean;
  /** The maximum cost of the expression for values of the declared size. */
  maxCost(declared: DeclaredSize): number;
  /**
   * @throws Error of any kind when the evaluation fails. If the budget is exhausted, the result
   * must be ignored.
   */
  run(variables: Readonly<Record<string, unknown>>, budget: Budget): unknown;
}

/** The result for an expression that cannot be compiled. */
export interface Rejection {
  readonly rejected: string;
}

/** The environment and variables of an expression. */
export interface CelScope {
  readonly environment: CelEnvironment;
  /** The types of the variables. If undefined, only the library that evaluates expressions checks types. */
  readonly variables: Variables | undefined;
  /** Returns the message for an expression whose type is not the wanted type. */
  wrongType(wanted: 'bool' | 'string', found: string): string;
}

type Wanted = 'bool' | 'string' | 'dyn';

/**
 * Compiles an expression, which must have the type `wanted`. `dyn` allows any type.
 *
 * @param what - the beginning of the server's error message, such as `compilation failed`.
 */
export function compile(
  scope: CelScope,
  expression: string,
  wanted: Wanted,
  what: string,
): Program | Rejection {
  try {
    const { environment } = scope;
    const { text, marks } = maskOptionalItems(expression);
    const parsed = environment.parse(text);
    const optionals = restoreOptionalItems(parsed.ast, marks);
    const rejected = rejectionOf(scope, expression, parsed.ast, optionals, wanted, what);
    if (rejected !== undefined) return { rejected };
    const nodes = nodesOf(parsed.ast);
    renameFunctions(nodes, (name) => (REPLACED.has(name) ? ownName(name) : name));
    checkPresenceTests(nodes);
    const checked = parsed.check();
    if (!checked.valid) throw checked.error;
    refuseForeign(nodesOf(parsed.ast));
    if (wanted !== 'dyn' && checked.type !== wanted && checked.type !== 'dyn') {
      return { rejected: scope.wrongType(wanted, checked.type ?? 'dyn') };
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

/** The server's compile error for a parsed expression; undefined if it compiles. */
function rejectionOf(
  { environment, variables, wrongType }: CelScope,
  expression: string,
  root: unknown,
  optionals: ReadonlySet<ParsedNode>,
  wanted: Wanted,
  what: string,
): string | undefined {
  if (variables === undefined) return undefined;
  let tree: Expression;
  try {
    tree = new ExpressionReader(expression, optionals).read(root as ParsedNode);
  } catch (error) {
    if (!(error instanceof MacroError)) throw error;
    return `${what}: ${findingsText(expression, [{ at: error.at, text: error.message }])}`;
  }
  const checked = check(tree, variables);
  const findings = findingsOf(environment, tree, checked);
  if (findings.length > 0) return `${what}: ${findingsText(expression, findings)}`;
  const found = formatType(checked.type);
  if (wanted !== 'dyn' && found !== wanted) return wrongType(wanted, found);
  const problem = constantProblem(environment, tree);
  return (
    problem && `${what.replace(/compilation failed$/, 'program instantiation failed')}: ${problem}`
  );
}

/** The findings of the type check. If there are none, the findings of the validators. */
function findingsOf(
  environment: CelEnvironment,
  tree: Expression,
  checked: Checked,
): readonly Finding[] {
  if (checked.findings.length > 0) return checked.findings;
  return validate(tree, checked, (name, value) => converts(environment, name, value));
}
