/** The two text formats of metrics. */
export type ExpositionFormat = 'text' | 'openmetrics';

/** A source of metrics that can be scraped. */
export interface Exposition {
  /** The current values of all metrics, as the body of an answer. */
  expose(format: ExpositionFormat): Promise<string>;
}

export const CONTENT_TYPE: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** One line of a metric in a scrape. */
interface Sample {
  /** Includes the suffix of a histogram's series, such as `_bucket`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric with its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Formats families, sorted by name. Numbers are formatted as in Go, so that the `le` labels are equal. */
export function formatExposition(
  families: readonly MetricFamily[],
  format: ExpositionFormat,
): string {
  const sorted = families.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const text = sorted.map((family) => formatFamily(family, format)).join('');
  return format === 'openmetrics' ? `${text}# EOF\n` : text;
}

function formatFamily(
  { name, type, help, samples }: MetricFamily,
  format: ExpositionFormat,
): string {
  const isOpen = format === 'openmetrics';
  const isOpenCounter = isOpen && type === 'counter';
  const family = isOpenCounter ? name.replace(/_total$/, '') : name;
  const lines = samples.map((sample) => {
    const own = isOpenCounter ? `${sample.name.replace(/_total$/, '')}_total` : sample.name;
    return `${own}${formatLabels(sample.labels, isOpen)} ${formatNumber(sample.value)}\n`;
  });
  const plain = escaped(help);
  const text = isOpen ? plain.replaceAll('"', '\\"') : plain;
  return `# HELP ${family} ${text}\n# TYPE ${family} ${type}\n${lines.join('')}`;
}

function formatLabels(labels: Sample['labels'], isOpen: boolean): string {
  const parts = Object.entries(labels).map(([label, value]) => {
    const text = typeof value === 'number' ? formatBound(value, isOpen) : value;
    return `${label}="${escaped(text).replaceAll('"', '\\"')}"`;
  });
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

/** OpenMetrics requires a decimal point even in integer bucket bounds (`1.0`). */
function formatBound(value: number, isOpen: boolean): string {
  const text = formatNumber(value);
  return isOpen && /^-?[0-9]+$/.test(text) ? `${text}.0` : text;
}

/** The shortest digits for this number, formatted as in Go: 1e-08, not 1e-8 or 0.00000001. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return String(value);
  return value.toExponential().replace(/e([-+])([0-9])$/, 'e$10$2');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
