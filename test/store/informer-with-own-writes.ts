import { RecordingMeter, settle } from '@chancery/testing';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { PendingWrite } from '../../operator/model/write-journal.ts';
import type { OwnWrites } from '../../operator/store/own-writes.ts';
import { OwnWritesJournal } from '../../operator/store/own-writes.ts';
import type { FakeCollection, Thing } from '../support/fake-collection.ts';
import { LaggingServer } from './lagging-server.ts';
import { start } from './started-informer.ts';

export const things = defineResource<Thing>({
  ...{ group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true },
});
export const KEY = objectKey('demo', 'a');
export const DELETED_AT = '2026-01-01T00:00:00Z';

/** An informer whose watch shows what the test lets through, and what this process has written. */
export async function world(server: LaggingServer = new LaggingServer()) {
  const meter = new RecordingMeter();
  const started = start(server as unknown as FakeCollection, {
    meter,
    labels: { resource: 'things' },
  });
  const { informer } = started;
  informer.addIndex('value', ({ value }) => [String(value)]);
  const ownWritesJournal = new OwnWritesJournal();
  ownWritesJournal.add(
    things,
    undefined,
    informer.ownWrites as unknown as OwnWrites<KubernetesObject>,
  );
  void started.run();
  await settle();
  const begin = (name = 'a'): PendingWrite =>
    ownWritesJournal.begin(things, { namespace: 'demo', name });
  return {
    ...started,
    server,
    ownWritesJournal,
    begin,
    /** A write that is answered at once. */
    write: (answer: Thing): void => begin(answer.metadata.name).wrote(answer),
    remove: (uid?: string): void => begin().deleted(uid),
    value: (name = 'a'): number | undefined =>
      informer.storeWithOwnWrites.get(objectKey('demo', name))?.value,
    deliverAll: async (): Promise<void> => {
      server.deliverAll();
      await settle();
    },
    expired: (): number => meter.value('chancery_overlay_expired_total', { resource: 'things' }),
  };
}

/** The same, over a server with one object: `demo/a`, of value 1. */
export async function withObject() {
  const server = new LaggingServer();
  server.put('a', 1);
  return world(server);
}
