import type { Controller } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { AttemptEnd } from '../../controller/run/middleware.ts';
import type { Settings } from '../../manager/settings/settings.ts';
import type { FlightRecord } from '../read-record.ts';
import type { FoundUse } from '../world/own-uses.ts';
import type { Difference } from './difference.ts';
import type { RecordedObjects } from './recorded/recorded-objects.ts';
import type { StartReplayCluster } from './recorded/replay-cluster.ts';
import type { ReplayedAttempt } from './replayed-attempt.ts';

export interface ReplayOptions {
  readonly record: FlightRecord;
  /** The controllers of the recorded operator. */
  readonly controllers: readonly Controller[];
  /** The settings that the modules add. A record contains only the settings from the environment. */
  readonly settings?: Partial<Settings> | undefined;
  /** True if `controllers` may lack controllers of the record. Default false. */
  readonly partly?: boolean;
  /** Milliseconds since the recorder began. Later lines are not replayed. Default: the end of the record. */
  readonly untilAt?: number | undefined;
  /** If set, only differences of this key count. Default: differences of all keys count. */
  readonly key?: string | undefined;
  /**
   * If true, the replay continues after a difference, and a cluster answers requests that were not recorded.
   * Default false.
   */
  readonly continues?: boolean;
  /** Starts the cluster. It is needed only where the replay differs from the record. */
  readonly startCluster?: StartReplayCluster | undefined;
  /** Called right before each attempt. */
  readonly begins?: ((attempt: ReplayedAttempt) => void) | undefined;
  /** When this signal aborts, the replay ends. Default: the replay is not aborted. */
  readonly signal?: AbortSignal;
  /** Receives the log of the replayed operator. Default: the log is discarded. */
  readonly log?: Log;
}

/** The result of a replay. */
export interface Replay {
  /** The first differences. Empty when the code did what was recorded. */
  readonly differences: readonly Difference[];
  /** How many keys differed from the record. */
  readonly differing: number;
  /** The number of attempts that were replayed. */
  readonly attempts: number;
  /** The number of recorded writes that were made again. */
  readonly writes: number;
  /** The time at which the replay ended, in milliseconds since the recorder began. */
  readonly endedAt: number;
  /** Converts milliseconds since the recorder began into wall time, in milliseconds since 1970. */
  readonly wallAt: (at: number) => number;
  /**
   * The places where the code uses clocks, randomness or the network directly, and not through its context. A
   * record does not contain the results of such uses.
   */
  readonly ownUses: readonly FoundUse[];
  /** Notes for the reader of the result. */
  readonly notes: readonly string[];
  /** The objects of the API server at the end of the replay, as far as the operator has received them. */
  readonly objects: RecordedObjects;
  /** Returns the writes and the outcome for a key, in all controllers. */
  readonly ofKey: (key: string) => ReplayedKey;
  /** Returns the collection to which the path of a request refers, with the same name as in `objects`. */
  readonly collectionOf: (path: string) => string | undefined;
}

/** A request that changes something. */
export interface ReplayedWrite {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string | undefined;
}

/** The writes and the outcome of a replay for one key. */
export interface ReplayedKey {
  /** The writes, in order. */
  readonly writes: readonly ReplayedWrite[];
  /** How the key's last attempt ended. Undefined when it did not end. */
  readonly outcome: AttemptEnd['outcome'] | undefined;
}
