/**
 * The lines of a flight record. A record is a file of JSON lines, compressed with gzip: one header, then the
 * events in the order in which they happened, then one `end`. A file without `end` was cut off.
 *
 * `at` is milliseconds since the recorder began, by the monotonic clock of the process, with fractions. Keys
 * are `namespace/name`, or `name` alone. Values of Secrets are placeholders.
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

/** The value of `format` in every header. */
export const RECORD_FORMAT = 'chancery-flight-record';

/** The version that this toolkit writes, and the only version that it reads. */
export const RECORD_VERSION = 1;

/** Why a record was written. */
export type RecordReason = 'asked' | 'write-loop' | 'stuck' | 'crash' | 'exit';

/** One cache of the process: equal sources of several controllers share it. */
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
  /** The form in which the cache holds each object. `transformed`: the result of a function of the module. */
  readonly form: 'full' | 'metadata' | 'transformed';
}

export interface RecordedController {
  readonly name: string;
  /** The id of the source whose objects it reconciles. */
  readonly for: string;
  /** The ids of all its sources, including `for`. */
  readonly sources: readonly string[];
  readonly workers: number;
}

/**
 * The first line. Facts that change while the process runs have their value from when the record was written.
 */
export interface HeaderLine {
  readonly kind: 'header';
  readonly format: typeof RECORD_FORMAT;
  readonly version: number;
  /** Version of the toolkit. */
  readonly toolkit: string;
  /** Version of Node, such as `v24.1.0`. */
  readonly node: string;
  /** Wall time of `at` 0, in RFC 3339. */
  readonly began: string;
  /**
   * The period that the record covers, as `at`: the beginning of its first segment, and the time when it was
   * written.
   */
  readonly from: number;
  readonly to: number;
  readonly reason: RecordReason;
  /** A description in words, for example which key loops. */
  readonly why?: string;
  readonly pid?: number;
  /**
   * Environment variables that the toolkit reads, and those that modules declare; secrets are placeholders.
   */
  readonly settings: Readonly<Record<string, string>>;
  /** The words of the command after `--`. */
  readonly arguments: readonly string[];
  /** The files of the operator that were loaded, with the SHA-256 of each in hexadecimal digits. */
  readonly modules: readonly { readonly path: string; readonly sha256: string }[];
  readonly controllers: readonly RecordedController[];
  readonly sources: readonly RecordedSource[];
  readonly limits: { readonly minutes: number; readonly megabytes: number };
  /**
   * Why the record covers less than its minutes. Undefined when it covers them, or the whole time since the
   * start.
   */
  readonly truncated?: string;
}

/**
 * The wall time at a given time. There is one in each segment, and one whenever the wall time jumped by more
 * than a second compared with `at`.
 */
export interface ClockLine {
  readonly kind: 'clock';
  readonly at: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/**
 * A segment begins. The first `state` of a record is followed by its `cached` and `queued` lines, and by the
 * `begin`, `request`, `answer`, `chunk` and `ended` lines of attempts and requests that had begun before,
 * each with `carried` and with the `at` when it happened. Together they are the state at the `at` of this
 * line. A later segment has only this line: its state follows from the lines before it.
 */
export interface StateLine {
  readonly kind: 'state';
  readonly at: number;
  /** Counted from 0. The first segment of a record may have any number. */
  readonly segment: number;
  /** State of the random numbers of the process: a whole number below 2³². */
  readonly random: number;
  /** Whether this process may do work that needs leadership. */
  readonly leads: boolean;
}

/** The contents of a cache, in one or more lines. A cache without its first list has no line. */
export interface CachedLine {
  readonly kind: 'cached';
  readonly at: number;
  readonly source: string;
  /** The namespace, for a cache that watches several namespaces separately. */
  readonly scope?: string;
  /** The resourceVersion at which its watch would resume. */
  readonly resourceVersion?: string;
  /** In the form that the cache holds. */
  readonly objects: readonly unknown[];
}

export interface QueuedLine {
  readonly kind: 'queued';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /**
   * `working`: a worker has it. `parked`: a policy delays it until something other than time allows
   * it.
   */
  readonly state: 'ready' | 'delayed' | 'working' | 'parked';
  /** Only for a delayed key. */
  readonly dueInMs?: number;
  /** Failures in a row. */
  readonly failures: number;
  readonly priority: number;
}

/** A request that was passed to the connection. */
export interface RequestLine {
  readonly kind: 'request';
  readonly at: number;
  /** Unique in the record. Its answer, chunks and end have the same id. */
  readonly id: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly purpose: 'call' | 'election' | 'watch';
  readonly contentType?: string;
  readonly body?: string;
  /** Why the body is omitted. */
  readonly leftOut?: string;
  /** The reconcile that made the request. Undefined for lists, watches, Leases, Events and runnables. */
  readonly by?: Attempted;
  /** The request was made before the segment began; `at` is the time when it was made. */
  readonly carried?: true;
}

/** Names one attempt at a key. */
export interface Attempted {
  readonly controller: string;
  readonly key: string;
  /** As in `BeginLine`. */
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
 * A part of the body of an answer. For a watch it contains the complete lines that ended with the data that
 * arrived; for another answer it contains the whole body, and precedes its `ended` line.
 */
export interface ChunkLine {
  readonly kind: 'chunk';
  readonly at: number;
  readonly id: number;
  readonly text: string;
  /**
   * The number of omitted bytes: they are not text of the Kubernetes API, for example the log of a
   * Pod.
   */
  readonly leftOut?: number;
  readonly carried?: true;
}

/** A request is over: its answer is complete, or it failed. */
export interface EndedLine {
  readonly kind: 'ended';
  readonly at: number;
  readonly id: number;
  /** Undefined when the answer was complete. */
  readonly error?: RecordedError;
  readonly carried?: true;
}

export interface RecordedError {
  /** Such as `CONNECTION_LOST`, or `ABORTED` when the operator itself canceled the request. */
  readonly code: string;
  readonly message: string;
}

/** Something enqueued a key. */
export interface WakeLine {
  readonly kind: 'wake';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** Such as `Deployment demo/web` for a change; otherwise a word such as `trigger`. */
  readonly cause: string;
  /** How a change became a key: `for`, `owns` or `mapping`, and what kind of change it was. */
  readonly via?: string;
  readonly priority?: number;
}

/** An attempt at a key begins. */
export interface BeginLine {
  readonly kind: 'begin';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** Unique in the record. */
  readonly id: number;
  /** Failures in a row before this attempt. */
  readonly attempt: number;
  /** Milliseconds since the key was ready. */
  readonly waitedMs: number;
  /** For a carried attempt: its earlier requests are not in the record, because they were too large. */
  readonly incomplete?: true;
  readonly carried?: true;
}

export interface OutcomeLine {
  readonly kind: 'outcome';
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** The id of the `begin` line. */
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
  /** Such as `write-loops`. */
  readonly policy: string;
  /** Undefined when the policy decides later. */
  readonly forMs?: number;
}

/** The state of the watch of a source has changed. */
export interface WatchLine {
  readonly kind: 'watch';
  readonly at: number;
  readonly source: string;
  readonly scope?: string;
  /** Such as `listing`, `watching` or `waiting`. */
  readonly state: string;
  readonly resourceVersion?: string;
  readonly note?: string;
}

export interface LeaderLine {
  readonly kind: 'leader';
  readonly at: number;
  /** The group of keys, when replicas share the work. */
  readonly group?: number;
  readonly leads: boolean;
  readonly holder?: string;
}

/** A warning or an error of the log. */
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
  /** The number of lines before this one. */
  readonly lines: number;
}
