/**
 * The lines of a flight record. A record is a file of JSON lines, compressed with gzip: one header, then the
 * events in the order in which they happened, then one `end`. A file without `end` was cut off.
 *
 * `at` is the number of milliseconds since the recorder began, measured by the monotonic clock of the
 * process. It may have a fraction. Keys are `namespace/name`, or only `name`. Values of Secrets are replaced
 * with placeholders.
 */
export type RecordLine =
  | HeaderLine
  | ClockLine
  | StateLine
  | CachedLine
  | QueuedLine
  | RequestLine
  | AnswerLine
  | ChunkLine
  | EndedLine
  | WakeLine
  | BeginLine
  | OutcomeLine
  | HeldLine
  | WatchLine
  | LeaderLine
  | LogLine
  | EndLine;

/** The value of the member `format` in every header. */
export const RECORD_FORMAT = 'chancery-flight-record';

/** The version that this toolkit writes. It reads no other version. */
export const RECORD_VERSION = 1;

/** Why a record was written. */
export type RecordReason = 'asked' | 'write-loop' | 'stuck' | 'crash' | 'exit';

/** One cache of the process. Controllers with equal sources share one cache. */
export interface RecordedSource {
  /** Unique in the record, such as `deployments.apps`. */
  readonly id: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Undefined for all namespaces, or for objects without a namespace. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Which data of each object the cache contains. `transformed`: the cache contains the result of a function
   * of the module.
   */
  readonly form: 'full' | 'metadata' | 'transformed';
}

export interface RecordedController {
  readonly name: string;
  /** The id of the source whose objects the controller reconciles. */
  readonly for: string;
  /** The ids of all sources of the controller, including `for`. */
  readonly sources: readonly string[];
  readonly workers: number;
}

/**
 * The first line. Facts that change while the process runs have the value that they had when the record was
 * written.
 */
export interface HeaderLine {
  readonly kind: 'header';
  readonly format: typeof RECORD_FORMAT;
  readonly version: number;
  /** Version of the toolkit. */
  readonly toolkit: string;
  /** Version of Node, such as `v24.1.0`. */
  readonly node: string;
  /** Wall time when `at` is 0, in RFC 3339. */
  readonly began: string;
  /**
   * The period that the record covers, as values of `at`: from the beginning of its first segment to the time
   * when it was written.
   */
  readonly from: number;
  readonly to: number;
  readonly reason: RecordReason;
  /** A description for people, for example which key is in a loop. */
  readonly why?: string;
  readonly pid?: number;
  /**
   * The environment variables that the toolkit reads or that modules declare. Secret values are replaced with
   * placeholders.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** The words of the command after `--`. */
  readonly arguments: readonly string[];
  /** The loaded files of the operator, each with its SHA-256 in hexadecimal digits. */
  readonly modules: readonly { readonly path: string; readonly sha256: string }[];
  readonly controllers: readonly RecordedController[];
  readonly sources: readonly RecordedSource[];
  readonly limits: { readonly minutes: number; readonly megabytes: number };
  /**
   * Why the record covers less time than it should. Undefined when it covers its full period, or the whole
   * time since the process started.
   */
  readonly truncated?: string;
}

/**
 * The wall time at the time `at`. Each segment has one such line, and there is another one whenever the wall
 * time jumped by more than a second compared with `at`.
 */
