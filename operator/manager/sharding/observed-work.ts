import type { ProcessObserver } from '../observe/process-observer.ts';
import type { ShardedWork } from './shard-group.ts';

/** Wraps `work` so that `observer` is also notified when each group begins and ends. */
export function observedWork(
  work: ShardedWork,
  observer: Pick<ProcessObserver, 'leadership'> | undefined,
): ShardedWork {
  if (observer === undefined) return work;
  return {
    open: (group, signal) => work.open(group, signal),
    dispatch: (group, term) => {
      observer.leadership({ group, leads: true });
      work.dispatch(group, term);
    },
    drain: (group) => {
      observer.leadership({ group, leads: false });
      return work.drain(group);
    },
    drop: (group) => work.drop(group),
  };
}
