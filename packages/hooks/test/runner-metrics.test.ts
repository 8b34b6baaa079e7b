/** The metrics of the runner: what is named is collected and measured. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PrometheusMeter } from '../../../operator/manager/metrics/prometheus-meter.ts';
import { HOOK_METRICS } from '../src/engine/metric-names.ts';
import { runnerMetrics } from '../src/metrics/runner-metrics.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const metrics = runnerMetrics('shell_operator_');

/** Files of a folder whose path ends so, joined. */
function textOf(folder: string, end: RegExp): string {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => end.test(file))
    .map((file) => readFileSync(`${root}${folder}/${file}`, 'utf8'))
    .join('\n');
}

test('every metric of the runner is collected, and starts with the configured prefix', () => {
  const collected = runnerMetrics('farm_');

  const names = collected.map(({ name }) => name);
  expect(names.toSorted()).toEqual(Object.values(HOOK_METRICS).toSorted());
  expect(collected.every(({ shownAs = '' }) => shownAs.startsWith('farm_'))).toBe(true);
});

test('every metric of the runner is measured, or is computed from a metric of the toolkit', () => {
  const code = textOf('packages/hooks/src', /(?<!metric-names|runner-metrics)\.ts$/);
  const sums = new Set(metrics.filter(({ sumOf }) => sumOf !== undefined).map(({ name }) => name));

  const unmeasured = Object.entries(HOOK_METRICS).filter(
    ([field, name]) => !sums.has(name) && !new RegExp(`HOOK_METRICS\\.${field}\\b`).test(code),
  );

  expect(unmeasured).toEqual([]);
});

test('failures of lists and watches are counted with the error types of client-go', async () => {
  const meter = new PrometheusMeter({ more: runnerMetrics('acme_') });
  const reasons = ['expired', 'ended-at-once', 'broken', 'stalled', 'forbidden', 'forbidden'];
  for (const reason of reasons) meter.count('chancery_source_failures_total', { reason });

  const text = await meter.expose('text');

  const counts = text.matchAll(/^acme_kubernetes_client_watch_errors_total\{(.*)\} (\d)$/gm);
  expect([...counts].map((match) => match.slice(1))).toEqual([
    ['error_type="expired"', '1'],
    ['error_type="eof"', '1'],
    ['error_type="unexpected-eof"', '2'],
    ['error_type="fail"', '2'],
  ]);
});
