/**
 * The library passes an object to each macro. These are the members of that object that our macros use. They
 * are not part of the library's public API. The version is pinned, and tests fail when they change.
 */
import type { ExpressionNode } from './expression-tree.ts';

export interface MacroCall {
  readonly args: readonly ExpressionNode[];
  readonly receiver: unknown;
}

export interface CelType {
  readonly kind: string;
  readonly name: string;
  readonly keyType: CelType;
  readonly valueType: CelType;
}

export interface Checker {
  readonly dynType: CelType;
  readonly registry: {
    getOptionalType(type: CelType): CelType;
    getListType(type: CelType): CelType;
    getMapType(key: CelType, value: CelType): CelType;
  };
  getType(name: string): CelType;
  formatType(type: CelType): string;
  check(node: unknown, scope: Scope): CelType;
  createError(code: string, message: string, node: unknown): Error;
}

/** The variables that an expression sees. */
export interface Scope {
  forkWithVariable(name: string, type: CelType): Scope;
  reuse(scope: Scope): Scope;
  setIterValue(value: unknown, evaluator: Evaluator): Scope;
}

export interface Evaluator {
  run(node: unknown, scope: Scope): unknown;
}
