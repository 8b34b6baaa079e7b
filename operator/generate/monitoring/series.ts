import { METRICS } from '../../manager/metrics/catalogue.ts';
import { shownName } from '../../manager/metrics/claimed-names.ts';
import type { Metric } from '../../manager/metrics/metric.ts';

/**
 * Returns a PromQL selector for a metric of the catalogue, of the process, or of Prometheus itself.
 *
 * @param name - the name that the toolkit emits. For a histogram, with `_bucket`, `_sum` or
 * `_count`.
 * @param matchers - additional matchers, such as `state="healthy"`.
 */
export type Series = (name: string, matchers?: string) => string;

/**
 * Metrics in a scrape that are not in the catalogue: `up` is from Prometheus, the other metrics are
 * from prom-client.
 */
const BESIDE_CATALOGUE: ReadonlySet<string> = new Set([
  'up',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_heap_size_used_bytes',
]);

/**
 * Creates selectors for metrics. Each selector contains `matchers`, and the toolkit's own metrics
 * have the prefix of the settings.
 *
 * @param options - `prefix`: the prefix of the toolkit's own metrics, default `chancery_`.
 * @returns a function that throws an `Error` for an unknown metric or label: that is a bug of the
 * toolkit.
 */
export function seriesWith(
  matchers: string,
  { prefix }: { readonly prefix?: string | undefined },
): Series {
  return (name, more = '') => {
    const metric = metricOf(name);
    for (const [, label = ''] of more.matchAll(/(\w+)(?:!?=|!?~|=~)"/g)) {
      if (metric?.labels.includes(label) === true) continue;
      throw new Error(`${name} has no label ${label}`);
    }
    const shown = metric === undefined ? name : shownName({ ...metric, name }, prefix);
    return `${shown}{${[matchers, more].filter((each) => each !== '').join(',')}}`;
  };
}

/** The metric with this name in the catalogue. Undefined for a metric from elsewhere. */
function metricOf(name: string): Metric | undefined {
  if (BESIDE_CATALOGUE.has(name)) return undefined;
  const found = METRICS.find(
    ({ name: known, type }) =>
      name === known ||
      (type === 'histogram' && name.replace(/_(?:bucket|sum|count)$/, '') === known),
  );
  if (found === undefined) throw new Error(`no metric is called ${name}`);
  return found;
}
