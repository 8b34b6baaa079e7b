/**
 * What the page gets, as JSON: made here, drawn by the scripts in `page/`. Times are as in the record: milliseconds
 * since the recorder began. Words for people are made here, so that chart, table and screen reader say the same.
 */
export interface TimelineData {
  readonly title: string;
  /** What the reader must know before anything else, such as that the record was cut off. */
  readonly warnings: readonly string[];
  readonly about: readonly AboutPart[];
  /** The span that the chart shows at first. */
  readonly from: number;
  readonly to: number;
  /** Wall time, as milliseconds since 1970, from each `at` on. Ordered; at least one. */
  readonly walls: readonly (readonly [at: number, wall: number])[];
  /** From top to bottom. */
  readonly rows: readonly TimelineRow[];
  /** Ordered by `at`. */
  readonly items: readonly TimelineItem[];
  readonly objects: readonly TimelineObject[];
  /** Each different line of all texts, once. */
  readonly lines: readonly string[];
  readonly texts: readonly PackedText[];
}

/** A chapter of what is known about the record as a whole. */
export interface AboutPart {
  readonly title: string;
  readonly facts: readonly Fact[];
}

export type Fact = readonly [name: string, value: string];

export interface TimelineRow {
  /** `process`, `sources`, or `controller` for the keys of one. */
  readonly group: 'process' | 'sources' | 'controller';
  /** What the rows of a group stand under: `Process`, `Sources`, or the name of the controller. */
  readonly heading: string;
  /** A key, the id of a source, or a word such as `Leadership`. */
  readonly name: string;
}

/**
 * - `wake`: something enqueued the key.
 * - `reconcile`: an attempt, from its begin to its outcome.
 * - `write`: a request that may change an object, from when it was sent until it was answered.
 * - `read`: any other call.
 * - `held`: a policy lets the key wait.
 * - `change`: a watch or a relist brought another state of an object.
 * - `watch`: a state of the watch of a source, or its end.
 * - `leader`: leadership.
 * - `log`: a warning or an error of the log.
 * - `clock`: the wall clock jumped.
 */
export type ItemKind =
  | 'wake'
  | 'reconcile'
  | 'write'
  | 'read'
  | 'held'
  | 'change'
  | 'watch'
  | 'leader'
  | 'log'
  | 'clock';

export interface TimelineItem {
  readonly kind: ItemKind;
  /** Index in `rows`. */
  readonly row: number;
  readonly at: number;
  /** Undefined for a moment. */
  readonly to?: number;
  /** It had not ended when the record was written. */
  readonly open?: true;
  /** It is an error. */
  readonly failed?: true;
  /** How a bar is drawn; undefined: as its kind is. */
  readonly tone?: 'good' | 'bad' | 'waiting' | 'off';
  /** One line in words. */
  readonly summary: string;
  /** What the summary and the other members do not say. */
  readonly facts?: readonly Fact[];
  /** Index in `objects` of the object that it is about. */
  readonly object?: number;
  /** Index in the object's `versions`: as the operator knew it then, or what a write made of it. */
  readonly version?: number;
  /**
   * Index in the object's `versions`: what to compare with. Of a reconcile: as it was at the attempt before; of a write:
   * as the operator knew it when it wrote; otherwise the state before.
   */
  readonly before?: number;
  /** Index in `texts` of the body that was sent. */
  readonly sent?: number;
  /** Of a reconcile, and of the calls that belong to it. */
  readonly attempt?: number;
  /** Of a reconcile: how long its key had been ready. */
  readonly waitedMs?: number;
}

export interface TimelineObject {
  readonly kind: string;
  readonly key: string;
  /** In the order in which the operator got to know them. */
  readonly versions: readonly TimelineVersion[];
}

export interface TimelineVersion {
  readonly at: number;
  readonly resourceVersion?: string;
  /** Index in `texts`. Undefined where the page would have become too large. */
  readonly text?: number;
  /** `cached`: it was in the cache when a segment began. `answered`: in the answer to a call. */
  readonly how: 'cached' | 'watched' | 'listed' | 'answered';
  readonly deleted?: true;
}

/**
 * A text as indices in `lines`: `[base, head, tail, ...between]` has the first `head` lines of the text `base`, then
 * `between`, then the last `tail` lines of `base`. A `base` of -1 has no lines.
 */
export type PackedText = readonly number[];
