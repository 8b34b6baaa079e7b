import type { Comprehension, Expression, Select } from './expression.ts';
import { declaredFunctions, type Overload } from './function-declarations.ts';
import { mostGeneral, Substitution } from './substitution.ts';
import {
  BOOL,
  DYN,
  ERROR,
  formatType,
  heldBy,
  INT,
  isDyn,
  isDynOrError,
  isSameType,
  listOf,
  mapOf,
  opaque,
  optionalOf,
  parseType,
  type Type,
} from './type.ts';

/** The types of the variables that an expression can use, keyed by name. */
export type Variables = ReadonlyMap<string, Type>;

/** One message of the compiler, and the offset in the expression that it points to. */
export interface Finding {
  readonly at: number;
  readonly text: string;
}

/** The result of checking an expression: its types and its errors. */
export interface Checked {
  readonly type: Type;
  readonly findings: readonly Finding[];
  typeOf(expression: Expression): Type;
}

/**
 * Checks the types of an expression as cel-go does (checker/checker.go). Checking continues after
 * an error.
 */
export function check(expression: Expression, variables: Variables): Checked {
  const checker = new Checker(variables);
  checker.check(expression);
  const typeOf = (one: Expression): Type => checker.typeOf(one);
  return { type: typeOf(expression), findings: checker.findings, typeOf };
}

