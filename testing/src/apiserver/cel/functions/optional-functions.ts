import { type Environment as CelEnvironment, Optional } from '@marcbachmann/cel-js';
import type { CelType, Checker, Evaluator, MacroCall, Scope } from '../expression/macro.ts';

/**
 * Registers `optional.ofNonZeroValue`, `optMap` and `optFlatMap`, because the library does not have them.
 */
export function registerOptionalFunctions(environment: CelEnvironment): void {
  const make: Make = { of: (value) => Optional.of(value), none: () => Optional.none() };
  environment
    .registerFunction('OptionalNamespace.ofNonZeroValue(A): optional<A>', (_: unknown, value) =>
      isZero(value) ? make.none() : make.of(value),
    )
    .registerFunction('optional.optMap(ast, ast): optional<dyn>', mapping(make, false))
    .registerFunction('optional.optFlatMap(ast, ast): optional<dyn>', mapping(make, true));
}

function isZero(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) === 0;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map && value.size === 0;
}

interface Make {
  of(value: unknown): unknown;
  none(): unknown;
}

interface Held {
  hasValue(): boolean;
  value(): unknown;
}

/**
 * `a.optMap(x, f(x))`: applies the body to a value that may be absent. With `flat`, the body
 * returns an optional.
 */
function mapping({ of, none }: Make, flat: boolean): (call: MacroCall) => object {
  return ({ args: [variable, body], receiver }) => {
    let inner: Scope | undefined;
    return {
      typeCheck(checker: Checker, _: unknown, scope: Scope): CelType {
        if (variable?.op !== 'id') {
          throw checker.createError(
            'invalid_macro_argument',
            'argument must be a simple name',
            body,
          );
        }
        const held = checker.check(receiver, scope);
        const type = held.kind === 'optional' ? held.valueType : checker.dynType;
        inner = scope.forkWithVariable(String(variable.args), type);
        const made = checker.check(body, inner);
        return flat ? made : checker.registry.getOptionalType(made);
      },
      evaluate(evaluator: Evaluator, _: unknown, scope: Scope): unknown {
        const held = evaluator.run(receiver, scope) as Held;
        if (inner === undefined || !held.hasValue()) return none();
        const made = evaluator.run(body, inner.reuse(scope).setIterValue(held.value(), evaluator));
        return flat ? made : of(made);
      },
    };
  };
}
