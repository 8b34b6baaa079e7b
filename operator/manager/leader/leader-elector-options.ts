import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { ElectionTiming } from './election-timing.ts';
import type { LeaseClient } from './lease-calls.ts';

export interface LeaderElectorOptions extends Partial<ElectionTiming> {
  /** On connections of its own, and repeating nothing: `Connection.leaseClientFor`. */
  readonly client: LeaseClient;
  readonly clock: Clock;
  /** Who we are among the candidates, new in every process: see `leaderIdentity`. */
  readonly identity: string;
  /** The Lease that is contended for. Events about it go to its namespace. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly log: Log;
  /** Counts and shows, labelled with the Lease's name. Default: nowhere. */
  readonly meter?: Meter;
  /** Called with each holder that is seen and was not the holder before, ourselves included. */
  readonly onNewLeader?: (identity: string) => void;
  /** `standby`: the log says of a loss that this process stands by. Default `exit`. */
  readonly onLost?: 'exit' | 'standby';
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}
