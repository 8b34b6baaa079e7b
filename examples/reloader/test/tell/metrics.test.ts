import { eventually, FakeClock } from '@chancery/testing';
import type { Runnable } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { restClient, systemClock, undiciTransport } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { type ReloadMetrics, reloadMetrics } from '../../tell/metrics.ts';
import type { Regarding } from '../../tell/observer.ts';
import { serve } from './servers.ts';

/** These runnables ask for nothing of it. */
const NO_CONTEXT = {} as Parameters<Runnable['run']>[1];

function metricsOf(byNamespace = false, clock = new FakeClock()): ReloadMetrics {
  const monotonic = (): number => clock.monotonic();
  return reloadMetrics({ byNamespace, monotonic, measuredApiUrl: undefined });
}

const about = (kind: Regarding['kind'], name: string, namespace = 'demo'): Regarding =>
  ({ kind, namespace, name }) as Regarding;

/** The lines of a registry without those that explain them. */
async function linesOf({ registry }: ReloadMetrics): Promise<readonly string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && line[0] !== '#');
}

/** The line of each bound, for a histogram that has observed one value. */
function histogram(name: string, labels: string, bounds: readonly number[], seconds: number) {
  const prefix = labels === '' ? '' : `,${labels}`;
  const buckets = [...bounds, '+Inf'].map(
    (le) => `${name}_bucket{le="${le}"${prefix}} ${Number(le === '+Inf' || seconds <= Number(le))}`,
  );
  const suffix = labels === '' ? '' : `{${labels}}`;
  return [...buckets, `${name}_sum${suffix} ${seconds}`, `${name}_count${suffix} 1`];
}

test('[reloader 23] a new process exposes metrics for both results of restarts, and for the empty queue', async () => {
  expect((await linesOf(metricsOf())).filter((line) => !line.includes('_bucket'))).toEqual([
    'reloader_reload_executed_total{success="true"} 0',
    'reloader_reload_executed_total{success="false"} 0',
    'reloader_retries_total 0',
    'reloader_workqueue_depth 0',
    'reloader_workqueue_adds_total 0',
    'reloader_workqueue_latency_seconds_sum 0',
    'reloader_workqueue_latency_seconds_count 0',
    'reloader_config_invalid_total 0',
    'reloader_baseline_reverted_total 0',
  ]);
});

