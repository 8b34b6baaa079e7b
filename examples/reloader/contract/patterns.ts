/**
 * Named lists: the value of a `…/reload` annotation → which names it means.
 *
 * A comma splits the value, also inside a pattern. Each entry is trimmed and compiled as `^` + entry + `$` in
 * the syntax of RE2, without a group around it. The search is not anchored beyond that: `a|b` means names that
 * begin with a, or end in b, as `regexp.MatchString` of Go finds them.
 */
import { RE2JS } from 're2js';

/** Entries of one list. More are a problem, and the first ones count. */
export const MAX_ENTRIES = 256;

/** Characters of one entry. A name has at most 253. */
export const MAX_ENTRY_CHARACTERS = 512;

/**
 * Characters of an entry times the repetitions that it counts out: `[a-z]{10}` has 9 × 10. RE2 is linear in
 * the length of the name, but a counted repetition is copied so many times into the program. At this bound the
 * slowest patterns that were tried take 10 ms for the longest name; without it, one entry takes 300 MB.
 */
export const MAX_ENTRY_COST = 4_096;

/** A compiled list. */
export interface NamedList {
  /** True when an entry that can be used matches `name`. */
  matches(name: string): boolean;
  /** Entries that are names themselves, in the order of the list. A dot in them is also a pattern. */
  readonly names: readonly string[];
  /** Why some entries cannot be used; they match nothing, and the others count. */
  readonly problems: readonly string[];
}

/** The list of an absent annotation. */
export const EMPTY_LIST: NamedList = { matches: () => false, names: [], problems: [] };

/** Compiled once: every reconcile asks for the same few lists. */
const COMPILED = new Map<string, NamedList>();
/** Bounds of that cache. When one is reached, it begins anew: values come from users, in any number. */
const MAX_LISTS = 1_000;
const MAX_EXPRESSIONS = 5_000;
let expressionsCached = 0;

/** The list of a value. The same value gives the same object, until the cache begins anew. */
export function namedList(value: string): NamedList {
  const known = COMPILED.get(value);
  if (known !== undefined) return known;
  const { list, expressionCount } = compileList(value);
  if (COMPILED.size >= MAX_LISTS || expressionsCached + expressionCount > MAX_EXPRESSIONS) {
    COMPILED.clear();
    expressionsCached = 0;
  }
  COMPILED.set(value, list);
  expressionsCached += expressionCount;
  return list;
}

/** An entry without special characters is compared, not compiled. */
const LITERAL = /^[-a-z0-9]+$/;
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

function compileList(value: string): { list: NamedList; expressionCount: number } {
  const written = value.split(',').map((entry) => entry.trim());
  const all = [...new Set(written)].filter((entry) => entry !== '');
  const entries = all.slice(0, MAX_ENTRIES);
  const problems: string[] = [];
  const literals = new Set<string>();
  const expressions: RE2JS[] = [];
  for (const entry of entries) {
    const compiled = LITERAL.test(entry) ? literals.add(entry) : compileEntry(entry);
    if (compiled instanceof RE2JS) expressions.push(compiled);
    else if (typeof compiled === 'string') problems.push(compiled);
  }
  if (all.length > MAX_ENTRIES) {
    problems.push(`has ${all.length} entries: only the first ${MAX_ENTRIES} count`);
  }
  const list: NamedList = {
    matches: (name) =>
      literals.has(name) || expressions.some((expression) => expression.test(name)),
    names: entries.filter((entry) => NAME.test(entry)),
    problems,
  };
  return { list, expressionCount: expressions.length };
}

/** The expression, or why there is none. */
function compileEntry(entry: string): RE2JS | string {
  if (entry.length > MAX_ENTRY_CHARACTERS) {
    return `has a pattern of ${entry.length} characters, more than ${MAX_ENTRY_CHARACTERS}: ${quoted(entry)}`;
  }
  if (costOf(entry) > MAX_ENTRY_COST) {
    return `has a pattern that repeats too often: ${quoted(entry)}`;
  }
  try {
    return RE2JS.compile(`^${entry}$`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `has a pattern that RE2 does not accept, ${quoted(entry)}: ${shortened(reason)}`;
  }
}

/** Counts of groups multiply, because groups may be nested. A count has no comma: that would split the entry. */
function costOf(entry: string): number {
  let single = 0;
  let ofGroups = 1;
  for (const [, groupEnd, count] of entry.matchAll(/(\))?\{(\d+)\}/g)) {
    if (groupEnd === undefined) single += Number(count);
    else ofGroups *= Math.max(1, Number(count));
  }
  return single === 0 && ofGroups === 1 ? 0 : entry.length * Math.max(1, single) * ofGroups;
}

const MAX_QUOTED = 80;

function quoted(entry: string): string {
  return JSON.stringify(shortened(entry));
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
