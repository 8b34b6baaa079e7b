/** One operation of a metrics file, checked. */
export type MetricOperation = ExpireOperation | ValueOperation;

/** Drops all series of a group. */
interface ExpireOperation {
  readonly action: 'expire';
  readonly group: string;
}

/** Changes one series. */
export type ValueOperation = Series &
  (
    | { readonly action: 'add' | 'set' }
    /** The upper bounds of the buckets, in ascending order, without infinity. */
    | { readonly action: 'observe'; readonly buckets: readonly number[] }
  );

interface Series {
  readonly name: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Identifies the labels: equal labels have equal keys. The label `hook` is not part of the key,
   * because the runner sets it.
   */
  readonly key: string;
  /** The group of the series. If undefined, the series never expires. */
  readonly group: string | undefined;
}
