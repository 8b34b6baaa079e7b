/**
 * Named lists: the value of a `…/reload` annotation → which names it means.
 *
 * A comma splits the value, also inside a pattern. Each entry is trimmed and compiled as `^` + entry + `$` in
 * the syntax of RE2, without a group around it. The search is not anchored beyond that: `a|b` means names that
 * begin with a, or end in b, as `regexp.MatchString` of Go finds them.
 *
 * A user of one namespace writes the value, and the operator works for all namespaces. So the limits bound time
 * and memory, not the number of characters alone.
 */
import { type Automaton, compilePatterns } from './patterns/automaton.ts';
import { statesOf } from './patterns/cost.ts';
import { MAX_LOOKED_AT, splitEntries } from './patterns/entries.ts';
import { PatternWork } from './patterns/work.ts';

/** Entries of one list. More are a problem, and the first ones count. */
export const MAX_ENTRIES = 256;

/** Characters of one entry. A name has at most 253. */
export const MAX_ENTRY_CHARACTERS = 512;

/** States of the automaton of one entry, see `statesOf`. `.{253}`, the longest name, has 254. */
export const MAX_ENTRY_STATES = 512;

/**
 * States of the patterns of one list together: fifty patterns as people write them. At this bound the slowest lists
 * that were tried take 6 ms of CPU to compile, and 5 ms for the longest name.
 */
export const MAX_LIST_STATES = 1_024;

/** Problems that are told of one list. The last one counts the others. */
export const MAX_PROBLEMS = 8;

/** Bytes of the lists in memory, of all namespaces together: a tenth of what the generated manifests allow. */
export const MAX_CACHE_BYTES: number = 16 * 1024 * 1024;

/** Lists in memory. */
const MAX_LISTS = 1_000;

/** A compiled list. */
export interface NamedList {
  /**
   * True when an entry that can be used matches `name`. Also false when `work` is over before that is known.
   *
   * @param work - default: without a limit.
   */
  matches(name: string, work?: PatternWork): boolean;
  /** Entries that are names themselves, in the order of the list. A dot in them is also a pattern. */
  readonly names: readonly string[];
  /** True when the list has nothing but names without a dot. */
  readonly isExact: boolean;
  /** Why some entries cannot be used; they match nothing, and the others count. */
  readonly problems: readonly string[];
}

/** The list of an absent annotation. */
export const EMPTY_LIST: NamedList = {
  matches: () => false,
  names: [],
  isExact: true,
  problems: [],
};

interface Cached {
  readonly list: NamedList;
  /** It grows when names are matched. */
  bytes: number;
}

/** Compiled once: every reconcile asks for the same few lists. The list that was asked for last is the last one. */
const CACHE = new Map<string, Cached>();
let cachedBytes = 0;

/** Bytes of the lists that are kept. */
export function cachedListBytes(): number {
  return cachedBytes;
}

/** The list of a value. The same value gives the same object, until other lists have taken its place. */
export function namedList(value: string, work?: PatternWork): NamedList {
  const known = CACHE.get(value);
  const cached = known ?? compileList(value, work);
  if (known === undefined) cachedBytes += cached.bytes;
  CACHE.delete(value);
  CACHE.set(value, cached);
  dropOldest();
  return cached.list;
}

/** Drops lists until the others fit, but never the last one. */
function dropOldest(): void {
  for (const [value, { bytes }] of CACHE) {
    const fits = cachedBytes <= MAX_CACHE_BYTES && CACHE.size <= MAX_LISTS;
    if (fits || CACHE.size === 1) return;
    CACHE.delete(value);
    cachedBytes -= bytes;
  }
}

function grow(value: string, cached: Cached, bytes: number): void {
  cached.bytes += bytes;
  if (CACHE.get(value) !== cached) return;
  cachedBytes += bytes;
  if (cachedBytes > MAX_CACHE_BYTES) dropOldest();
}

/** The entries of a value that count, and how many there are; `isCut`: at least. */
export function entriesOf(value: string): {
  readonly entries: readonly string[];
  readonly count: number;
  readonly isCut: boolean;
} {
  const { entries, isCut } = splitEntries(value);
  return { entries: [...entries].slice(0, MAX_ENTRIES), count: entries.size, isCut };
}

