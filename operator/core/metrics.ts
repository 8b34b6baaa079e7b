/**
 * Names and values of a metric's labels. A label must never contain names of objects, because there are too
 * many of them.
 */
export type Labels = Readonly<Record<string, string>>;

/**
 * Receives measurements. The program decides how they are collected, and the code that measures does not
 * depend on the decision. No method throws.
 */
export interface Meter {
  /** Adds to a counter. @param amount - must not be negative. Default 1. */
  count(name: string, labels: Labels, amount?: number): void;
  /** Sets a gauge. */
  gauge(name: string, labels: Labels, value: number): void;
  /** Adds one value to a histogram. */
  observe(name: string, labels: Labels, value: number): void;
}

/** A meter that discards all measurements. */
export const noMeter: Meter = Object.freeze({
  count: () => {},
  gauge: () => {},
  observe: () => {},
});
