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
  /** Those of the recorded operator. */
  readonly controllers: readonly Controller[];
  /** Those of the modules: a record has only what stood in the environment. */
  readonly settings?: Partial<Settings> | undefined;
  /** True: controllers of the record may be missing. Default false. */
  readonly partly?: boolean;
  /** Milliseconds since the recorder began: nothing later is replayed. Default: the end of the record. */
  readonly untilAt?: number | undefined;
  /** Only differences of this key count. Default: of all keys. */
  readonly key?: string | undefined;
  /** True: the replay goes on after a difference, and a cluster answers what was not recorded. Default false. */
  readonly goesOn?: boolean;
  /** Needed only where the replay leaves the record. */
  readonly startCluster?: StartReplayCluster | undefined;
  /** Called right before each attempt. */
  readonly begins?: ((attempt: ReplayedAttempt) => void) | undefined;
  /** Ends the replay when it aborts. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Gets the log of the replayed operator. Default: nobody does. */
  readonly log?: Log;
}

/** What a replay has found. */
export interface Replay {
  /** The first ones. Empty: the code did what is recorded. */
  readonly differences: readonly Difference[];
  /** How many keys did otherwise than recorded. */
  readonly differing: number;
  /** Attempts that were replayed. */
  readonly attempts: number;
  /** Recorded writes that were made again. */
  readonly writes: number;
  /** Where the replay ended, as milliseconds since the recorder began. */
  readonly endedAt: number;
  /** Wall time of a moment of the record, in milliseconds since 1970. */
  readonly wallAt: (at: number) => number;
  /** What the code uses past its context: a record has no answers of it. */
  readonly ownUses: readonly FoundUse[];
  /** What whoever reads the result should know. */
  readonly notes: readonly string[];
  /** What the API server has at the end, as far as the operator saw it. */
  readonly objects: RecordedObjects;
  /** What was done for a key, in all controllers. */
  readonly ofKey: (key: string) => ReplayedKey;
  /** The collection that the path of a request is about, as `objects` names it. */
  readonly collectionOf: (path: string) => string | undefined;
}

/** A request that changes something. */
export interface ReplayedWrite {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string | undefined;
}

/** What a replay did for one key. */
export interface ReplayedKey {
  /** In their order. */
  readonly writes: readonly ReplayedWrite[];
  /** How its last attempt ended. Undefined when it did not. */
  readonly outcome: AttemptEnd['outcome'] | undefined;
}
