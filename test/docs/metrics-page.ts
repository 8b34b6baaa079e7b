/** The tables of docs/reference/metrics.md about the metrics, from the catalogue. */
import { METRICS } from '../../operator/manager/metrics/catalogue.ts';
import type { Metric } from '../../operator/manager/metrics/metric.ts';
import { type MadePart, tableOf } from './made-part.ts';

const HEAD = ['metric', 'type', 'labels', 'meaning'];

export const METRICS_PART: MadePart = {
  page: 'reference/metrics.md',
  of: 'metrics',
  text: () => {
    const isOwn = ({ name }: Metric): boolean => name.startsWith('chancery_');
    return [
      tableOf(HEAD, METRICS.filter((metric) => !isOwn(metric)).map(rowOf)),
      'The toolkit has metrics of its own. `CHANCERY_METRICS_PREFIX` replaces `chancery_`:',
      tableOf(HEAD, METRICS.filter(isOwn).map(rowOf)),
    ].join('\n\n');
  },
};

function rowOf({ name, type, labels, help, detailed }: Metric): readonly string[] {
  const shown = labels.map((label) => `\`${label}\``).join(' ') || '–';
  return [`\`${name}\``, type, shown, detailed === true ? `${help} (detailed)` : help];
}
