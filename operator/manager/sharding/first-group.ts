import type { GroupTerm, ShardedWork } from './shard-group.ts';

/**
 * The work that belongs to no key, such as runnables. Only the replica that holds the first group does this
 * work.
 */
export interface KeylessWork {
  begin(term: GroupTerm): void;
  /** Resolves when the work has ended. */
  end(): Promise<void>;
  abort(reason: unknown): void;
}

const FIRST = 0;

/** Adds the work that belongs to no key to `work`. A replica does this work while it has the first group. */
export function withKeylessWork(work: ShardedWork, keyless: KeylessWork): ShardedWork {
  return {
    open: (group, signal) => work.open(group, signal),
    dispatch: (group, term) => {
      work.dispatch(group, term);
      if (group !== FIRST) return;
      term.lost.addEventListener('abort', () => keyless.abort(term.lost.reason), { once: true });
      keyless.begin(term);
    },
    drain: async (group) => {
      await Promise.all([work.drain(group), ...(group === FIRST ? [keyless.end()] : [])]);
    },
    drop: (group) => work.drop(group),
  };
}
