/** The tables of metrics: those of the toolkit, and those of the packages that have a runner. */
import { METRICS } from '../../operator/manager/metrics/catalogue.ts';
import type { Metric } from '../../operator/manager/metrics/metric.ts';
import { runnerMetrics } from '../../packages/hooks/src/metrics/runner-metrics.ts';
import { SUPERVISOR_METRICS } from '../../packages/metacontroller/src/supervisor/supervisor-metrics.ts';
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

export const HOOKS_METRICS_PART: MadePart = {
  page: 'reference/hooks.md',
  of: 'metrics of hooks',
  text: () => tableOf(HEAD, runnerMetrics().map(rowOf)),
};

export const METACONTROLLER_METRICS_PART: MadePart = {
  page: 'guides/write/metacontroller.md',
  of: 'metrics of chancery metacontroller',
  text: () => tableOf(HEAD, SUPERVISOR_METRICS.map(rowOf)),
};

function rowOf({ name, type, labels, help, detailed }: Metric): readonly string[] {
  const shown = labels.map((label) => `\`${label}\``).join(' ') || '–';
  return [`\`${name}\``, type, shown, detailed === true ? `${help} (detailed)` : help];
}
