/** Rows H48 and H49 of the failure scenarios: finalizers, over the real client and a real server. */

import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { NAMESPACE, startOperator } from '../support/cluster.ts';

const OURS = 'test.chancery.dev/cleanup';
const THEIRS = 'other.example/cleanup';
const target = { namespace: NAMESPACE, name: 'settings' };

async function start(finalizers: readonly string[]): Promise<ApiServer> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...target, finalizers } });
  return server;
}

const live = (server: ApiServer) => server.get('v1', 'ConfigMap', NAMESPACE, 'settings');

/** Cleans up, and takes our finalizer away; only if it stands where it stood when it was read. */
function cleaner(cleaned: string[], beforePatch: () => void = () => {}) {
  return controller<ConfigMap>({
    name: 'cleaner',
    for: source(configMaps),
    async reconcile(configMap, { key, client, signal }: ReconcileContext) {
      if (configMap.metadata.deletionTimestamp === undefined) return;
      const found = await client.find(configMaps, target, { signal });
      const at = found?.metadata.finalizers?.indexOf(OURS) ?? -1;
      if (at < 0) return;
      cleaned.push(key);
      beforePatch();
      const path = `/metadata/finalizers/${at}`;
      const body = [
        { op: 'test', path: '/metadata/uid', value: found?.metadata.uid },
        { op: 'test', path, value: OURS },
        { op: 'remove', path },
      ] as const;
      await client.patch(configMaps, target, { type: 'json', body }, { signal });
    },
  });
}

test('[H48] an object that is being deleted when the operator starts is finalized, and then disappears', async () => {
  const server = await start([OURS]);
  server.delete('v1', 'ConfigMap', NAMESPACE, 'settings');
  const before = live(server);
  const cleaned: string[] = [];

  startOperator(server.url, [cleaner(cleaned)]);
  await eventually(() => live(server) === undefined);

  expect(before?.metadata.deletionTimestamp).toBeDefined();
  expect(cleaned).toEqual(['demo/settings']);
});

test("[H49] if a finalizer's position changed between read and write, a second try removes only the operator's finalizer", async () => {
  const server = await start([THEIRS, OURS]);
  server.delete('v1', 'ConfigMap', NAMESPACE, 'settings');
  const cleaned: string[] = [];
  let first = true;
  const moveFinalizers = (): void => {
    if (!first) return;
    first = false;
    const finalizers = [OURS, THEIRS]; // ours is not where it was read
    server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { metadata: { finalizers } });
  };

  const { lines } = startOperator(server.url, [cleaner(cleaned, moveFinalizers)]);
  await eventually(() => live(server)?.metadata.finalizers?.length === 1);

  expect(live(server)?.metadata.finalizers).toEqual([THEIRS]);
  expect(cleaned.length).toBeGreaterThanOrEqual(2);
  expect(lines.some(({ fields }) => (fields.err as { status?: number })?.status === 422)).toBe(
    true,
  );
});
