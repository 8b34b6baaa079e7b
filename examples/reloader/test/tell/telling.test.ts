/** What others hear of a restart: alerts and metrics, from the change on. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AUTO, envFrom, type Reloading, startReloader } from '../support/start.ts';
import { serve } from './servers.ts';

/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

/** The samples of one metric as text: labels, then the value. */
async function samples({ metrics }: Reloading, name: string): Promise<readonly string[]> {
  const [registry] = [metrics ?? []].flat();
  const all = (await registry?.getMetricsAsJSON()) ?? [];
  const found = all.find((each) => each.name === name)?.values ?? [];
  return found.map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`.trim());
}

test('[reloader 21] [reloader 23] [reloader R19] restarts are reported and counted while the alert server hangs', async () => {
  const server = await serve(() => {});
  const reloader = await startReloader({
    variables: {
      ALERT_ON_RELOAD: 'true',
      ALERT_SINK: ' GChat ',
      ALERT_WEBHOOK_URL: `${server.url}/room?key=secret`,
      ALERT_ADDITIONAL_INFO: 'cluster A',
      METRICS_COUNT_BY_NAMESPACE: 'enabled',
    },
  });
  const { namespace } = reloader;
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.workload('idle', { ...envFrom('configmap/app') });
  await reloader.recorded('web');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);
  await eventually(() => server.received.length === 1, PATIENT);
  await reloader.config('app', { mode: '3' });
  await reloader.rolledOut('web', 2);

  expect(server.received[0]).toMatchObject({
    path: '/room?key=secret',
    body: `{"text":"cluster A : Changes of *app* of type *CONFIGMAP* in namespace *${namespace}* restart *web* of type *Deployment* in namespace *${namespace}*"}`,
  });
  expect(await samples(reloader, 'reloader_reload_executed_total')).toEqual(['true 2', 'false 0']);
  expect(await samples(reloader, 'reloader_reload_executed_total_by_namespace')).toEqual([
    `true ${namespace} 2`,
  ]);
  expect(await samples(reloader, 'reloader_action_total')).toEqual(['Deployment success 2']);
  expect(await samples(reloader, 'reloader_events_received_total')).toEqual(
    expect.arrayContaining(['add configmaps 1', 'update configmaps 2']),
  );
  expect(await samples(reloader, 'reloader_events_processed_total')).toContain(
    'unknown configmaps success 3',
  );
  expect(await samples(reloader, 'reloader_workqueue_depth')).toEqual(['0']);
  expect(await samples(reloader, 'reloader_retries_total')).toEqual(['0']);
  expect(await samples(reloader, 'reloader_skipped_total')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^ignored_or_not_selected [1-9]/)]),
  );
});
