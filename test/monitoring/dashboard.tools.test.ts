/**
 * The dashboard beside an operator in which everything goes wrong: two replicas are scraped by a real Prometheus, and every
 * query of every panel finds something.
 *
 * @module-tag prometheus
 */
import type { FaultRule } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { dashboardFile } from '../../operator/generate/monitoring/monitoring.ts';
import { ClerkProcess, JOB, MONITORING, RULES, SHARDED } from './support/clerk-process.ts';
import type { Prometheus } from './support/prometheus.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const dashboard = JSON.parse(
  MONITORING.dashboard.data[dashboardFile(JOB)] ?? '',
) as unknown as Dashboard;

const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

/** Watches end and are refused, Events are refused, and one object cannot be read. */
const FAULTS: readonly FaultRule[] = [
  { verbs: ['watch'], path: '/api/v1/namespaces/demo/secrets', count: 1, status: 500 },
  { verbs: ['watch'], path: '/api/v1/namespaces/demo/secrets', cutWatch: 'clean', delayMs: 1_500 },
  { path: '/apis/events.k8s.io/v1/namespaces/demo/events', status: 403 },
  { path: '/api/v1/namespaces/demo/configmaps/broken', status: 503 },
];

/** As Grafana fills them in when a person has chosen everything. */
function filledIn(expr: string): string {
  return expr
    .replaceAll('$namespace', '.*')
    .replaceAll('$pod', '.*')
    .replaceAll('$__rate_interval', '1h');
}

/** What is wrong with a query now; undefined when it has a number, and every line of it a name. */
async function problemOf(
  prometheus: Prometheus,
  { title, expr, legendFormat }: (typeof queries)[number],
): Promise<string | undefined> {
  const samples = await prometheus.query(filledIn(expr));
  if (!samples.some(({ value }) => Number.isFinite(value))) return `${title}: ${expr} has no data`;
  const wanted = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  const missing = wanted.filter((label) => samples.every(({ labels }) => !(label in labels)));
  return missing.length === 0 ? undefined : `${title}: no line has ${missing.join(' and ')}`;
}

test('every query of the dashboard has data, and every line in a panel has a name', {
  timeout: 200_000,
}, async () => {
  const clerk = await ClerkProcess.start(SHARDED);
  clerk.server.faults.replace(FAULTS);
  const alone = await clerk.watched();
  await alone.until('chancery_shard_groups{phase="owning"} == 4');
  // The first gives groups to the second, which came later.
  const second = await ClerkProcess.start({ ...SHARDED, POD_UID: crypto.randomUUID() }, clerk);
  const prometheus = await clerk.watched({ rules: RULES }, second);
  for (const [at, fault] of ['fail', 'panic', 'hang', 'wait', 'loop', 'ask', 'tell'].entries()) {
    clerk.tell(fault, 1, at);
  }
  const asking = setInterval(() => {
    for (const fault of ['nothing', 'deny', 'throw']) void clerk.review(fault).catch(() => {});
  }, 200);
  onTestFinished(() => clearInterval(asking));
  // A rate needs a first hand-over to compare with, so there is a second one.
  await prometheus.until('sum(chancery_shard_handover_seconds_count) > 0');
  await second.restart(() => {});

  const problems = await prometheus.settled(async () => {
    const found = await Promise.all(queries.map((each) => problemOf(prometheus, each)));
    return found.filter((each) => each !== undefined);
  });

  expect(problems).toEqual([]);
  expect(queries.length).toBeGreaterThan(40);
  expect(await prometheus.brokenRules()).toEqual([]);
});
