/**
 * Every alert, made to fire by its fault: a real operator is scraped by a real Prometheus, before the fault and with it, and
 * `promtool` says which alerts fire when both go on for an hour.
 *
 * @module-tag prometheus
 * @module-tag promtool
 */
import type { FaultRule } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { alertsOf } from '../../operator/generate/monitoring/alerts.ts';
import { seriesWith } from '../../operator/generate/monitoring/series.ts';
import { ClerkProcess, COUNT, RULES, SHARDED } from './support/clerk-process.ts';
import { alertsFiring, checkedRules } from './support/simulated-alerts.ts';

interface Fault {
  readonly alert: string;
  /** More variables of the operator. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Between scrapes. Default 250 ms. */
  readonly intervalMs?: number;
  /** Before the operator is calm. Default: nothing. */
  prepare?(clerk: ClerkProcess): void;
  cause(clerk: ClerkProcess): void | Promise<void>;
  /** An expression that has a result when the scrape shows the fault. */
  readonly shown: string;
}

const SECRETS = '/api/v1/namespaces/demo/secrets';
/** Its watches end now and then, as those of every API server, and it opens them again. */
const ENDING: FaultRule = { verbs: ['watch'], path: SECRETS, cutWatch: 'clean', delayMs: 1_500 };
const REFUSED: FaultRule = { path: SECRETS, status: 403 };

const FAULTS: readonly Fault[] = [
  {
    alert: 'ChanceryOperatorDown',
    cause: (clerk) => clerk.crash(),
    shown: 'up == 0',
  },
  {
    alert: 'ChanceryNoLeader',
    cause: (clerk) => clerk.restart(() => clerk.occupy('clerk')),
    shown: 'leader_election_master_status == 0',
  },
  {
    alert: 'ChanceryGroupWithoutHolder',
    env: SHARDED,
    cause: (clerk) => clerk.restart(() => clerk.occupy('clerk-group-2')),
    shown: 'chancery_shard_groups{phase="owning"} == 3',
  },
  {
    alert: 'ChanceryEventLoopBlocked',
    intervalMs: 2_000,
    cause: (clerk) => clerk.tell('block'),
    shown:
      'chancery_event_loop_delay_seconds_bucket{le=~"1|1.0"} < ignoring (le) chancery_event_loop_delay_seconds_count',
  },
  {
    alert: 'ChanceryReconcilesFailing',
    cause: (clerk) => clerk.tell('fail', COUNT),
    shown: 'controller_runtime_reconcile_errors_total > 20',
  },
  {
    alert: 'ChanceryReconcilePanics',
    cause: (clerk) => clerk.tell('panic'),
    shown: 'controller_runtime_reconcile_panics_total > 0',
  },
  {
    alert: 'ChanceryReconcileStuck',
    cause: (clerk) => clerk.tell('hang'),
    shown: 'workqueue_longest_running_processor_seconds > 0.4',
  },
  {
    alert: 'ChanceryQueueNotDraining',
    cause: (clerk) => clerk.tell('wait', COUNT),
    shown: 'sum(workqueue_depth) > 10',
  },
  {
    alert: 'ChanceryWriteLoop',
    cause: (clerk) => clerk.tell('loop'),
    shown: 'chancery_write_loop_total > 0',
  },
  {
    alert: 'ChancerySourceUnhealthy',
    prepare: ({ server }) => server.faults.replace([ENDING]),
    cause: ({ server }) => server.faults.replace([REFUSED]),
    shown: 'chancery_source_state{resource="secrets",state="healthy"} == 0',
  },
  {
    alert: 'ChanceryRequestsFailing',
    prepare: ({ server }) =>
      server.faults.replace([{ path: '/api/v1/namespaces/demo/configmaps/broken', status: 503 }]),
    cause: (clerk) => clerk.tell('ask'),
    shown: 'rest_client_requests_total{code="503"} > 1',
  },
  {
    alert: 'ChanceryWebhookFailing',
    cause(clerk) {
      const asking = setInterval(() => void clerk.review('throw').catch(() => {}), 100);
      onTestFinished(() => clearInterval(asking));
    },
    shown: 'chancery_webhook_reviews_total{outcome="failed"} > 0',
  },
];

test('for every alert there is a fault that makes it fire', () => {
  const names = alertsOf(seriesWith('', {})).map(({ name }) => name);

  expect(FAULTS.map(({ alert }) => alert)).toEqual(names);
});

test('promtool accepts the rules of the alerts', async () => {
  expect(await checkedRules(RULES)).toContain(`SUCCESS: ${FAULTS.length} rules found`);
});

test.each(FAULTS)('$alert fires after its fault, and no other alert fires', {
  timeout: 200_000,
}, async (fault) => {
  const { prepare, env, intervalMs, cause, shown } = fault;
  const clerk = await ClerkProcess.start(env);
  prepare?.(clerk);
  const prometheus = await clerk.watched({ ...(intervalMs !== undefined && { intervalMs }) });
  await prometheus.until('controller_runtime_reconcile_total{result="requeue_after"} > 20');
  if (env === SHARDED) await prometheus.until('chancery_shard_groups{phase="owning"} == 4');
  const calm = await prometheus.record();

  await cause(clerk);
  await prometheus.until(shown);
  const faulty = await prometheus.record();

  expect(await alertsFiring(RULES, calm, faulty)).toEqual([fault.alert]);
});
