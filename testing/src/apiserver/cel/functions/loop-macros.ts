import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { costOf, type ExpressionNode, nodesOf } from '../expression/expression-tree.ts';
import type { CelType, Checker, Evaluator, MacroCall, Scope } from '../expression/macro.ts';
import { Budget } from '../runtime/budget.ts';
import { celEquals } from '../runtime/value-equality.ts';
import { sortedBy } from './list-extension.ts';

/** A loop macro: its name, its variables, and how it makes its result. */
interface Loop {
  readonly name: string;
  readonly variables: 1 | 2;
  /** True if a condition follows the variables. */
  readonly hasFilter?: boolean;
  typeOf(checker: Checker, body: Body): CelType;
  /**
   * @param steps - the iterations. They share their variables, so call `value()` of each step before you take
   * the next one.
   */
  run(steps: Iterable<Step>): unknown;
}

interface Body {
  readonly key: CelType;
  readonly type: CelType;
  readonly node: ExpressionNode;
}

/** One item, and the value of the loop's body for this item. */
interface Step {
  readonly key: unknown;
  readonly item: unknown;
  value(): unknown;
}

/**
 * The macros of cel-go with two variables (`TwoVarComprehensions`, in Kubernetes since 1.32), the macro
 * `existsOne`, and the macro `sortBy` of cel-go's list extension. Each step of a loop is charged to the
 * budget.
 */
export function registerLoopMacros(environment: CelEnvironment): void {
  for (const loop of LOOPS) {
    const args = Array.from({ length: loop.variables + (loop.hasFilter ? 2 : 1) }, () => 'ast');
    environment.registerFunction(`list.${loop.name}(${args.join(', ')}): dyn`, macro(loop));
  }
}

const bool =
  (operator: string, before: string) =>
  (checker: Checker, { type, node }: Body): CelType => {
    if (type.kind !== 'dyn' && type.name !== 'bool') {
      const text = `found no matching overload for '${operator}' applied to '(${before.replace('?', type.name)})'`;
      throw checker.createError('invalid_predicate', text, node);
    }
    return checker.getType('bool');
  };

const existsOne = (name: string): Loop => ({
  name,
  variables: 2,
  typeOf: bool('_?_:_', '?, int, int'),
  run: (steps) =>
    Array.from(steps, (step) => step.value()).filter((value) => value === true).length === 1,
});

const transforms = (hasFilter: boolean): readonly Loop[] => [
  {
    name: 'transformList',
    variables: 2,
    hasFilter,
    typeOf: (checker, { type }) => checker.registry.getListType(type),
    run: (steps) => Array.from(steps, (step) => step.value()),
  },
  {
    name: 'transformMap',
    variables: 2,
    hasFilter,
    typeOf: (checker, { key, type }) => checker.registry.getMapType(key, type),
    run: (steps) => made(Array.from(steps, (step) => [step.key, step.value()] as const)),
  },
  {
    name: 'transformMapEntry',
    variables: 2,
    hasFilter,
    typeOf: (checker, { type, node }) => {
      if (type.kind === 'map' || type.kind === 'dyn') return type;
      const text = `found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), ${type.name})'`;
      throw checker.createError('invalid_entry', text, node);
    },
    run: (steps) => made(Array.from(steps, (step) => entriesOf(step.value())).flat()),
  },
];

const LOOPS: readonly Loop[] = [
  {
    name: 'all',
    variables: 2,
    typeOf: bool('_&&_', 'bool, ?'),
    run: (steps) => quantified(steps, false),
  },
  {
    name: 'exists',
    variables: 2,
    typeOf: bool('_||_', 'bool, ?'),
    run: (steps) => quantified(steps, true),
  },
  existsOne('existsOne'),
  existsOne('exists_one'),
  ...transforms(false),
  ...transforms(true),
  {
    name: 'sortBy',
    variables: 1,
    typeOf: (checker, { key }) => checker.registry.getListType(key),
    run(steps) {
      const all = Array.from(steps, (step) => ({ item: step.item, key: step.value() }));
      Budget.charge(2 * all.length ** 2); // each key is compared with every other key
      return sortedBy(
        all.map(({ item }) => item),
        all.map(({ key }) => key),
      );
    },
  },
];

/**
 * The first item with the value `decisive` decides. If there is none, an error of any item is
 * thrown.
 */
