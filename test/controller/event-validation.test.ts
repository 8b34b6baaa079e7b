/** Events as the embedded API server takes them, which judges them as a real one does. */

import { ApiServer, RecordingMeter } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { ApiEventRecorder } from '../../operator/controller/events/api-event-recorder.ts';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { events, nodes, pods } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { apiVersionOf, type Resource } from '../../operator/model/resource.ts';
import { transportTo } from '../transport/raw-server.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function setup() {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const meter = new RecordingMeter();
  const clock = systemClock;
  const client = restClient({ transport: transportTo(server.url), fieldManager: 'tester', clock });
  const self = { namespace: 'ops', podName: 'p'.repeat(253) };
  const recorder = new ApiEventRecorder({ client, clock, self, log, meter });
  return {
    recorder,
    record: (note: EventNote): void => recorder.for('website').record(note),
    stored: () => client.list(events),
    dropped: (): number => meter.value('chancery_events_dropped_total'),
  };
}

function reference(resource: Resource, name: string, namespace?: string): KubernetesObject {
  const { kind } = resource;
  const metadata = {
    name,
    uid: `uid-${name}`,
    resourceVersion: '7',
    ...(namespace && { namespace }),
  };
  return { apiVersion: apiVersionOf(resource), kind, metadata };
}

function note(more: Partial<EventNote> = {}): EventNote {
  const regarding = reference(pods, 'web', 'default');
  return { regarding, type: 'Normal', reason: 'Restarted', action: 'Restart', note: 'n', ...more };
}

const OWN = 'reloader-secretproviderclasspodstatuses';

test.each<[string, Partial<EventNote>]>([
  ['in the usual format', {}],
  ['a warning', { type: 'Warning' }],
  ['of a cluster-scoped object', { regarding: reference(nodes, 'node-1') }],
  ['with a related object', { related: reference(pods, 'child', 'default') }],
  ['with a note of a thousand emoji', { note: '😀'.repeat(1_000) }],
  ['with an empty note', { note: '' }],
  ['with an empty reason and action', { reason: '', action: '' }],
  ['with a very long reason and action', { reason: 'R'.repeat(500), action: 'A'.repeat(500) }],
  ['with a separate reporter', { reporter: OWN }],
  ['with a reporter that is not a name', { reporter: 'of mine!' }],
  ['of a type that does not exist', { type: 'Fatal' as 'Warning' }],
  ['of an object with a colon in its name', { regarding: reference(nodes, 'system:node') }],
])('[K-56] the API server accepts this Event: %s', async (_what, given) => {
  const { recorder, record, stored, dropped } = await setup();

  record(note(given));
  await recorder.close();

  const [event] = await stored();
  expect(dropped()).toBe(0);
  expect(event?.regarding.name).toBe((given.regarding ?? note().regarding).metadata.name);
  expect(event?.reportingController).toBe(given.reporter === OWN ? OWN : 'chancery.dev/website');
});

test('[K-57] the API server accepts the count of an Event series', async () => {
  const { recorder, record, stored, dropped } = await setup();

  for (let again = 0; again < 10; again++) record(note());
  await recorder.close();

  const all = await stored();
  expect(dropped()).toBe(0);
  expect(all.map(({ series }) => series?.count)).toEqual([10]);
  expect(all[0]?.series?.lastObservedTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});
