import { DYN, isDyn, isDynOrError, isSameType, opaque, type Type } from './type.ts';

/** A free type variable, or the parameter of a declaration. */
type Parameter = Extract<Type, { readonly kind: 'parameter' }>;

/**
 * The types that the type variables of an expression stand for. They are found by unification, as in cel-go
 * (checker/types.go, checker/mapping.go). A failed attempt changes nothing.
 */
export class Substitution {
  #types = new Map<string, Type>();

  /**
   * Whether a value of type `right` can be used where type `left` is expected. If so, binds type variables.
   */
  isAssignable(left: Type, right: Type): boolean {
    return this.#attempt(() => this.#assignable(left, right));
  }

  areAssignable(left: readonly Type[], right: readonly Type[]): boolean {
    return this.#attempt(() => this.#allAssignable(left, right));
  }

  /** @param freeToDyn - whether an unbound type variable becomes `dyn`. */
  apply(type: Type, freeToDyn: boolean): Type {
    if (type.kind === 'parameter') {
      const found = this.#types.get(type.name);
      if (found !== undefined) return this.apply(found, freeToDyn);
      return freeToDyn ? DYN : type;
    }
    if (type.kind !== 'opaque') return type;
    return opaque(type.name, ...type.parameters.map((one) => this.apply(one, freeToDyn)));
  }

  #attempt(act: () => boolean): boolean {
    const before = new Map(this.#types);
    const done = act();
    if (!done) this.#types = before;
    return done;
  }

  #allAssignable(left: readonly Type[], right: readonly Type[]): boolean {
    if (left.length !== right.length) return false;
    return left.every((one, at) => this.#assignable(one, right[at] ?? one));
  }

  #assignable(left: Type, right: Type): boolean {
    if (right.kind === 'parameter') {
      const verdict = this.#bind(right, left);
      if (verdict !== 'free') return verdict === 'fits';
    }
    if (left.kind === 'parameter') return this.#bind(left, right) === 'fits';
    if (isDynOrError(left) || isDynOrError(right)) return true;
    if (left.kind === 'null') return isNullable(right);
    if (right.kind === 'null') return isNullable(left);
    if (left.kind !== 'opaque' || right.kind !== 'opaque') return isSameType(left, right);
    if (left.name !== right.name) return false;
    return left.name === 'type' || this.#allAssignable(left.parameters, right.parameters);
  }

  /**
   * Binds a variable to a type. `free` means that the variable is unbound and cannot stand for this
   * type.
   */
  #bind(variable: Parameter, type: Type): 'fits' | 'fails' | 'free' {
    if (isSameType(variable, type)) return 'fits';
    const bound = this.#types.get(variable.name);
    if (bound === undefined) {
      if (this.#occurs(variable, type)) return 'free';
      this.#types.set(variable.name, type);
      return 'fits';
    }
    if (isSameType(type, bound)) return 'fits';
    if (!this.#assignable(type, bound)) return 'fails';
    const general = mostGeneral(type, bound);
    if (!this.#occurs(variable, general)) this.#types.set(variable.name, general);
    return 'fits';
  }

  #occurs(variable: Parameter, type: Type): boolean {
    if (isSameType(variable, type)) return true;
    if (type.kind === 'parameter') {
      const bound = this.#types.get(type.name);
      return bound !== undefined && this.#occurs(variable, bound);
    }
    return type.kind === 'opaque' && type.parameters.some((one) => this.#occurs(variable, one));
  }
}

/** The less specific of two types that fit together. */
export function mostGeneral(left: Type, right: Type): Type {
  return isLessSpecific(left, right) ? left : right;
}

function isLessSpecific(left: Type, right: Type): boolean {
  if (isDyn(left) || left.kind === 'parameter') return true;
  if (isDyn(right) || right.kind === 'parameter') return false;
  if (left.kind !== 'opaque' || right.kind !== 'opaque') return isSameType(left, right);
  if (left.name !== right.name) return false;
  if (left.name === 'type') return true;
  if (left.parameters.length !== right.parameters.length) return false;
  return left.parameters.every((one, at) => isLessSpecific(one, right.parameters[at] ?? one));
}

/**
 * Whether a type accepts null. Objects, opaque types, timestamps and durations do; lists and maps do not.
 */
function isNullable(type: Type): boolean {
  if (type.kind === 'null' || type.kind === 'object') return true;
  if (type.kind === 'simple') return type.name.startsWith('google.protobuf.');
  return type.kind === 'opaque' && !['list', 'map', 'type'].includes(type.name);
}
