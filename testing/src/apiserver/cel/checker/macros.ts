import type { Comprehension, Expression } from './expression.ts';
import { BOOL, INT } from './type.ts';

/** A call in an expression. It may be a call of a macro. */
export interface MacroCall {
  readonly name: string;
  readonly at: number;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** An error in the argument of a macro. */
export class MacroError extends Error {
  override readonly name = 'MacroError';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** The variable that holds the result of a loop. The source of an expression cannot use it. */
const RESULT = '@result';

type Expand = (call: MacroCall & { readonly target: Expression }) => Expression;

/**
 * The loop that a macro expands to; undefined for a call of a function. The macros are those of
 * cel-go: parser/macro.go, ext/comprehensions.go, ext/lists.go and the optional types of
 * cel/library.go.
 *
 * @throws MacroError for an argument that the macro does not accept.
 */
export function expandMacro(call: MacroCall): Expression | undefined {
  const { name, target, args } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? presence(call) : undefined;
  const key = `${name}/${args.length}`;
  const expand = Object.hasOwn(MACROS, key) ? MACROS[key] : undefined;
  return expand?.({ ...call, target });
}

function presence({ at, args }: MacroCall): Expression {
  const [field] = args;
  if (field?.kind === 'select' && field.form !== 'test') return { ...field, at, form: 'test' };
  throw new MacroError('invalid argument to has() macro', field?.at ?? at);
}

const MACROS: Readonly<Record<string, Expand>> = {
  'all/2': quantifier(1, '_&&_'),
  'all/3': quantifier(2, '_&&_'),
  'exists/2': quantifier(1, '_||_'),
  'exists/3': quantifier(2, '_||_'),
  'exists_one/2': counter(1),
  'exists_one/3': counter(2),
  'existsOne/3': counter(2),
  'filter/2': filter,
  'map/2': lister(1, false),
  'map/3': lister(1, true),
  'transformList/3': lister(2, false),
  'transformList/4': lister(2, true),
  'transformMap/3': mapper(false),
  'transformMap/4': mapper(true),
  'transformMapEntry/3': entryMapper(false),
  'transformMapEntry/4': entryMapper(true),
  'optMap/2': optional(true),
  'optFlatMap/2': optional(false),
  'sortBy/2': sorter,
};

function quantifier(count: 1 | 2, operator: '_&&_' | '_||_'): Expand {
  const isAll = operator === '_&&_';
  return (call) => {
    const { at, args } = call;
    const result = identifier(RESULT, at);
    return loop(call, count, {
      start: truth(isAll, at),
      step: invoke(operator, at, [result, body(args, count)]),
      result,
    });
  };
}

function counter(count: 1 | 2): Expand {
  return (call) => {
    const { at, args } = call;
    const result = identifier(RESULT, at);
    const more = invoke('_+_', at, [result, number(1n, at)]);
    return loop(call, count, {
      start: number(0n, at),
      step: invoke('_?_:_', at, [body(args, count), more, result]),
      result: invoke('_==_', at, [result, number(1n, at)]),
    });
  };
}

function filter(call: Parameters<Expand>[0]): Expression {
  const { at, args } = call;
  const result = identifier(RESULT, at);
  const kept = list([args[0] ?? result], at);
  const more = invoke('_+_', at, [result, kept]);
  return loop(call, 1, {
    start: list([], at),
    step: invoke('_?_:_', at, [body(args, 1), more, result]),
    result,
  });
}

/**
 * Returns the expansion of a macro into a loop that builds a list. With `hasFilter`, the argument before the
 * last one is a condition.
 */
function lister(count: 1 | 2, hasFilter: boolean): Expand {
  return (call) => {
    const { at, args } = call;
    const result = identifier(RESULT, at);
    const made = list([args.at(-1) ?? result], at);
    const more = invoke('_+_', at, [result, made]);
    const step = hasFilter ? invoke('_?_:_', at, [body(args, count), more, result]) : more;
    return loop(call, count, { start: list([], at), step, result });
  };
}

function mapper(hasFilter: boolean): Expand {
  return (call) => inserting(call, hasFilter, (key, value) => [key, value]);
}

function entryMapper(hasFilter: boolean): Expand {
  return (call) => inserting(call, hasFilter, (_, value) => [value]);
}

function inserting(
  call: Parameters<Expand>[0],
  hasFilter: boolean,
  inserted: (key: Expression, value: Expression) => readonly Expression[],
): Expression {
  const { at, args } = call;
  const result = identifier(RESULT, at);
  const entry = inserted(args[0] ?? result, args.at(-1) ?? result);
  const more = invoke('cel.@mapInsert', at, [result, ...entry]);
  const step = hasFilter ? invoke('_?_:_', at, [body(args, 2), more, result]) : more;
  return loop(call, 2, { start: { kind: 'map', at, entries: [] }, step, result });
}

function optional(isWrapped: boolean): Expand {
  return ({ name, at, target, args }) => {
    const [variable, made] = args;
    if (variable?.kind !== 'identifier' || made === undefined) {
      const text = `${name}() variable name must be a simple identifier`;
      throw new MacroError(text, variable?.at ?? at);
    }
    const held = invoke('value', at, [], target);
    const bound = bind(variable.name, held, made, at);
    return invoke('_?_:_', at, [
      invoke('hasValue', at, [], target),
      isWrapped ? invoke('optional.of', at, [bound]) : bound,
      invoke('optional.none', at, []),
    ]);
  };
}

/**
 * Expands `sortBy`: binds the list to a name, computes the sort key of each item, and sorts the items by
 * their keys.
 */
function sorter({ at, target, args }: Parameters<Expand>[0]): Expression {
  const input = identifier('@__sortBy_input__', at);
  const expand = lister(1, false);
  const keys = expand({ name: 'map', at, target: input, args });
  const sorted = invoke('@sortByAssociatedKeys', at, [keys], input);
  return bind('@__sortBy_input__', target, sorted, at);
}

/** Returns an expression that binds a name to a value. Like in cel-go, it is a loop without iterations. */
function bind(name: string, value: Expression, result: Expression, at: number): Comprehension {
  return {
    kind: 'comprehension',
    at,
    range: list([], at),
    variables: ['#unused'],
    accumulator: name,
    start: value,
    condition: truth(false, at),
    step: identifier(name, at),
    result,
  };
}

function loop(
  { at, target, args }: Parameters<Expand>[0],
  count: 1 | 2,
  parts: Pick<Comprehension, 'start' | 'step' | 'result'>,
): Comprehension {
  const variables = args.slice(0, count).map((variable) => {
    if (variable.kind !== 'identifier') throw notSimple(variable, at);
    return variable.name;
  });
  const [first, second] = variables;
  if (first === second) {
    throw new MacroError(`duplicate variable name: ${first}`, args[1]?.at ?? at);
  }
  return {
    kind: 'comprehension',
    at,
    range: target,
    variables,
    accumulator: RESULT,
    condition: truth(true, at),
    ...parts,
  };
}

/** Returns the argument that follows the variables of a macro. */
function body(args: readonly Expression[], count: number): Expression {
  return args[count] ?? { kind: 'list', at: 0, items: [] };
}

function notSimple(variable: Expression | undefined, at: number): MacroError {
  return new MacroError('argument must be a simple name', variable?.at ?? at);
}

function identifier(name: string, at: number): Expression {
  return { kind: 'identifier', at, name };
}

function truth(value: boolean, at: number): Expression {
  return { kind: 'literal', at, type: BOOL, value };
}

function number(value: bigint, at: number): Expression {
  return { kind: 'literal', at, type: INT, value };
}

function list(values: readonly Expression[], at: number): Expression {
  return { kind: 'list', at, items: values.map((value) => ({ value, isOptional: false })) };
}

function invoke(
  name: string,
  at: number,
  args: readonly Expression[],
  target?: Expression,
): Expression {
  return { kind: 'call', at, name, args, target };
}
