import { METRICS } from './catalogue.ts';
import type { Metric } from './metric.ts';

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['_sum', '_count'],
};

/**
 * The names that a metric uses in a scrape: the names of its lines, and the name of its family in
 * OpenMetrics. A scrape in which two metrics share a name would be refused.
 */
export function claimedNames({
  name,
  type,
}: {
  readonly name: string;
  readonly type: string;
}): readonly string[] {
  if (type !== 'counter')
    return [name, ...(SUFFIXES[type] ?? []).map((suffix) => `${name}${suffix}`)];
  const base = name.replace(/_total$/, '');
  return [...new Set([name, base, `${base}_total`])];
}

/**
 * Matches the names of the metrics about the process that prom-client itself adds. All names that begin with
 * `nodejs_` belong to prom-client.
 */
const OF_PROCESS =
  /^(?:nodejs_|process_(?:cpu|start_time|resident_memory|virtual_memory|heap|open_fds|max_fds)(?:_|$))/;

/**
 * Returns a function that finds out which metric of the process uses a given name, even if that metric is not
 * collected.
 *
 * @param options - `prefix`: prefix of the toolkit's own metrics, default `chancery_`. `more`: metrics in
 *   addition to the catalogue.
 */
export function claimsOfProcess({
  prefix,
  more,
}: {
  readonly prefix?: string | undefined;
  readonly more: readonly Metric[];
}): (name: string) => string | undefined {
  const claims = new Map<string, string>();
  for (const metric of [...METRICS, ...more]) {
    const name = shownName(metric, prefix);
    for (const claimed of claimedNames({ name, type: metric.type })) claims.set(claimed, name);
  }
  return (name) => claims.get(name) ?? (OF_PROCESS.test(name) ? name : undefined);
}

/** The name of a metric in the scrape. */
export function shownName({ name, shownAs }: Metric, prefix = 'chancery_'): string {
  return shownAs ?? name.replace(/^chancery_/, prefix);
}
