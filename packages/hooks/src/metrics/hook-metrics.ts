import { claimedNames, familyOf, formatExposition, type MetricsRegistry } from 'chancery/internal';
import type { MetricOperation, ValueOperation } from './metric-operation.ts';

/**
 * Maximum number of series of all hooks together. Without it, labels with unbounded values would
 * use up all memory.
 */
export const MAX_HOOK_SERIES = 10_000;

/**
 * Maximum number of characters in the labels of all series: about 800 per series. Usual series have
 * 100.
 */
const MAX_LABEL_CHARS = 8_000_000;

type MetricValue = { value: number; labels: Record<string, string | number>; metricName?: string };

/** All series with the same name. */
interface Family {
  /** The hook that reported the name first. */
  readonly hook: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Buckets of a histogram; empty for other types. */
  readonly buckets: readonly number[];
  readonly series: Map<string, Series>;
}

interface Series {
  /** The labels, sorted by name. */
  readonly labels: Readonly<Record<string, string>>;
  group: string | undefined;
  /** The value of the series. For a histogram, the sum of all reported values. */
  value: number;
  count: number;
  /** The number of values up to each bound of a histogram. */
  readonly upTo: number[];
}

const TYPES = { add: 'counter', set: 'gauge', observe: 'histogram' } as const;

/**
 * The metrics that hooks report. Series without a group exist and keep counting as long as the
 * process runs. When a run uses a group for the first time, all series of that group are dropped,
 * even series of other hooks, because the run reports the whole group again.
 */
export class HookMetrics implements MetricsRegistry {
  readonly #families = new Map<string, Family>();
  /** Every name that occurs in a scrape, with the name of the family to which it belongs. */
  readonly #claims = new Map<string, string>();
  readonly #ofRunner: (name: string) => string | undefined;

  /**
   * @param ofRunner - returns the process's own metric that uses the given name in a scrape, if there is one.
   * Hooks cannot use such names.
   */
  constructor(ofRunner: (name: string) => string | undefined) {
    this.#ofRunner = ofRunner;
  }

