/**
 * The data of the page, as JSON: made here, drawn by the scripts in `page/`. Times are those of the record:
 * milliseconds since the recorder began. Texts for people are made here, so that chart, table and screen
 * reader agree.
 */
export interface TimelineData {
  readonly title: string;
  /** What the reader must know first, for example that the record was cut off. */
  readonly warnings: readonly string[];
  readonly about: readonly AboutPart[];
  /** The period that the chart shows at first. */
  readonly from: number;
  readonly to: number;
  /** Wall time, as milliseconds since 1970, from each `at` on. Ordered; at least one entry. */
  readonly walls: readonly (readonly [at: number, wall: number])[];
  /** From top to bottom. */
  readonly rows: readonly TimelineRow[];
  /** Ordered by `at`. */
  readonly items: readonly TimelineItem[];
  readonly objects: readonly TimelineObject[];
  /** Each distinct line of all texts, once. */
  readonly lines: readonly string[];
  readonly texts: readonly PackedText[];
}

/** A chapter with facts about the record as a whole. */
export interface AboutPart {
  readonly title: string;
  readonly facts: readonly Fact[];
}

export type Fact = readonly [name: string, value: string];

export interface TimelineRow {
  /** `process`, `sources`, or `controller` for the keys of one controller. */
  readonly group: 'process' | 'sources' | 'controller';
  /** The heading of the rows of a group: `Process`, `Sources`, or the name of the controller. */
  readonly heading: string;
  /** A key, the id of a source, or a word such as `Leadership`. */
  readonly name: string;
}

/**
 * - `wake`: something enqueued the key.
 * - `reconcile`: an attempt, from its begin to its outcome.
 * - `write`: a request that may change an object, from when it was sent until it was answered.
 * - `read`: any other call.
 * - `held`: a policy delays the key.
 * - `change`: a watch or a relist delivered another state of an object.
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
  /** Undefined for an item without duration. */
  readonly to?: number;
  /** True when it had not ended when the record was written. */
  readonly open?: true;
  /** True when it is an error. */
  readonly failed?: true;
  /** How a bar is drawn. Undefined when the bar is drawn as usual for its kind. */
  readonly tone?: 'good' | 'bad' | 'waiting' | 'off';
  /** A summary of one line. */
  readonly summary: string;
  /** Details that are not in the summary or in the other members. */
  readonly facts?: readonly Fact[];
  /** Index in `objects` of the object that it is about. */
  readonly object?: number;
  /**
   * Index in the object's `versions`: the state that the operator knew then, or the result of a
   * write.
   */
  readonly version?: number;
  /**
   * Index in the object's `versions` of the state to compare with. For a reconcile: the state at the attempt
   * before; for a write: the state that the operator knew when it wrote; otherwise the state before.
   */
  readonly before?: number;
  /** Index in `texts` of the body that was sent. */
  readonly sent?: number;
  /** Only for a reconcile, and for the calls that belong to it. */
  readonly attempt?: number;
  /** For a reconcile: how long its key had been ready. */
  readonly waitedMs?: number;
}

export interface TimelineObject {
  readonly kind: string;
  readonly key: string;
  /** In the order in which the operator received them. */
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
