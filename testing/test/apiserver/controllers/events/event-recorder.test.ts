import { expect, test } from 'vitest';
import {
  eventRecorder,
  type RecordEvent,
} from '../../../../src/apiserver/controllers/events/event-recorder.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

interface Told extends StoredObject {
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

function prepared(): SimulatedCluster & { about: StoredObject; record: RecordEvent } {
  const cluster = simulatedCluster({ only: [] });
  const about = cluster.access.create('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'demo' },
  });
  return { ...cluster, about, record: eventRecorder(cluster.access, cluster.clock, 'test') };
}

function told({ access }: SimulatedCluster): readonly Told[] {
  return access.list('events', 'demo') as readonly Told[];
}

test('an Event refers to its object and its reporter', () => {
  const cluster = prepared();

  cluster.record(cluster.about, { type: 'Warning', reason: 'Lost', message: 'it is lost' });

  const { uid, resourceVersion } = cluster.about.metadata;
  expect(told(cluster)).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]{16}$/) },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid, resourceVersion },
      type: 'Warning',
      reason: 'Lost',
      message: 'it is lost',
      count: 1,
      source: { component: 'test' },
      reportingComponent: 'test',
    },
  ]);
});

test('a repeated Event increases the count of the first Event', () => {
  const cluster = prepared();
  for (let time = 0; time < 3; time++) {
    cluster.record(cluster.about, { reason: 'Seen', message: 'seen' });
    cluster.clock.advance(10_000);
  }

  expect(told(cluster)).toMatchObject([
    {
      count: 3,
      firstTimestamp: '2026-11-21T06:29:57Z',
      lastTimestamp: '2026-11-21T06:30:17Z',
    },
  ]);
});

test('an Event that was deleted is created again when it is recorded again', () => {
  const cluster = prepared();
  cluster.record(cluster.about, { reason: 'Seen', message: 'seen' });
  cluster.access.delete('events', 'demo', told(cluster)[0]?.metadata.name ?? '');

  cluster.record(cluster.about, { reason: 'Seen', message: 'seen' });

  expect(told(cluster)).toMatchObject([{ count: 1 }]);
});

test('many different messages with one reason are combined into one Event', () => {
  const cluster = prepared();

  for (let pod = 0; pod < 15; pod++)
    cluster.record(cluster.about, { reason: 'Created', message: `made ${pod}` });

  const combined = told(cluster).filter(({ message }) => message.startsWith('(combined'));
  expect(told(cluster)).toHaveLength(10);
  expect(combined).toMatchObject([
    { message: '(combined from similar events): made 14', count: 6 },
  ]);
});

test('at most 25 Events are recorded at once about an object, and then one every five minutes', () => {
  const cluster = prepared();
  const tell = (): void => cluster.record(cluster.about, { reason: 'Seen', message: 'seen' });
  for (let time = 0; time < 40; time++) tell();
  const atOnce = told(cluster)[0]?.count;

  cluster.clock.advance(300_000);
  tell();
  tell();

  expect(atOnce).toBe(25);
  expect(told(cluster)[0]?.count).toBe(26);
});

test('[found 6] an object that has reached its limit of Events still gets the first Event with another reason', () => {
  const cluster = prepared();
  for (let time = 0; time < 40; time++)
    cluster.record(cluster.about, { reason: 'Seen', message: 'seen' });

  for (let time = 0; time < 3; time++)
    cluster.record(cluster.about, { type: 'Warning', reason: 'Refused', message: 'too many' });

  const refused = told(cluster).filter(({ reason }) => reason === 'Refused');
  expect(refused).toMatchObject([{ message: 'too many', count: 1 }]);
});

test('an Event that cannot be written is dropped without an error', () => {
  const cluster = prepared();
  const elsewhere = { ...cluster.about, metadata: { name: 'a', namespace: 'gone' } };

  expect(() => cluster.record(elsewhere, { reason: 'Seen', message: 'seen' })).not.toThrow();
});