export interface ClockLine {
  readonly kind: 'clock';
  readonly at: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/**
 * A segment begins. The first `state` of a record is followed by its `cached` and `queued` lines, and by the
 * `begin`, `request`, `answer`, `chunk` and `ended` lines of attempts and requests that had begun before. The
 * lines about such attempts and requests have the member `carried`, and `at` is the time when they happened.
 * Together these lines describe the state at the `at` of the `state` line. A later segment has only the
 * `state` line, because its state follows from the lines before it.
 */
export interface StateLine {
  readonly kind: 'state';
  readonly at: number;
  /** The number of the segment, from 0. The first segment of a record may have any number. */
  readonly segment: number;
  /** State of the random number generator of the process: a whole number below 2³². */
  readonly random: number;
  /** True if this process may do the work that only a leader may do. */
  readonly leads: boolean;
}

/**
 * The contents of a cache, in one or more lines. There is no line for a cache whose first list is not
 * complete.
 */
export interface CachedLine {
  readonly kind: 'cached';
  readonly at: number;
  readonly source: string;
  /** The namespace, for a cache that watches several namespaces separately. */
  readonly scope?: string;
  /** The resourceVersion from which the source's watch would resume. */
  readonly resourceVersion?: string;
  /** The objects, with the same data as in the cache. */
  readonly objects: readonly unknown[];
}

export interface QueuedLine {
  readonly kind: 'queued';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /**
   * `working`: a worker has the key. `parked`: a policy delays the key until a condition holds, not for a
   * fixed time.
   */
  readonly state: 'ready' | 'delayed' | 'working' | 'parked';
  /** Set only for a delayed key. */
  readonly dueInMs?: number;
  /** Number of failures in a row. */
  readonly failures: number;
  readonly priority: number;
}

/** A request that the operator has sent. */
export interface RequestLine {
  readonly kind: 'request';
  readonly at: number;
  /** Unique in the record. The answer, chunks and end of the request have the same id. */
  readonly id: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly purpose: 'call' | 'election' | 'watch';
  readonly contentType?: string;
  readonly body?: string;
  /** The reason why the body is omitted. */
  readonly leftOut?: string;
  /**
   * The reconcile attempt that made the request. Undefined for lists, watches, Leases, Events and runnables.
   */
  readonly by?: Attempted;
  /** True if the request was made before the segment began. `at` is then the time when it was made. */
  readonly carried?: true;
}

/** Identifies one reconcile attempt. */
export interface Attempted {
  readonly controller: string;
  readonly key: string;
  /** The id of the attempt's `begin` line. */
  readonly id: number;
}

/** The status and headers of an answer. */
export interface AnswerLine {
  readonly kind: 'answer';
  readonly at: number;
  readonly id: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly carried?: true;
}

/**
 * A chunk of the body of an answer. For a watch, it contains the lines that became complete when the data
 * arrived. For any other answer, there is one such line with the whole body, right before the `ended` line of
 * the request.
 */
export interface ChunkLine {
  readonly kind: 'chunk';
  readonly at: number;
  readonly id: number;
  readonly text: string;
  /**
   * The number of bytes that are omitted because they are not text from the Kubernetes API, for example the
   * log of a Pod.
   */
  readonly leftOut?: number;
  readonly carried?: true;
}

/** A request has ended: its answer is complete, or it has failed. */
export interface EndedLine {
  readonly kind: 'ended';
  readonly at: number;
  readonly id: number;
  /** Undefined when the answer was complete. */
  readonly error?: RecordedError;
  readonly carried?: true;
}

export interface RecordedError {
  /**
   * The code of the failure, for example `CONNECTION_LOST`, or `ABORTED` when the operator itself canceled
   * the request.
   */
  readonly code: string;
  readonly message: string;
}

/** Something enqueued a key. */
export interface WakeLine {
  readonly kind: 'wake';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /**
   * The cause of the wake. For a change of an object this is the object, such as `Deployment demo/web`;
   * otherwise it is a word such as `trigger`.
   */
  readonly cause: string;
  /**
   * The option of the controller that turned the change into a key (`for`, `owns` or `mapping`), and the kind
   * of the change.
   */
  readonly via?: string;
  readonly priority?: number;
}

/** A reconcile attempt for a key begins. */
export interface BeginLine {
  readonly kind: 'begin';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** Unique in the record. */
  readonly id: number;
  /** Number of failures in a row before this attempt. */
  readonly attempt: number;
  /** Milliseconds since the key became ready. */
  readonly waitedMs: number;
  /**
   * Set for an attempt from an earlier segment if its requests in that segment were too large to be repeated.
   */
  readonly incomplete?: true;
  readonly carried?: true;
}

export interface OutcomeLine {
  readonly kind: 'outcome';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** The id of the attempt's `begin` line. */
  readonly id: number;
  readonly result:
    | 'success'
    | 'requeue_after'
    | 'requeue'
    | 'error'
    | 'conflict'
    | 'terminal'
    | 'panic'
    | 'aborted';
  readonly requeueAfterMs?: number;
  readonly error?: RecordedError;
}

/** A policy delays a key. */
export interface HeldLine {
  readonly kind: 'held';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** The name of the policy, for example `write-loops`. */
  readonly policy: string;
  /**
   * Milliseconds for which the key is delayed. Undefined when the policy decides later when the key may run.
   */
  readonly forMs?: number;
}

/** The state of a source's watch has changed. */
export interface WatchLine {
  readonly kind: 'watch';
  readonly at: number;
  readonly source: string;
  readonly scope?: string;
  /** The state of the source, for example `listing`, `watching` or `waiting`. */
  readonly state: string;
  readonly resourceVersion?: string;
  readonly note?: string;
}

export interface LeaderLine {
  readonly kind: 'leader';
  readonly at: number;
  /** The group of keys that changed, if replicas share the keys. */
  readonly group?: number;
  readonly leads: boolean;
  readonly holder?: string;
}

/** A warning or an error from the log of the process. */
export interface LogLine {
  readonly kind: 'log';
  readonly at: number;
  readonly level: 'warn' | 'error' | 'fatal';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The last line. */
export interface EndLine {
  readonly kind: 'end';
  /** The number of lines before this line. */
  readonly lines: number;
}
