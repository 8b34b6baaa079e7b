/**
 * A strict reader of the text formats of Prometheus 0.0.4 and OpenMetrics 1.0.0, written from their
 * descriptions and independent of what writes them. Refuses what a lenient scraper would let pass:
 * samples without a type, series twice, histograms that do not add up.
 */

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ParsedSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const NUMBER = /^(?:[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]{2,3})?|[-+]Inf|NaN)$/;

/** @throws Error that names the first line that is not of the format. */
export function parsedExposition(
  text: string,
  format: 'text' | 'openmetrics' = 'text',
): ReadonlyMap<string, ParsedFamily> {
  const isOpen = format === 'openmetrics';
  const lines = text.split('\n');
  expectThat(lines.pop() === '', 'the text ends with a newline');
  if (isOpen) expectThat(lines.pop() === '# EOF', 'the text ends with # EOF');
  const families = new Map<string, ParsedFamily>();
  const seen = new Set<string>();
  let current: { name: string; help: string; type: string; samples: ParsedSample[] } | undefined;
  for (const line of lines) {
    const comment = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    const [, word, name = '', rest = ''] = comment ?? [];
    if (word === 'HELP') {
      expectThat(NAME.test(name) && !families.has(name), `one group for each name: ${line}`);
      current = { name, help: rest, type: '', samples: [] };
      families.set(name, current);
    } else if (word === 'TYPE') {
      expectThat(current?.name === name && current.type === '', `TYPE follows HELP: ${line}`);
      expectThat(
        ['counter', 'gauge', 'histogram', 'summary'].includes(rest),
        `known type: ${line}`,
      );
      if (current !== undefined) current.type = rest;
    } else {
      const sample = parsedSample(line);
      const series = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      expectThat(!seen.has(series), `each series once: ${line}`);
      seen.add(series);
      expectThat(current !== undefined && current.type !== '', `a sample has a type: ${line}`);
      if (current === undefined) continue;
      const suffix = after(current.name, sample.name);
      expectThat(suffix !== undefined && suffixes(current.type, isOpen).includes(suffix), line);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function parsedSample(line: string): ParsedSample {
  const [, name = '', inner, value = ''] = SAMPLE.exec(line) ?? [];
  expectThat(name !== '' && NUMBER.test(value), `a sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let end = 0;
  while (inner !== undefined && end < inner.length) {
    const match = LABEL.exec(inner);
    expectThat(match !== null, `labels: ${line}`);
    const [, label = '', escaped = ''] = match ?? [];
    expectThat(!(label in labels), `each label once: ${line}`);
    labels[label] = escaped.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
    end = LABEL.lastIndex;
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function suffixes(type: string, isOpen: boolean): readonly string[] {
  if (type === 'counter') return isOpen ? ['_total'] : [''];
  if (type === 'histogram') return ['_bucket', '_sum', '_count'];
  return type === 'summary' ? ['', '_sum', '_count'] : [''];
}

function after(family: string, sample: string): string | undefined {
  return sample.startsWith(family) ? sample.slice(family.length) : undefined;
}

/** Per series: bounds ascend, counts never fall, +Inf is last and equals `_count`. */
function checkHistogram({ name, samples }: ParsedFamily): void {
  const bySeries = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) =>
    JSON.stringify(labels),
  );
  for (const [series, all] of bySeries) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const counts = buckets.map(({ value }) => value);
    const ascends = bounds.every((bound, at) => at === 0 || bound > (bounds[at - 1] ?? 0));
    const grows = counts.every((count, at) => at === 0 || count >= (counts[at - 1] ?? 0));
    const total = all.find((sample) => sample.name === `${name}_count`)?.value;
    expectThat(ascends && grows, `buckets of ${name}${series} ascend`);
    expectThat(bounds.at(-1) === Number.POSITIVE_INFINITY, `${name}${series} has +Inf`);
    expectThat(counts.at(-1) === total, `${name}${series} adds up`);
    expectThat(
      all.some((sample) => sample.name === `${name}_sum`),
      `${name}${series} has a sum`,
    );
  }
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not the exposition format: ${what}`);
}
