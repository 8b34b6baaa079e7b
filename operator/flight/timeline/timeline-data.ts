/**
 * The data of the page, as JSON. The code in this folder creates the data, and the scripts in `page/` draw
 * them. Times are times of the record, in milliseconds since the recorder began. All sentences for people are
 * part of the data, so that the chart, the table and screen readers use the same words.
 */
export interface TimelineData {
  readonly title: string;
  /** Facts that the reader must know first, for example that the record was cut off. */
  readonly warnings: readonly string[];
  readonly about: readonly AboutPart[];
  /** The period that the chart shows at first. */
  readonly from: number;
  readonly to: number;
  /**
   * Pairs of a time of the record and the wall time at that time, in milliseconds since 1970. The pairs are
   * ordered, and there is at least one.
   */
  readonly walls: readonly (readonly [at: number, wall: number])[];
  /** The rows, from top to bottom. */
  readonly rows: readonly TimelineRow[];
  /** The items, ordered by `at`. */
  readonly items: readonly TimelineItem[];
  readonly objects: readonly TimelineObject[];
  /** Each distinct line of all strings in `texts`, once. */
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
 * - `wake`: something enqueued the key. `reconcile`: an attempt to reconcile the key.
 * - `write`: a request that may change an object, from sending it to its answer.
 * - `read`: any other call.
 * - `held`: a policy delays the key.
 * - `change`: a list or a watch contained a new state of an object, or no longer contained the object.
 * - `watch`: a state of a source's watch, or the end of a watch.
 * - `leader`: the process is or is not the leader.
 * - `log`: a warning or an error that was logged.
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
  /** Undefined for an item that has no duration. */
  readonly to?: number;
  /** True if the item had not ended when the record was written. */
  readonly open?: true;
  /** True when the item is an error. */
  readonly failed?: true;
  /** How a bar is drawn. Undefined when the bar is drawn as usual for its kind. */
  readonly tone?: 'good' | 'bad' | 'waiting' | 'off';
  /** A summary in one line. */
  readonly summary: string;
  /** Details that are neither in the summary nor in the other members. */
  readonly facts?: readonly Fact[];
  /** Index in `objects` of the object that the item is about. */
  readonly object?: number;
  /**
   * Index in the object's `versions` of the state that the operator knew at that time, or of the result of a
   * write.
   */
  readonly version?: number;
  /**
   * Index in the object's `versions` of the state to compare with. For a reconcile, the state at the previous
   * attempt; for a write, the state that the operator knew when it wrote; otherwise the previous state.
   */
  readonly before?: number;
  /** Index in `texts` of the body that was sent. */
  readonly sent?: number;
  /**
   * The id of the reconcile attempt. Set only for a reconcile, and for the calls that belong to a reconcile.
   */
  readonly attempt?: number;
  /** For a reconcile, the milliseconds for which its key had been ready when the reconcile began. */
  readonly waitedMs?: number;
}

export interface TimelineObject {
  readonly kind: string;
  readonly key: string;
  /** The states of the object, in the order in which the operator received them. */
  readonly versions: readonly TimelineVersion[];
}

export interface TimelineVersion {
  readonly at: number;
  readonly resourceVersion?: string;
  /** Index in `texts`. Undefined if the text was omitted because the page would have become too large. */
  readonly text?: number;
  /**
   * `cached`: the state was in the cache when a segment began. `answered`: it was in the answer to a call.
   */
  readonly how: 'cached' | 'watched' | 'listed' | 'answered';
  readonly deleted?: true;
}

/**
 * A text as indices in `lines`. `[base, head, tail, ...between]` stands for the first `head` lines of the
 * text `base`, then `between`, then the last `tail` lines of `base`. If `base` is -1, it has no lines.
 */
export type PackedText = readonly number[];
