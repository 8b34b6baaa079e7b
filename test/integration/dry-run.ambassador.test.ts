/**
 * `chancery run --dry-run` of the operator that ships, behind an ambassador with the filter of
 * its own declarations: it shows the restart that is due, and restarts nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configMap, deployment, eventually, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import type { Deployment } from '../../operator/model/kubernetes/apps-v1.ts';
import { invoke } from '../cli/invocation.ts';
import { startOperator } from '../support/cluster.ts';

const STATE = 'config-restart-state';
const MODULE = fileURLToPath(new URL('../../examples/config-restart/operator.ts', import.meta.url));
const CRDS = new URL('../../examples/config-restart/crds/', import.meta.url);

test('a dry run prints the rollout that a change would cause, and stores nothing', async () => {
  // Embedded: its storage tells whether anything was written.
  const env = await startTestEnv({
    backend: 'embedded',
    embedded: { workloads: { podReadyMs: 10 } },
  });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  for (const file of readdirSync(CRDS)) await env.apply(readFileSync(new URL(file, CRDS), 'utf8'));
  const { url } = await env.ambassador(proxyFilter([configRestart], { namespaces: [namespace] }));
  await env.create(deployment('web', { namespace, replicas: 2 }));
  const annotations = {
    'k8spatterns.io/podDeleteSelector': 'app=web',
    'k8spatterns.io/debounceSeconds': '0',
  };
  await env.create(configMap('settings', { namespace, annotations, data: { value: 'one' } }));
  const operator = startOperator(url, [configRestart], { namespaces: [namespace], namespace });
  await eventually(async () => {
    const state = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, STATE);
    const web = await env.get<Deployment>('apps/v1', 'Deployment', namespace, 'web');
    return state?.data?.settings !== undefined && web?.status?.readyReplicas === 2;
  });
  await operator.stop();
  await env.patch('v1', 'ConfigMap', namespace, 'settings', { data: { value: 'two' } });
  const { revision } = env.server.snapshot();
  const sent = env.server.requests.length;

  const run = invoke(['run', '--dry-run', MODULE], {
    env: { CHANCERY_API_URL: url, WATCH_NAMESPACE: namespace, POD_NAMESPACE: namespace },
  });

  expect(await run.exit).toBe(0);
  expect(run.stdout.lines.filter((line) => /^[#+-](?! data)/.test(line))).toEqual([
    `# patch deployments.apps ${namespace}/web by config-restart`,
    `--- deployments.apps ${namespace}/web`,
    `+++ deployments.apps ${namespace}/web`,
    '+      annotations:',
    expect.stringMatching(/^\+ {8}kubectl\.kubernetes\.io\/restartedAt: /),
    expect.stringMatching(/^\+ {8}restart\.chancery\.dev\/settings: [0-9a-f]{64}\.1$/),
    `# event: Normal PodsRestarted ConfigMap ${namespace}/settings: changed; restarted Deployment/web`,
    `# patch configmaps ${namespace}/${STATE} by config-restart`,
    `--- configmaps ${namespace}/${STATE}`,
    `+++ configmaps ${namespace}/${STATE}`,
    expect.stringMatching(/^- {2}settings: .*"restarts":0/),
    expect.stringMatching(/^\+ {2}settings: .*"restarts":1/),
  ]);
  expect(run.stderr.lines.at(-1)).toBe(
    'dry run: 2 writes to 2 objects in 1 controller; nothing was written',
  );
  const writes = env.server.requests.slice(sent).filter(({ method }) => method !== 'GET');
  expect(writes.map(({ query }) => query.get('dryRun'))).toEqual(writes.map(() => 'All'));
  expect(env.server.snapshot().revision).toBe(revision);
});
