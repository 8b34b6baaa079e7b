/** One operation of a metrics file, checked. */
export type MetricOperation =
  | { readonly action: 'expire'; readonly group: string }
  | {
      readonly action: 'add' | 'set';
      readonly name: string;
      readonly value: number;
      readonly labels: Readonly<Record<string, string>>;
      readonly group?: string;
    }
  | {
      readonly action: 'observe';
      readonly name: string;
      readonly value: number;
      readonly buckets: readonly number[];
      readonly labels: Readonly<Record<string, string>>;
      readonly group?: string;
    };
