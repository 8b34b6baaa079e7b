/** Names of a metric's dimensions and their values. Never names of objects: there are too many. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Where measurements go. A port: whoever runs the process decides what collects them, and the parts
 * that measure know nothing of it. No method throws.
 */
export interface Meter {
  /** Adds to a counter. @param amount - default 1; never negative. */
  count(name: string, labels: Labels, amount?: number): void;
  /** Sets a gauge. */
  gauge(name: string, labels: Labels, value: number): void;
  /** Adds one value to a histogram. */
  observe(name: string, labels: Labels, value: number): void;
}

/** A meter that forgets everything. */
export const noMeter: Meter = Object.freeze({
  count: () => {},
  gauge: () => {},
  observe: () => {},
});