/** True for an entry that is compared, and neither compiled nor looked at as a pattern. */
export function isLiteral(entry: string): boolean {
  return LITERAL.test(entry);
}

const LITERAL = /^[-a-z0-9]+$/;
/** In such an entry a dot is the only special character, and stands for any one. */
const DOTTED = /^[-a-z0-9.]+$/;
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Steps that one state of a pattern costs when it is compiled. */
const COMPILE_STEPS = 500;

/** Bytes of a list beside its text and its automaton, and of each entry. */
const LIST_BYTES = 1_000;
const ENTRY_BYTES = 200;

function compileList(value: string, work: PatternWork = new PatternWork()): Cached {
  const { entries, count, isCut } = entriesOf(value);
  const problems: string[] = [];
  const literals = new Set(entries.filter(isLiteral));
  const dotted = entries.filter((entry) => !isLiteral(entry) && DOTTED.test(entry));
  const patterns = usablePatterns(
    entries.filter((entry) => !DOTTED.test(entry)),
    problems,
    work,
  );
  const { automaton, refused } = compilePatterns(patterns, (bytes) => grow(value, cached, bytes));
  for (const [entry, reason] of refused) {
    problems.push(`has a pattern that RE2 does not accept, ${quoted(entry)}: ${shortened(reason)}`);
  }
  if (count > MAX_ENTRIES || isCut) {
    const many = isCut ? `more than ${MAX_LOOKED_AT}` : count;
    problems.push(`has ${many} entries: only the first ${MAX_ENTRIES} count`);
  }
  const list: NamedList = {
    matches: (name, spent = new PatternWork()) => {
      spent.spend(1 + dotted.length);
      if (literals.has(name) || dotted.some((entry) => matchesDotted(entry, name))) return true;
      return automaton?.matches(name, spent) === true;
    },
    names: entries.filter((entry) => NAME.test(entry)),
    isExact: literals.size === entries.length,
    problems: shortList(problems),
  };
  const cached = { list, bytes: bytesOf(value, entries, automaton) };
  return cached;
}

function bytesOf(
  value: string,
  entries: readonly string[],
  automaton: Automaton | undefined,
): number {
  return LIST_BYTES + 2 * value.length + ENTRY_BYTES * entries.length + (automaton?.bytes ?? 0);
}

/** The patterns that fit into the limits. Why others do not is added to `problems`. */
function usablePatterns(
  entries: readonly string[],
  problems: string[],
  work: PatternWork,
): readonly string[] {
  let states = 0;
  return entries.filter((entry) => {
    if (entry.length > MAX_ENTRY_CHARACTERS) {
      problems.push(
        `has a pattern of ${entry.length} characters, more than ${MAX_ENTRY_CHARACTERS}: ${quoted(entry)}`,
      );
      return false;
    }
    const own = statesOf(entry);
    if (own > MAX_ENTRY_STATES) {
      problems.push(
        `has a pattern that repeats too often or has too many Unicode classes: it needs ${own} states, more than ${MAX_ENTRY_STATES}: ${quoted(entry)}`,
      );
      return false;
    }
    if (states + own > MAX_LIST_STATES) {
      problems.push(
        `has patterns that need more than ${MAX_LIST_STATES} states together: this one does not count, ${quoted(entry)}`,
      );
      return false;
    }
    states += own;
    work.spend(COMPILE_STEPS * own);
    return true;
  });
}

function shortList(problems: readonly string[]): readonly string[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const told = problems.slice(0, MAX_PROBLEMS - 1);
  return [...told, `has ${problems.length - told.length} more problems of this kind`];
}

function matchesDotted(entry: string, name: string): boolean {
  if (entry.length !== name.length) return false;
  for (let at = 0; at < entry.length; at++) {
    const character = entry[at];
    if (character !== '.' && character !== name[at]) return false;
  }
  return !name.includes('\n');
}

const MAX_QUOTED = 80;

function quoted(entry: string): string {
  return JSON.stringify(shortened(entry));
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