/** Types whose names can be used in an expression. */
const NAMED_TYPES: ReadonlyMap<string, Type> = new Map(
  [
    'bool',
    'bytes',
    'double',
    'google.protobuf.Duration',
    'google.protobuf.Timestamp',
    'int',
    'kubernetes.URL',
    'net.CIDR',
    'net.IP',
    'optional_type',
    'string',
    'uint',
    'list(dyn)',
    'map(dyn, dyn)',
    'null',
  ].map((text) => {
    const name = text === 'null' ? 'null_type' : text.replace(/\(.*/, '');
    return [name, opaque('type', parseType(text))];
  }),
);

class Checker {
  readonly findings: Finding[] = [];
  readonly #types = new Map<Expression, Type>();
  readonly #substitution = new Substitution();
  #variables: Variables;
  #freeVariables = 0;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** The type of an expression after all type variables are resolved. */
  typeOf(expression: Expression): Type {
    return this.#substitution.apply(this.#types.get(expression) ?? ERROR, true);
  }

  check(expression: Expression): Type {
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): Type {
    switch (expression.kind) {
      case 'literal':
        return expression.type;
      case 'identifier':
        return this.#identifier(expression.name, expression.at);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#undeclared(expression.name, expression.at);
      default:
        return this.#comprehension(expression);
    }
  }

  #report(at: number, text: string): Type {
    this.findings.push({ at, text });
    return ERROR;
  }

  #undeclared(name: string, at: number): Type {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(at: number, expected: Type, found: Type): Type {
    const text = `expected type '${formatType(expected)}' but found '${formatType(found)}'`;
    return this.#report(at, text);
  }

  #identifier(name: string, at: number): Type {
    return this.#variables.get(name) ?? NAMED_TYPES.get(name) ?? this.#undeclared(name, at);
  }

  /** The type of a field, or of a dotted name that is declared as one variable. */
  #select(select: Select): Type {
    const name = qualifiedName(select);
    const named =
      name === undefined ? undefined : (this.#variables.get(name) ?? NAMED_TYPES.get(name));
    if (named !== undefined) return named;
    const operand = this.#now(this.check(select.operand));
    const field = this.#now(this.#field(heldBy(operand) ?? operand, select));
    if (select.form === 'test') return BOOL;
    const isOptional = heldBy(operand) !== undefined || select.form === 'optional';
    return isOptional ? optionalOf(field) : field;
  }

  #field(target: Type, { field, at }: Select): Type {
    if (target.kind === 'object') return target.fields.get(field) ?? this.#noField(field, at);
    if (target.kind === 'opaque' && target.name === 'map') return target.parameters[1] ?? DYN;
    if (target.kind === 'parameter') this.#substitution.isAssignable(DYN, target);
    else if (!isDynOrError(target)) {
      this.#report(at, `type '${formatType(target)}' does not support field selection`);
    }
    return DYN;
  }

  #noField(field: string, at: number): Type {
    return this.#report(at, `undefined field '${field}'`);
  }

  #now(type: Type): Type {
    return this.#substitution.apply(type, false);
  }

  #call({ name, at, target, args }: Expression & { readonly kind: 'call' }): Type {
    const types = args.map((arg) => this.check(arg));
    const functions = declaredFunctions();
    if (target === undefined) {
      const overloads = functions.get(name);
      if (overloads === undefined) return this.#undeclared(name, at);
      return this.#overload({ name, at, args, isMember: false }, overloads, types);
    }
    const prefix = qualifiedName(target);
    const whole = prefix === undefined ? '' : `${prefix}.${name}`;
    const namespaced = functions.get(whole);
    if (namespaced !== undefined) {
      return this.#overload({ name: whole, at, args, isMember: false }, namespaced, types);
    }
    const all = [this.check(target), ...types];
    const overloads = functions.get(name);
    if (overloads === undefined) return this.#undeclared(name, at);
    return this.#overload({ name, at, args, isMember: true }, overloads, all);
  }

  #overload(
    { name, at, args, isMember }: OverloadCall,
    overloads: readonly Overload[],
    types: readonly Type[],
  ): Type {
    if (name === '_&&_' || name === '_||_') return this.#logical(args, types);
    let result: Type | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== isMember) continue;
      const own = this.#instance(overload);
      if (!this.#substitution.areAssignable(types, own.args)) continue;
      const found = this.#now(own.result);
      if (result === undefined) result = found;
      else if (!isDyn(result) && !isSameType(found, result)) result = DYN;
    }
    if (result !== undefined) return result;
    const shown = types.map((type) => formatType(this.#substitution.apply(type, true)));
    const applied = isMember
      ? `${shown[0]}.(${shown.slice(1).join(', ')})`
      : `(${shown.join(', ')})`;
    return this.#report(at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  #logical(args: readonly Expression[], types: readonly Type[]): Type {
    let result: Type = BOOL;
    for (const [index, type] of types.entries()) {
      if (this.#substitution.isAssignable(type, BOOL)) continue;
      result = this.#mismatch(args[index]?.at ?? 0, BOOL, type);
    }
    return result;
  }

  /** An overload in which fresh type variables replace the type parameters. */
  #instance({ parameters, args, result }: Overload): Pick<Overload, 'args' | 'result'> {
    if (parameters.size === 0) return { args, result };
    const own = new Map(Array.from(parameters, (name) => [name, this.#free()]));
    return { args: args.map((arg) => replaced(arg, own)), result: replaced(result, own) };
  }

  #free(): Type {
    return { kind: 'parameter', name: `_var${this.#freeVariables++}` };
  }

  #list({ items }: Expression & { readonly kind: 'list' }): Type {
    let joined: Type | undefined;
    for (const { value, isOptional } of items) {
      const type = this.#held(value, isOptional);
      joined = this.#joined(joined, type);
    }
    return listOf(joined ?? this.#free());
  }

  #map({ entries }: Expression & { readonly kind: 'map' }): Type {
    let keys: Type | undefined;
    let values: Type | undefined;
    for (const { key, value, isOptional } of entries) {
      keys = this.#joined(keys, this.check(key));
      values = this.#joined(values, this.#held(value, isOptional));
    }
    return mapOf(keys ?? this.#free(), values ?? this.#free());
  }

  /** The type of an item. For an item that is marked with `?`, the type of the value inside the optional. */
  #held(value: Expression, isOptional: boolean): Type {
    const type = this.check(value);
    if (!isOptional) return type;
    const held = heldBy(type);
    if (held === undefined && !isDyn(type)) this.#mismatch(value.at, optionalOf(type), type);
    return held ?? type;
  }

  /**
   * The common type of two items; `dyn` if there is none. The validators later refuse lists of such items.
   */
  #joined(before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    return this.#substitution.isAssignable(before, type) ? mostGeneral(before, type) : DYN;
  }

  #comprehension(loop: Comprehension): Type {
    const range = this.#now(this.check(loop.range));
    const start = this.check(loop.start);
    const outer = this.#variables;
    const around = new Map([...outer, [loop.accumulator, start]]);
    const items = this.#itemTypes(range, loop);
    const own = loop.variables.map((name, index) => [name, items[index] ?? ERROR] as const);
    this.#variables = new Map([...around, ...own]);
    this.#mustBe(BOOL, loop.condition);
    this.#mustBe(start, loop.step);
    this.#variables = around;
    const result = this.check(loop.result);
    this.#variables = outer;
    return this.#now(result);
  }

  #mustBe(wanted: Type, expression: Expression): void {
    const type = this.check(expression);
    if (!this.#substitution.isAssignable(wanted, type)) this.#mismatch(expression.at, wanted, type);
  }

  /**
   * The types of a loop's variables. A single variable holds the item of a list or the key of a map. Of two
   * variables, the first holds the index or key, and the second holds the item or value.
   */
  #itemTypes(range: Type, { range: { at }, variables }: Comprehension): readonly Type[] {
    const isPair = variables.length === 2;
    if (range.kind === 'opaque' && range.name === 'map') return range.parameters;
    if (range.kind === 'opaque' && range.name === 'list') {
      return isPair ? [INT, ...range.parameters] : range.parameters;
    }
    if (isDynOrError(range) || range.kind === 'parameter') {
      this.#substitution.isAssignable(DYN, range);
      return [DYN, DYN];
    }
    const text = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    this.#report(at, text);
    return [ERROR, ERROR];
  }
}

interface OverloadCall {
  readonly name: string;
  readonly at: number;
  readonly args: readonly Expression[];
  readonly isMember: boolean;
}

/**
 * The name of an expression such as `a.b.c` that consists only of names. Undefined for any other
 * expression.
 */
function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.form !== 'plain') return undefined;
  const before = qualifiedName(expression.operand);
  return before === undefined ? undefined : `${before}.${expression.field}`;
}

function replaced(type: Type, parameters: ReadonlyMap<string, Type>): Type {
  if (type.kind === 'parameter') return parameters.get(type.name) ?? type;
  if (type.kind !== 'opaque') return type;
  return opaque(type.name, ...type.parameters.map((one) => replaced(one, parameters)));
}
