import type { Labels, Meter } from 'chancery/internal';

/** A meter whose values a test can read. */
export class RecordingMeter implements Meter {
  readonly #values = new Map<string, number>();
  readonly #observations = new Map<string, number[]>();

  count(name: string, labels: Labels, amount = 1): void {
    const key = keyOf(name, labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  gauge(name: string, labels: Labels, value: number): void {
    this.#values.set(keyOf(name, labels), value);
  }

  observe(name: string, labels: Labels, value: number): void {
    const key = keyOf(name, labels);
    const known = this.#observations.get(key) ?? [];
    known.push(value);
    this.#observations.set(key, known);
  }

  /** The sum of a counter, or the last value of a gauge, over all series with these labels. */
  value(name: string, labels: Labels = {}): number {
    let sum = 0;
    for (const [key, value] of this.#values) if (matches(key, name, labels)) sum += value;
    return sum;
  }

  /**
   * A copy of all values as plain data, so that two snapshots can be compared. A key is
   * `name{label="value",...}` with sorted labels. A value is the value of a counter or gauge, or
   * the list of observations of a histogram.
   */
  snapshot(): Readonly<Record<string, number | readonly number[]>> {
    const all = [...this.#values, ...[...this.#observations].map(([key, of]) => [key, [...of]])];
    return Object.fromEntries(
      (all as [string, number | number[]][]).map(([key, value]) => [seriesOf(key), value]).sort(),
    );
  }

  /** Every value of a histogram, over all series with these labels. */
  observations(name: string, labels: Labels = {}): readonly number[] {
    return [...this.#observations]
      .filter(([key]) => matches(key, name, labels))
      .flatMap(([, values]) => values);
  }
}

/** Cached series keys by their labels object. Callers pass the same labels again and again. */
const KEYS = new WeakMap<Labels, Map<string, string>>();

function keyOf(name: string, labels: Labels): string {
  const known = KEYS.get(labels) ?? new Map<string, string>();
  KEYS.set(labels, known);
  const key = known.get(name) ?? JSON.stringify([name, Object.entries(labels).sort()]);
  known.set(name, key);
  return key;
}

function matches(key: string, name: string, labels: Labels): boolean {
  const [known, entries] = JSON.parse(key) as [string, [string, string][]];
  const has = Object.fromEntries(entries);
  return known === name && Object.entries(labels).every(([label, value]) => has[label] === value);
}

/** The series as Prometheus writes it. */
function seriesOf(key: string): string {
  const [name, entries] = JSON.parse(key) as [string, [string, string][]];
  const labels = entries.map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
}