  /**
   * Reserves the names of valid operations, so that `apply` cannot fail. Returns undefined on
   * success. From then on, the types of these names are fixed.
   *
   * Returns the problem when a name has another type or other buckets, when its lines in a scrape
   * would have the same name as the lines of another metric, or when there are too many series.
   */
  reserve(hook: string, operations: readonly MetricOperation[]): string | undefined {
    const known = new Set(this.#families.keys());
    const problem = this.#problemOf(hook, operations);
    if (problem === undefined) return undefined;
    // Forget the names, so that a repaired hook may use a name that it first used wrongly.
    for (const name of this.#families.keys()) if (!known.has(name)) this.#forget(name);
    return problem;
  }

  #problemOf(hook: string, operations: readonly MetricOperation[]): string | undefined {
    const groups = new Set(operations.flatMap(({ group }) => group ?? []));
    const isDropped = ({ group }: Series): boolean => group !== undefined && groups.has(group);
    const known = [...this.#families.values()].flatMap(({ series }) => [...series]);
    const kept = known.filter(([, one]) => !isDropped(one));
    const added = new Set<string>();
    let chars = kept.reduce((sum, [key]) => sum + key.length, 0);
    for (const [at, operation] of operations.entries()) {
      if (operation.action === 'expire') continue;
      const problem = this.#typeProblem(operation);
      if (problem !== undefined) return `document ${at + 1}: ${problem}`;
      const key = keyOf(operation, hook);
      const one = this.#familyFor(operation, hook).series.get(key);
      const name = `${operation.name} ${key}`;
      if ((one === undefined || isDropped(one)) && !added.has(name)) {
        added.add(name);
        chars += key.length;
      }
      const all = `document ${at + 1}: the metrics of all hooks would have more than`;
      if (kept.length + added.size > MAX_HOOK_SERIES) return `${all} ${MAX_HOOK_SERIES} series`;
      if (chars > MAX_LABEL_CHARS) return `${all} ${MAX_LABEL_CHARS} characters of labels`;
    }
    return undefined;
  }

  /** Applies operations that `reserve` has accepted. */
  apply(hook: string, operations: readonly MetricOperation[]): void {
    const renewed = new Set<string>();
    for (const operation of operations) {
      const { action, group } = operation;
      if (group !== undefined && (action === 'expire' || !renewed.has(group))) {
        this.#drop(group);
        renewed.add(group);
      }
      if (action !== 'expire') this.#change(hook, operation);
    }
  }

  /** The metrics as a prom-client registry returns them. */
  async getMetricsAsJSON(): ReturnType<MetricsRegistry['getMetricsAsJSON']> {
    return [...this.#families]
      .filter(([, { series }]) => series.size > 0)
      .map(([name, { type, buckets, series }]) => ({
        name,
        help: name,
        type,
        values: [...series]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .flatMap(([, one]) =>
            type === 'histogram'
              ? histogramValues(name, buckets, one)
              : [{ value: one.value, labels: { ...one.labels } }],
          ),
      }));
  }

  /** All metrics in the text format of Prometheus, for `/metrics/hooks`. */
  async text(): Promise<string> {
    return formatExposition((await this.getMetricsAsJSON()).map(familyOf), 'text');
  }

  #typeProblem({ name, action, ...rest }: ValueOperation): string | undefined {
    const type = TYPES[action];
    const known = this.#families.get(name);
    if (known === undefined && this.#families.size >= MAX_HOOK_SERIES) {
      return `hooks have reported more than ${MAX_HOOK_SERIES} names`;
    }
    if (known !== undefined) {
      const { hook } = known;
      if (known.type !== type) return `${name} is a ${known.type} of ${hook}, not a ${type}`;
      const buckets = 'buckets' in rest ? rest.buckets : [];
      const same = String(buckets) === String(known.buckets);
      return same ? undefined : `${name} has other buckets in ${hook}: ${known.buckets.join(', ')}`;
    }
    for (const claimed of claimedNames({ name, type })) {
      const ofRunner = this.#ofRunner(claimed);
      if (ofRunner !== undefined) {
        return `${name} would have lines of ${ofRunner}, a metric of the runner itself: choose another name`;
      }
      const other = this.#claims.get(claimed);
      if (other !== undefined) {
        const { hook } = this.#families.get(other) as Family;
        return `${name} and ${other} of ${hook} would have lines of one name`;
      }
    }
    return undefined;
  }

  #familyFor(operation: ValueOperation, hook: string): Family {
    const { name } = operation;
    const known = this.#families.get(name);
    if (known !== undefined) return known;
    const buckets = operation.action === 'observe' ? operation.buckets : [];
    const family: Family = { hook, type: TYPES[operation.action], buckets, series: new Map() };
    this.#families.set(name, family);
    for (const claimed of claimedNames({ name, type: family.type }))
      this.#claims.set(claimed, name);
    return family;
  }

  #forget(name: string): void {
    const type = this.#families.get(name)?.type ?? '';
    for (const claimed of claimedNames({ name, type })) this.#claims.delete(claimed);
    this.#families.delete(name);
  }

  #change(hook: string, operation: ValueOperation): void {
    const { buckets, series } = this.#familyFor(operation, hook);
    const key = keyOf(operation, hook);
    let one = series.get(key);
    if (one === undefined) {
      const labels = withHook(operation.labels, hook);
      one = { labels, group: undefined, value: 0, count: 0, upTo: buckets.map(() => 0) };
      series.set(key, one);
    }
    one.group = operation.group;
    if (operation.action === 'set') {
      one.value = operation.value;
      return;
    }
    one.value += operation.value;
    one.count += 1;
    for (const [at, bound] of buckets.entries()) {
      if (operation.value <= bound) one.upTo[at] = (one.upTo[at] ?? 0) + 1;
    }
  }

  #drop(group: string): void {
    for (const [name, { series }] of this.#families) {
      for (const [key, one] of series) {
        if (one.group !== group) continue;
        series.delete(key);
        if (series.size === 0) this.#forget(name);
      }
    }
  }
}

/** The labels of a series and the label `hook`, sorted by name. */
function withHook(
  labels: Readonly<Record<string, string>>,
  hook: string,
): Readonly<Record<string, string>> {
  const all = Object.entries({ ...labels, hook });
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf({ key }: ValueOperation, hook: string): string {
  return `${key} ${hook}`;
}

function histogramValues(
  name: string,
  buckets: readonly number[],
  { labels, value, count, upTo }: Series,
): readonly MetricValue[] {
  const metricName = `${name}_bucket`;
  return [
    ...buckets.map((le, at) => ({ value: upTo[at] ?? 0, labels: { ...labels, le }, metricName })),
    { value: count, labels: { ...labels, le: Number.POSITIVE_INFINITY }, metricName },
    { value, labels: { ...labels }, metricName: `${name}_sum` },
    { value: count, labels: { ...labels }, metricName: `${name}_count` },
  ];
}
