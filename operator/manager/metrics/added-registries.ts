import type { Log } from '../../controller/reconciler.ts';
import { NEVER_ABORTED, withTimeout } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { claimedNames } from './claimed-names.ts';
import type { MetricFamily } from './exposition.ts';
import type { MetricsRegistry } from './registry.ts';

/**
 * Milliseconds: half of Prometheus' default scrape timeout, so that the toolkit's own metrics still arrive.
 */
const LIMIT_MS = 5_000;

type RegistryMetric = Awaited<ReturnType<MetricsRegistry['getMetricsAsJSON']>>[number];

/** Reads the registries with the operator's own metrics for each scrape. */
export class AddedRegistries {
  readonly #registries: readonly MetricsRegistry[];
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'error'>;
  /** Reads that are running. While a registry hangs, further scrapes do not read it again. */
  readonly #underWay = new Map<MetricsRegistry, Promise<readonly RegistryMetric[]>>();
  readonly #failed = new Set<MetricsRegistry>();
  readonly #omitted = new Set<string>();

  constructor(
    registries: readonly MetricsRegistry[],
    { clock, log }: { readonly clock: Clock; readonly log: Pick<Log, 'error'> },
  ) {
    this.#registries = registries;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * The metrics of all registries, without those whose names `own` or an earlier registry already uses. If a
   * registry fails or takes more than 5 s, only the metrics of that registry are missing. Each name conflict
   * and each failing registry is logged once. Never rejects.
   */
  async families(own: readonly MetricFamily[]): Promise<readonly MetricFamily[]> {
    const all = await Promise.all(this.#registries.map((each) => this.#read(each)));
    const taken = new Set(own.flatMap(claimedNames));
    const kept: MetricFamily[] = [];
    const omitted: string[] = [];
    for (const family of all.flat()) {
      const names = claimedNames(family);
      if (names.some((name) => taken.has(name))) omitted.push(family.name);
      else kept.push(family);
      for (const name of names) taken.add(name);
    }
    this.#reportOmitted(omitted);
    return kept;
  }

  async #read(registry: MetricsRegistry): Promise<readonly MetricFamily[]> {
    try {
      const limits = { clock: this.#clock, signal: NEVER_ABORTED, timeoutMs: LIMIT_MS };
      const metrics = await withTimeout(limits, () => this.#metricsOf(registry));
      return metrics.map(familyOf).map(usable);
    } catch (err) {
      if (!this.#failed.has(registry)) {
        this.#failed.add(registry);
        this.#log.error({ err }, "a registry of the operator's own metrics cannot be read");
      }
      return [];
    }
  }

  #metricsOf(registry: MetricsRegistry): Promise<readonly RegistryMetric[]> {
    const known = this.#underWay.get(registry);
    if (known !== undefined) return known;
    // This function is `async`, so that a registry that throws synchronously also causes a rejection.
    const read = (async () => registry.getMetricsAsJSON())().finally(() =>
      this.#underWay.delete(registry),
    );
    read.catch(() => {}); // the scrape that gave up ignores the failure
    this.#underWay.set(registry, read);
    return read;
  }

  #reportOmitted(names: readonly string[]): void {
    const metrics = names.filter((name) => !this.#omitted.has(name));
    if (metrics.length === 0) return;
    for (const name of metrics) this.#omitted.add(name);
    this.#log.error(
      { metrics },
      'metrics of the operator are not exported because their names are taken',
    );
  }
}

/** A prom-client metric as a family of samples. */
export function familyOf({ name, type, help, values = [] }: RegistryMetric): MetricFamily {
  const samples = values.map((value) => ({
    name: value.metricName ?? name,
    labels: value.labels as Record<string, string | number>,
    value: value.value,
  }));
  return { name, type: String(type), help, samples };
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * `family` without labels that have no value: prom-client keeps a label whose value is undefined.
 *
 * @throws TypeError for a metric that would make the whole scrape unreadable. prom-client itself never
 * returns such a metric.
 */
function usable(family: MetricFamily): MetricFamily {
  const { name, type, help } = family;
  const samples = family.samples.map((sample) => ({
    ...sample,
    labels: Object.fromEntries(
      Object.entries(sample.labels).filter(([, value]) => value !== undefined),
    ),
  }));
  const isUsable =
    NAME.test(name) &&
    /^[a-z]+$/.test(type) &&
    typeof help === 'string' &&
    samples.every(
      (sample) =>
        NAME.test(sample.name) &&
        typeof sample.value === 'number' &&
        Object.entries(sample.labels).every(
          ([label, value]) => LABEL.test(label) && ['string', 'number'].includes(typeof value),
        ),
    );
  if (isUsable) return { ...family, samples };
  throw new TypeError(`metric ${JSON.stringify(name)} is not as prom-client would give it`);
}
