/**
 * The lists in the annotations of one workload, and the work that they may cost. Each list is read once for all
 * resources of the workload. The names of the namespace are matched in slices, so that other workloads are served in
 * between.
 */
import { setImmediate } from 'node:timers/promises';
import { splitEntries } from './patterns/entries.ts';
import { PatternWork } from './patterns/work.ts';
import { EMPTY_LIST, type NamedList, namedList } from './patterns.ts';

/**
 * Steps for all lists of one workload: at most 0.2 s. A list as people write it takes 50 steps for a name, and this is
 * enough for 80,000 names.
 */
export const MAX_WORKLOAD_STEPS = 4_000_000;

/**
 * Steps in one turn of the event loop, for all workloads together: 2 ms, and 10 ms on a slow machine with patterns of
 * many states. A list is compiled in one piece.
 */
const TURN_STEPS = 50_000;

let stepsInTurn = 0;
let lastTurn: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop, if the steps of this one are used up. Workloads that wait get a turn each: several
 * are reconciled at a time, and their slices would add up in one turn.
 */
async function untilStepsAreLeft(): Promise<void> {
  if (stepsInTurn < TURN_STEPS) return;
  lastTurn = lastTurn.then(async () => {
    await setImmediate();
    stepsInTurn = 0;
  });
  await lastTurn;
}

/** How `decide` asks for the lists of a workload. */
export interface WorkloadLists {
  /** The list in a reload annotation. */
  named(value: string): NamedList;
  /** The names in an exclude annotation. */
  excluded(value: string): ReadonlySet<string>;
}

/** Every list is read when it is asked for, and nothing is limited but the lists themselves. */
export const ALL_LISTS: WorkloadLists = {
  named: (value) => (value === '' ? EMPTY_LIST : namedList(value)),
  excluded: (value) => splitEntries(value).entries,
};

/** A list with what is known of the names of a namespace. */
interface Matched {
  readonly list: NamedList;
  readonly names: Set<string>;
}

const TOO_MUCH = `has patterns that take more than ${MAX_WORKLOAD_STEPS} steps for the names of the namespace: only the entries that are names count`;

/** The lists of one workload in one reconcile. */
export class MatchedLists implements WorkloadLists {
  readonly #work = new PatternWork(MAX_WORKLOAD_STEPS);
  readonly #matched = new Map<string, Matched>();
  readonly #excluded = new Map<string, ReadonlySet<string>>();

  /** Finds out which of `names` the list of `value` means. Afterwards `named(value)` knows them. */
  async match(value: string, names: Iterable<string>): Promise<NamedList> {
    await untilStepsAreLeft();
    const known = this.#matched.get(value) ?? { list: this.#compiled(value), names: new Set() };
    this.#matched.set(value, known);
    for (const name of names) {
      if (this.#work.isOver) break;
      if (stepsInTurn >= TURN_STEPS) await untilStepsAreLeft();
      if (this.#count(() => known.list.matches(name, this.#work))) known.names.add(name);
    }
    return this.named(value);
  }

  /** Matches the names that `match` was asked about. */
  named(value: string): NamedList {
    const known = this.#matched.get(value);
    if (known === undefined) return EMPTY_LIST;
    const { list, names } = known;
    if (!this.#work.isOver) return { ...list, matches: (name) => names.has(name) };
    const problems = list.isExact ? list.problems : [...list.problems, TOO_MUCH];
    return { ...list, matches: (name) => list.names.includes(name), problems };
  }

  excluded(value: string): ReadonlySet<string> {
    const known = this.#excluded.get(value) ?? splitEntries(value).entries;
    this.#excluded.set(value, known);
    return known;
  }

  #compiled(value: string): NamedList {
    return value === '' ? EMPTY_LIST : this.#count(() => namedList(value, this.#work));
  }

  /** Does a piece of the work, which counts in this turn. */
  #count<R>(piece: () => R): R {
    const before = this.#work.spent;
    const result = piece();
    stepsInTurn += this.#work.spent - before;
    return result;
  }
}

/** Steps for the lists of all workloads that one restart is ordered with: 20 ms, because the event loop has no turn. */
const MAX_ORDER_STEPS = 1_000_000;

/**
 * The lists of many workloads, within a limit for all of them. A list of which too little is known when the work is over
 * matches nothing.
 */
export function limitedLists(): WorkloadLists {
  const work = new PatternWork(MAX_ORDER_STEPS);
  return {
    named(value) {
      if (value === '' || work.isOver) return EMPTY_LIST;
      const list = namedList(value, work);
      return { ...list, matches: (name) => list.matches(name, work) };
    },
    excluded(value) {
      const { entries } = splitEntries(value);
      work.spend(EXCLUDED_STEPS * entries.size);
      return entries;
    },
  };
}

/** Steps that one entry of an exclude annotation costs. */
const EXCLUDED_STEPS = 10;
