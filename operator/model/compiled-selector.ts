import { int64Of, type Requirement, type Selector } from './requirement.ts';

/**
 * A selector with many requirements or values, prepared so that many objects can be compared with it quickly.
 * A user can write a selector with 100,000 values, and comparing all objects of a namespace with each value
 * would take minutes. With a prepared selector, the time depends on the labels of an object, not on the size
 * of the selector.
 */
export interface CompiledSelector {
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
}

/** All requirements of a selector for one key. */
interface KeyRules {
  mustExist: boolean;
  mustBeAbsent: boolean;
  /** The allowed values. Undefined if any value is allowed. */
  allowed: ReadonlySet<string> | undefined;
  readonly denied: Set<string>;
  /** The largest lower bound of the value; `below` is the smallest upper bound. */
  above: bigint | undefined;
  below: bigint | undefined;
}

/**
 * If a selector has at most this number of requirements and values in total, it is not prepared, and they are
 * compared one by one.
 */
const FEW = 32;

/** Prepared selectors. Selectors are read-only, and the same selector is used for many objects. */
const COMPILED = new WeakMap<Selector, CompiledSelector>();

/** The prepared selector. Undefined for a selector with few requirements and values. */
export function compiledSelector(selector: Selector): CompiledSelector | undefined {
  if (!isLarge(selector)) return undefined;
  let compiled = COMPILED.get(selector);
  if (compiled === undefined) {
    compiled = compile(selector);
    COMPILED.set(selector, compiled);
  }
  return compiled;
}

function isLarge(selector: Selector): boolean {
  let parts = selector.length;
  for (const { values } of selector) {
    parts += values.length;
    if (parts > FEW) return true;
  }
  return parts > FEW;
}

function compile(selector: Selector): CompiledSelector {
  const byKey = new Map<string, KeyRules>();
  for (const requirement of selector) {
    const rules = byKey.get(requirement.key) ?? {
      mustExist: false,
      mustBeAbsent: false,
      allowed: undefined,
      denied: new Set(),
      above: undefined,
      below: undefined,
    };
    byKey.set(requirement.key, rules);
    add(rules, requirement);
  }
  const needed = [...byKey.values()].filter(({ mustExist }) => mustExist).length;
  return {
    matches(labels) {
      let found = 0;
      for (const [key, value] of Object.entries(labels)) {
        const rules = byKey.get(key);
        if (rules === undefined) continue;
        if (!holds(rules, value)) return false;
        if (rules.mustExist) found++;
      }
      return found === needed;
    },
  };
}

function add(rules: KeyRules, { operator, values }: Requirement): void {
  if (operator === 'absent') rules.mustBeAbsent = true;
  else if (operator === 'notin') for (const value of values) rules.denied.add(value);
  else rules.mustExist = true;
  const { allowed, above, below } = rules;
  if (operator === 'in') {
    const both = values.filter((value) => allowed?.has(value) !== false);
    rules.allowed = new Set(both);
  }
  if (operator !== 'above' && operator !== 'below') return;
  const bound = int64Of(values[0] ?? '');
  if (bound === undefined)
    rules.allowed = new Set(); // no number is above or below this bound
  else if (operator === 'above') rules.above = above !== undefined && above > bound ? above : bound;
  else rules.below = below !== undefined && below < bound ? below : bound;
}

function holds({ mustBeAbsent, allowed, denied, above, below }: KeyRules, value: string): boolean {
  if (mustBeAbsent || denied.has(value) || allowed?.has(value) === false) return false;
  if (above === undefined && below === undefined) return true;
  const number = int64Of(value);
  if (number === undefined) return false;
  return (above === undefined || number > above) && (below === undefined || number < below);
}
