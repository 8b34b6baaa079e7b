/** What a Prometheus makes of recorded series, in simulated time, by the real `promtool`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { METRICS } from '../../../operator/manager/metrics/catalogue.ts';
import { folderWith } from '../../cli/child.ts';
import { pathOf } from '../../tools/tools.ts';
import type { Recorded } from './prometheus.ts';

const run = promisify(execFile);

/** As in the PodMonitor of the manifests. */
const SCRAPE_SECONDS = 30;
/** Longer than the longest window and the longest wait of an alert together. */
const PHASE_MINUTES = 60;
/** When alerts are asked for: at the end of the calm hour, and at that of the other one. As `promtool` writes them. */
const ENDS = { calm: '59m', faulty: '1h59m' } as const;

/** Samples of an hour. */
const COUNT = (PHASE_MINUTES * 60) / SCRAPE_SECONDS;

/** Gauges that say for how long something has been going on: they grow while it does. */
const GROWING = new Set([
  'workqueue_unfinished_work_seconds',
  'workqueue_longest_running_processor_seconds',
]);

/**
 * Names of the alerts that fire when an operator goes on for an hour as it was recorded, and then for an hour as it was recorded
 * with a fault. Each is named as often as it fires.
 *
 * @throws Error when `promtool` refuses the rules, and when an alert fires before the fault.
 */
export async function alertsFiring(
  rules: string,
  calm: readonly Recorded[],
  faulty: readonly Recorded[],
): Promise<readonly string[]> {
  const all = new Map<string, { calm?: Recorded; faulty?: Recorded }>();
  for (const each of calm) all.set(seriesOf(each), { calm: each });
  for (const each of faulty) {
    all.set(seriesOf(each), { ...all.get(seriesOf(each)), faulty: each });
  }
  const fired = `count by (alertname) (last_over_time(ALERTS{alertstate="firing"}[2h]))`;
  const test = {
    rule_files: ['rules.yaml'],
    evaluation_interval: `${SCRAPE_SECONDS}s`,
    tests: [
      {
        interval: `${SCRAPE_SECONDS}s`,
        input_series: [...all].map(([series, phases]) => ({ series, values: valuesOf(phases) })),
        promql_expr_test: [
          { expr: fired, eval_time: ENDS.calm, exp_samples: [] },
          // Nobody has such an alert: promtool tells what there is in its place.
          {
            expr: fired,
            eval_time: ENDS.faulty,
            exp_samples: [{ labels: '{alertname="none"}', value: 0 }],
          },
        ],
      },
    ],
  };
  const folder = folderWith({ 'rules.yaml': rules, 'test.yaml': JSON.stringify(test) });
  const output = await outputOf(['test', 'rules', join(folder, 'test.yaml')]);
  const [before, after] = [ENDS.calm, ENDS.faulty].map((time) => gotAt(output, time));
  if (before !== undefined || after === undefined) throw new Error(`promtool: ${output}`);
  return [...after.matchAll(/\{alertname="(\w+)"\} (\d+)/g)].flatMap(([, name = '', count]) =>
    Array.from({ length: Number(count) }, () => name),
  );
}

/** Checks the rules as `promtool check rules` does. Resolves to what it prints. */
export function checkedRules(rules: string): Promise<string> {
  const folder = folderWith({ 'rules.yaml': rules });
  return outputOf(['check', 'rules', join(folder, 'rules.yaml')]);
}

async function outputOf(args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await run(pathOf('promtool'), args, { maxBuffer: 64 * 1024 * 1024 });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    return stdout + stderr;
  }
}

/** What `promtool` says it got instead of what was expected at a time. */
function gotAt(output: string, time: string): string | undefined {
  const [, part] = output.split(`time: ${time},`);
  return part === undefined ? undefined : /got:(.*)/.exec(part)?.[1];
}

/** The series as Prometheus writes it, with its labels in order. */
function seriesOf({ labels }: Recorded): string {
  const { __name__: name = '', ...rest } = labels;
  const shown = Object.entries(rest)
    .toSorted()
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${shown.join(',')}}`;
}

/** A line of samples that goes on as the recorded ones did. */
function valuesOf({ calm, faulty }: { calm?: Recorded; faulty?: Recorded }): string {
  const before = calm === undefined ? `_x${COUNT}` : going(calm, lastOf(calm));
  if (faulty === undefined) return `${before} stale _x${COUNT - 1}`;
  const more = lastOf(faulty) - (calm === undefined ? 0 : lastOf(calm));
  // A counter of the same process goes on from where the simulated hour has brought it.
  const isSame = calm !== undefined && isCounter(faulty) && more >= 0;
  const from = isSame ? lastOf(calm) + slopeOf(calm) * SCRAPE_SECONDS * COUNT + more : undefined;
  return `${before} ${going(faulty, from ?? lastOf(faulty))}`;
}

/** What grows goes on growing, from a number. What does not is as it was, again and again. */
function going(recorded: Recorded, from: number): string {
  if (!isGrowing(recorded)) {
    const values = recorded.values.map(([, value]) => written(value));
    return Array.from({ length: COUNT }, (_, at) => values[at % values.length]).join(' ');
  }
  return `${written(from)}+${written(slopeOf(recorded) * SCRAPE_SECONDS)}x${COUNT - 1}`;
}

function isGrowing(recorded: Recorded): boolean {
  if (isCounter(recorded)) return true;
  const { labels, values } = recorded;
  const isDuration = GROWING.has(labels.__name__ ?? '');
  const wentUp = values.every(([, value], at) => value >= (values[at - 1]?.[1] ?? 0));
  return isDuration && wentUp && slopeOf(recorded) > 0;
}

/** How much it grew in a second. */
function slopeOf({ values }: Recorded): number {
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined || first === last) return 0;
  return Math.max(last[1] - first[1], 0) / (last[0] - first[0]);
}

function lastOf({ values }: Recorded): number {
  return values.at(-1)?.[1] ?? 0;
}

function isCounter({ labels: { __name__: name = '' } }: Recorded): boolean {
  const base = name.replace(/_(?:bucket|sum|count)$/, '');
  const known = METRICS.find((metric) => metric.name === name || metric.name === base);
  return known === undefined ? /_(?:total|bucket|count|sum)$/.test(name) : known.type !== 'gauge';
}

function written(value: number): string {
  return value.toFixed(9);
}
