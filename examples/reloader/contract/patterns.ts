/**
 * Named lists: the value of a `…/reload` annotation → which names it means.
 *
 * A comma splits the value, also inside a pattern. Each entry is trimmed and compiled as `^` + entry + `$` in
 * the syntax of RE2, without a group around it: `a|b` means names that begin with a, or end in b.
 */
import { RE2JS } from 're2js';

/** Bounds of one list. Names have at most 253 characters, and annotations 256 KiB together. */
export const MAX_ENTRIES = 256;
export const MAX_ENTRY_CHARACTERS = 512;

/** A compiled list. */
export interface NamedList {
  /** True when an entry that can be used matches `name`. */
  matches(name: string): boolean;
  /** Entries that are names themselves, without characters that only patterns have. */
  readonly names: readonly string[];
  /** What is wrong with entries that cannot be used; they match nothing, and the others count. */
  readonly problems: readonly string[];
}

/** The value of an absent annotation: no entry. */
export const EMPTY_LIST: NamedList = { matches: () => false, names: [], problems: [] };

/** Compiled once: every reconcile asks for the same few lists. */
const COMPILED = new Map<string, NamedList>();
const MAX_COMPILED = 1_000;

/** The list of a value. The same value gives the same object, as long as the cache has it. */
export function namedList(value: string): NamedList {
  const known = COMPILED.get(value);
  if (known !== undefined) return known;
  const list = compileList(value);
  if (COMPILED.size >= MAX_COMPILED) COMPILED.clear();
  COMPILED.set(value, list);
  return list;
}

function compileList(value: string): NamedList {
  const entries = [...new Set(value.split(',').map((entry) => entry.trim()))].filter(
    (entry) => entry !== '',
  );
  const problems: string[] = [];
  const literal = new Set<string>();
  const expressions: RE2JS[] = [];
  for (const entry of entries) {
    if (/^[-a-z0-9]+$/.test(entry)) {
      literal.add(entry);
      continue;
    }
    const compiled = compileEntry(entry);
    if (typeof compiled === 'string') problems.push(compiled);
    else expressions.push(compiled);
  }
  return {
    matches: (name) => literal.has(name) || expressions.some((expression) => expression.test(name)),
    names: entries.filter((entry) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(entry)),
    problems,
  };
}

/** The expression, or a sentence why there is none. */
function compileEntry(entry: string): RE2JS | string {
  try {
    return RE2JS.compile(`^${entry}$`);
  } catch (error) {
    return `the pattern ${JSON.stringify(entry)} cannot be used: ${error instanceof Error ? error.message : 'no reason'}`;
  }
}
