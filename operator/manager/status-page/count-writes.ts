import { type Interceptor, isRead } from '../../client/call.ts';
import type { MinuteCounts } from './minute-counts.ts';

/** Counts each write and delete, whether or not it succeeds. A dry run does not count. */
export function countWrites(writes: MinuteCounts): Interceptor {
  return (next) => (call) => {
    if (!isRead(call) && call.options.dryRun !== true) writes.count();
    return next(call);
  };
}