function quantified(steps: Iterable<Step>, decisive: boolean): boolean {
  let problem: unknown;
  for (const step of steps) {
    try {
      if (step.value() === decisive) return decisive;
    } catch (error) {
      if (error instanceof RangeError) throw error; // the budget is exhausted
      problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  return !decisive;
}

function macro(loop: Loop): (call: MacroCall) => object {
  return ({ args, receiver }) => {
    const names = args.slice(0, loop.variables);
    const bodies = args.slice(loop.variables);
    const body = bodies.at(-1) as ExpressionNode;
    const filter = loop.hasFilter ? bodies[0] : undefined;
    const scopes: Scope[] = [];
    const stepCost = costOf(nodesOf(bodies));
    return {
      typeCheck(checker: Checker, _: unknown, scope: Scope): CelType {
        requireNames(checker, names);
        const { key, value } = entryTypes(checker, receiver, scope);
        scopes.length = 0;
        const single = checker.check(receiver, scope).kind === 'map' ? key : value;
        const types = loop.variables === 2 ? [key, value] : [single];
        for (const [index, name] of names.entries()) {
          const outer = scopes.at(-1) ?? scope;
          scopes.push(outer.forkWithVariable(String(name.args), types[index] ?? checker.dynType));
        }
        const inner = scopes.at(-1) ?? scope;
        if (filter !== undefined) {
          bool('_?_:_', '?, dyn, dyn')(checker, {
            key,
            type: checker.check(filter, inner),
            node: filter,
          });
        }
        const kept = loop.variables === 2 ? key : single;
        return loop.typeOf(checker, { key: kept, type: checker.check(body, inner), node: body });
      },
      evaluate(evaluator: Evaluator, _: unknown, scope: Scope): unknown {
        const range = evaluator.run(receiver, scope);
        // In every macro with one variable, the variable holds the key when the range is a map.
        const isByKey = loop.variables === 1 && !Array.isArray(range);
        return loop.run(stepsOf(entriesOf(range)));

        function* stepsOf(all: readonly (readonly [unknown, unknown])[]): Generator<Step> {
          for (const [key, item] of all) {
            Budget.charge(stepCost);
            const values = loop.variables === 2 ? [key, item] : [isByKey ? key : item];
            const inner = scopes.reduce(
              (outer, own, index) => own.reuse(outer).setIterValue(values[index], evaluator),
              scope,
            );
            if (filter !== undefined && evaluator.run(filter, inner) !== true) continue;
            yield { key, item, value: () => evaluator.run(body, inner) };
          }
        }
      },
    };
  };
}

function requireNames(checker: Checker, names: readonly ExpressionNode[]): void {
  const [first, second] = names;
  for (const name of names) {
    if (name.op !== 'id') {
      throw checker.createError('invalid_macro_argument', 'argument must be a simple name', name);
    }
  }
  if (second === undefined || first?.args !== second.args) return;
  const text = `duplicate variable name: ${String(second.args)}`;
  throw checker.createError('invalid_macro_argument', text, second);
}

/** The types of a range's keys and values. The keys of a list are its indexes. */
function entryTypes(
  checker: Checker,
  receiver: unknown,
  scope: Scope,
): { readonly key: CelType; readonly value: CelType } {
  const range = checker.check(receiver, scope);
  if (range.kind === 'dyn') return { key: range, value: range };
  if (range.kind === 'list') return { key: checker.getType('int'), value: range.valueType };
  if (range.kind === 'map') return { key: range.keyType, value: range.valueType };
  throw checker.createError(
    'invalid_comprehension_range',
    `expression of type '${checker.formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    receiver,
  );
}

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [BigInt(index), item] as const);
  if (value instanceof Map) return [...value];
  if (typeof value === 'object' && value !== null) return Object.entries(value);
  throw new Error('the range of a comprehension must be a list, a map, or dynamic');
}

/**
 * Makes a map from the given entries.
 * @throws Error when two entries have the same key.
 */
function made(entries: readonly (readonly [unknown, unknown])[]): Map<unknown, unknown> {
  const map = new Map<unknown, unknown>();
  for (const [key, value] of entries) {
    if (
      map.has(key) ||
      (typeof key === 'number' && [...map.keys()].some((one) => celEquals(one, key)))
    ) {
      throw new Error(`insert failed: key ${String(key)} already exists`);
    }
    map.set(key, value);
  }
  return map;
}
