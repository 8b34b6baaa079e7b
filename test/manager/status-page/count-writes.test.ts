import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { clientOf, intercept } from '../../../operator/client/client-of.ts';
import { countWrites } from '../../../operator/manager/status-page/process-view.ts';
import { MinuteCounts } from '../../../operator/manager/status-page/reconcile-history.ts';
import { type ConfigMap, configMaps } from '../../../operator/model/builtin.ts';

const target = { namespace: 'demo', name: 'a' };
const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };

test('all writes are counted, whether they succeed or fail; reads and dry runs are not counted', async () => {
  const clock = new FakeClock();
  const writes = new MinuteCounts(clock);
  const server = clientOf(async ({ verb }) => {
    if (verb === 'create') throw new Error('refused');
    return object;
  });
  const client = intercept(server, countWrites(writes));

  await client.apply(configMaps, object);
  await client.delete(configMaps, target);
  await client.evict(target);
  await expect(client.create(configMaps, object)).rejects.toThrow('refused');
  await client.find(configMaps, target);
  await client.list(configMaps);
  await client.apply(configMaps, object, { dryRun: true });
  await client.delete(configMaps, target, { dryRun: true });
  await client.evict(target, { dryRun: true });

  expect(writes.values().at(-1)).toBe(4);
});
