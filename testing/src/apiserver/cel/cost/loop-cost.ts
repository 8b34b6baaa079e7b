import type { ExpressionNode } from '../expression/expression-tree.ts';

/** The cost of making a list or a map (cel-go: ListCreateBaseCost and MapCreateBaseCost). */
export const NEW_LIST = 10;
export const NEW_MAP = 30;

/**
 * The cost of one iteration, and the cost of the loop's result, for macros that do not make a list or map.
 * The expression that the macro evaluates in each iteration is not included.
 */
export const QUANTIFIERS: Readonly<
  Record<string, { readonly step: number; readonly result: number }>
> = {
  all: { step: 3, result: 1 },
  exists: { step: 4, result: 1 },
  exists_one: { step: 2, result: 2 },
  existsOne: { step: 2, result: 2 },
};

/**
 * The cost of the start value, and the cost of one iteration, for macros that make a list or map. The
 * expression that the macro evaluates in each iteration is not included.
 */
export const TRANSFORMS: Readonly<
  Record<string, { readonly start: number; readonly step: number }>
> = {
  transformList: { start: NEW_LIST, step: 2 + NEW_LIST },
  transformMap: { start: NEW_MAP, step: 3 },
  transformMapEntry: { start: NEW_MAP, step: 2 },
  sortBy: { start: NEW_LIST, step: 2 + NEW_LIST },
};

/**
 * Macros that this package implements, because the library lacks them or lacks their variant with two
 * variables. They do not become loops of the library.
 */
export const OWN_LOOPS: ReadonlySet<string> = new Set([
  ...Object.keys(QUANTIFIERS),
  ...Object.keys(TRANSFORMS),
]);

/**
 * The variables of a macro, and the expressions that it evaluates for each item. The first of these
 * expressions may be a filter.
 */
export function partsOf(
  name: string,
  args: readonly ExpressionNode[],
): { readonly variables: readonly ExpressionNode[]; readonly bodies: readonly ExpressionNode[] } {
  const count = args.length > 2 && name !== 'sortBy' ? 2 : 1;
  return { variables: args.slice(0, count), bodies: args.slice(count) };
}