test('[reloader 23] the metrics have the same names, labels and bucket bounds as in the original operator', async () => {
  const clock = new FakeClock();
  const metrics = metricsOf(true, clock);
  const { observer } = metrics;
  const change = { namespace: 'demo', name: 'app-config' };

  observer.received?.({ ...change, eventType: 'add', resourceType: 'configmaps' });
  observer.received?.({ ...change, eventType: 'update', resourceType: 'secrets' });
  observer.queued?.('Deployment/demo/web');
  clock.advance(30);
  observer.queued?.('Deployment/demo/web'); // it waits already
  observer.queued?.('DaemonSet/demo/agent');
  observer.taken?.('Deployment/demo/web');
  observer.taken?.('Deployment/demo/other'); // for another reason than a change of a resource
  observer.scanned?.('Deployment');
  observer.matched?.('Deployment');
  observer.restarted?.(about('Deployment', 'web'), [], 75);
  observer.reconciled?.('success', 80);
  observer.processed?.({ resourceType: 'secrets' });
  observer.retried?.('StatefulSet');
  observer.failed?.(about('StatefulSet', 'db', 'shop'), [], new Error('refused'), 20_000);
  observer.reconciled?.('error', 2);
  observer.skipped?.('strategy_not_updated', 'CronJob');
  observer.pending?.(about('Deployment', 'late'), 'window', 'a note');
  observer.pending?.(about('Deployment', 'later'), 'window', 'a note');
  observer.pending?.(about('Deployment', 'next'), 'throttle', undefined);
  observer.pending?.(about('Deployment', 'later'), undefined, undefined);
  observer.invalid?.(about('Deployment', 'web'), { annotation: 'a', message: 'b' });
  observer.reverted?.(about('Deployment', 'web'), 3);

  expect(await linesOf(metrics)).toEqual([
    'reloader_reload_executed_total{success="true"} 1',
    'reloader_reload_executed_total{success="false"} 1',
    'reloader_reload_executed_total_by_namespace{success="true",namespace="demo"} 1',
    'reloader_reload_executed_total_by_namespace{success="false",namespace="shop"} 1',
    'reloader_action_total{workload_kind="Deployment",result="success"} 1',
    'reloader_action_total{workload_kind="StatefulSet",result="error"} 1',
    ...histogram('reloader_action_latency_seconds', 'workload_kind="Deployment"', ACTION, 0.075),
    ...histogram('reloader_action_latency_seconds', 'workload_kind="StatefulSet"', ACTION, 20),
    'reloader_reconcile_total{result="success"} 1',
    'reloader_reconcile_total{result="error"} 1',
    ...histogram('reloader_reconcile_duration_seconds', 'result="success"', RECONCILE, 0.08),
    ...histogram('reloader_reconcile_duration_seconds', 'result="error"', RECONCILE, 0.002),
    'reloader_errors_total{type="handler_error"} 1',
    'reloader_retries_total 1',
    'reloader_skipped_total{reason="strategy_not_updated"} 1',
    'reloader_events_received_total{event_type="add",resource_type="configmaps"} 1',
    'reloader_events_received_total{event_type="update",resource_type="secrets"} 1',
    'reloader_events_processed_total{event_type="unknown",resource_type="secrets",result="success"} 1',
    'reloader_workloads_scanned_total{kind="Deployment"} 1',
    'reloader_workloads_matched_total{kind="Deployment"} 1',
    'reloader_workqueue_depth 1',
    'reloader_workqueue_adds_total 2',
    ...histogram('reloader_workqueue_latency_seconds', '', QUEUE, 0.03),
    'reloader_restarts_pending{reason="window"} 1',
    'reloader_restarts_pending{reason="throttle"} 1',
    'reloader_config_invalid_total 1',
    'reloader_baseline_reverted_total 1',
  ]);
});

const ACTION = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const RECONCILE = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const QUEUE = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

test('restarts are counted by namespace only if an environment variable enables it', async () => {
  const metrics = metricsOf();
  metrics.observer.restarted?.(about('Deployment', 'web'), [], 1);

  expect((await linesOf(metrics)).filter((line) => line.includes('namespace'))).toEqual([]);
});

test('a deleted workload is neither queued nor pending', async () => {
  const metrics = metricsOf();
  metrics.observer.queued?.('Deployment/demo/web');
  metrics.observer.pending?.(about('Deployment', 'web'), 'window', 'a note');
  metrics.observer.gone?.('Deployment/demo/web');

  const lines = await linesOf(metrics);
  expect(lines).toContain('reloader_workqueue_depth 0');
  expect(lines.filter((line) => line.startsWith('reloader_restarts_pending'))).toEqual([]);
});

test("[reloader 23] requests to the ambassador are measured with the original operator's bounds, and watches are not measured", async () => {
  const { port, url: measuredApiUrl } = await serve((response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  });
  const transport = undiciTransport(measuredApiUrl);
  const stop = new AbortController();
  onTestFinished(() => transport.close());
  const metrics = reloadMetrics({ byNamespace: false, monotonic: () => 0, measuredApiUrl });
  const running = metrics.durations?.run(stop.signal, NO_CONTEXT);
  const { signal } = stop;

  const path = '/api/v1/configmaps?watch=true';
  const watch = await transport.send({ method: 'GET', path, purpose: 'watch', signal });
  watch.body.destroy();
  const client = restClient({ transport, fieldManager: 'test', clock: systemClock });
  await client.get(configMaps, { namespace: 'demo', name: 'a' });
  await fetch(`http://localhost:${port}/`).catch(() => {}); // another host: not the ambassador

  const host = `host="127.0.0.1:${port}"`;
  const lines = await eventually(async () => {
    const found = (await linesOf(metrics)).filter((line) => line.startsWith('rest_client'));
    return found.length > 0 && found;
  });
  const name = 'rest_client_request_duration_seconds';
  const bounds = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
  expect(lines).toEqual(histogram(name, `verb="GET",${host}`, bounds, 0));
  stop.abort();
  await running;
});
