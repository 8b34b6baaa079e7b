/** Own writes, in all sources of a process that show what was written. */

import { FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { source } from '../../operator/controller/source.ts';
import { Informers } from '../../operator/manager/sources/informers.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { byLabel } from '../../operator/store/indices.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { inNamespace } from '../support/in-namespace.ts';
import { recordingLog } from '../support/recording-log.ts';

const OWN: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ...{ name: 'own', namespace: 'b', uid: 'u1', resourceVersion: '999', labels: { app: 'web' } },
    managedFields: [{ manager: 'me' }],
  },
};

function start() {
  const informers = new Informers({
    namespaces: ['a', 'b'],
    reflector: { clock: new FakeClock(), random: () => 0.5, relistIntervalMs: 0 },
    log: recordingLog().logFor({}),
    listWatchFor: ({ namespace }) => inNamespace(new FakeCollection(), namespace ?? 'a'),
  });
  const stop = new AbortController();
  let running = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return {
    informers,
    run: async (): Promise<void> => {
      running = informers.run(stop.signal);
      await settle();
    },
    write: (): void =>
      informers.ownWritesJournal.begin(configMaps, { namespace: 'b', name: 'own' }).wrote(OWN),
  };
}

test('[K-61] a write is visible in every source that selects the object, whether it covers one, several or all namespaces', async () => {
  const { informers, run, write } = start();
  const of = (options: Parameters<typeof source>[1]) => informers.of(source(configMaps, options));
  const several = of({ indexes: { app: byLabel('app') } });
  const everywhere = of({ namespace: 'all' });
  const selected = of({ namespace: 'all', labelSelector: 'app=web' });
  const another = of({ namespace: 'all', labelSelector: 'app=db' });
  const elsewhere = of({ namespace: { name: 'c' } });
  await run();

  write();

  const shown = [several, everywhere, selected, another, elsewhere].map(
    ({ storeWithOwnWrites }) => storeWithOwnWrites.list().length,
  );
  expect(shown).toEqual([1, 1, 1, 0, 0]);
  expect(several.store.list()).toEqual([]);
  expect(several.storeWithOwnWrites.byIndex('app', 'web')).toHaveLength(1);
  expect(several.storeWithOwnWrites.get('b/own' as never)?.metadata.managedFields).toBeUndefined();
});

test('[K-64] a source that was released is no longer informed of writes', async () => {
  const { informers, run, write } = start();
  const { informer, release } = informers.open(source(configMaps, { namespace: 'all' }));
  await run();

  release();
  write();
  await settle();

  expect(() => informer.storeWithOwnWrites.list()).toThrow('has stopped');
});
