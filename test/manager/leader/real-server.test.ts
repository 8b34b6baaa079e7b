/** The elector and a server that checks Leases as the real one does; and Leases that a real one has sent. */
import { readFileSync } from 'node:fs';
import { ApiServer, eventually, FakeClock, RequestLine } from '@chancery/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Connection, connect } from '../../../operator/client/connection.ts';
import { LeaderElector } from '../../../operator/manager/leader/leader-elector.ts';
import { configMaps, type KubernetesEvent, type Lease } from '../../../operator/model/builtin.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { candidate, watched } from './candidate.ts';
import { FakeLeaseStore } from './fake-lease-store.ts';

const LEASE = { namespace: 'demo', name: 'operator' };
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

async function startServer(): Promise<ApiServer> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  return server;
}

function connected(url: string, clock: FakeClock): Connection {
  const connection = connect(url, { clock });
  onTestFinished(() => connection.close());
  return connection;
}

function electorOn(connection: Connection, clock: FakeClock, identity: string): LeaderElector {
  return new LeaderElector({
    client: connection.leaseClientFor('tester'),
    clock,
    identity,
    lease: LEASE,
    log: recordingLog().logFor({}),
    random: () => 0,
  });
}

function leaseOn(server: ApiServer): Lease | undefined {
  return server.get('coordination.k8s.io/v1', 'Lease', 'demo', 'operator') as Lease | undefined;
}

/** What the Events of the namespace say, in the order of their names. */
function notesOn(server: ApiServer): readonly unknown[] {
  const events = server.list('events.k8s.io/v1', 'Event', 'demo') as readonly KubernetesEvent[];
  return events.map(({ note }) => note);
}

/** `PUT`, `GET`, … of the Lease, since the request with number `from`. */
function methodsOf(server: ApiServer, from = 0): readonly string[] {
  const about = server.requests.slice(from).filter(({ path }) => path.includes('/leases'));
  return about.map(({ method }) => method);
}

/** Moves the clock to the next renewal, and waits until `done`. */
async function renewal(clock: FakeClock, done: () => boolean): Promise<void> {
  clock.advance(2_000);
  await until(done);
}

function until(done: () => boolean): Promise<unknown> {
  return vi.waitUntil(done, { interval: 5, timeout: 10_000 });
}

test("[LE-1] all writes of an elector pass the server's validation: create, renew, release, take over", async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const server = await startServer();
  const connection = connected(server.url, clock);
  const stop = new AbortController();
  const first = electorOn(connection, clock, 'host_1');
  const specs: Lease['spec'][] = [];
  const note = (): void => void specs.push(leaseOn(server)?.spec);

  await first.acquire(stop.signal);
  note();
  await first.settled(); // its Event
  const renewing = first.renew(stop.signal);
  await renewal(clock, () => leaseOn(server)?.spec?.renewTime !== specs[0]?.renewTime);
  note();
  stop.abort();
  await renewing;
  await first.release();
  note();
  const notes = notesOn(server);
  await electorOn(connection, clock, 'host_2').acquire(new AbortController().signal);
  note();

  expect(specs).toMatchObject([
    { holderIdentity: 'host_1', leaseDurationSeconds: 15, leaseTransitions: 0 },
    { holderIdentity: 'host_1', leaseDurationSeconds: 15, leaseTransitions: 0 },
    { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 },
    { holderIdentity: 'host_2', leaseDurationSeconds: 15, leaseTransitions: 1 },
  ]);
  for (const spec of specs) {
    expect(spec?.acquireTime).toMatch(MICRO_TIME);
    expect(spec?.renewTime).toMatch(MICRO_TIME);
  }
  expect(notes).toEqual(['host_1 became leader', 'host_1 stopped leading']);
});

test('[LE-8] a PUT with the uid does not restore a deleted Lease, and the elector creates a new one', async () => {
  const clock = new FakeClock();
  const server = await startServer();
  const connection = connected(server.url, clock);
  const stop = new AbortController();
  const elector = electorOn(connection, clock, 'a');
  await elector.acquire(stop.signal);
  const { metadata } = leaseOn(server) as Lease;
  const renewing = watched(elector.renew(stop.signal));
  const from = server.requests.length;

  server.delete('coordination.k8s.io/v1', 'Lease', 'demo', 'operator');
  await renewal(clock, () => leaseOn(server) !== undefined);
  await until(() => methodsOf(server, from).length === 3);
  stop.abort();

  expect(methodsOf(server, from)).toEqual(['PUT', 'GET', 'POST']);
  expect(leaseOn(server)?.metadata.uid).not.toBe(metadata.uid);
  expect(leaseOn(server)?.spec?.holderIdentity).toBe('a');
  expect(renewing.outcome).not.toBeInstanceOf(Error);
});

test('[LE-6] [LE-17] fields that other clients add to the Lease are kept, at the cost of one more read', async () => {
  const clock = new FakeClock();
  const server = await startServer();
  const connection = connected(server.url, clock);
  const stop = new AbortController();
  const elector = electorOn(connection, clock, 'a');
  await elector.acquire(stop.signal);
  watched(elector.renew(stop.signal));
  const from = server.requests.length;

  server.patch('coordination.k8s.io/v1', 'Lease', 'demo', 'operator', {
    metadata: { annotations: { note: 'kept' } },
    spec: { strategy: 'OldestEmulationVersion' },
  });
  await renewal(clock, () => methodsOf(server, from).length === 3);
  stop.abort();

  expect(methodsOf(server, from)).toEqual(['PUT', 'GET', 'PUT']);
  expect(leaseOn(server)).toMatchObject({
    metadata: { annotations: { note: 'kept' } },
    spec: { strategy: 'OldestEmulationVersion', holderIdentity: 'a' },
  });
});

test("[LE-7] if all calls of the operator's client hang, no renewal is delayed", async () => {
  const clock = new FakeClock();
  const server = await startServer();
  const line = new RequestLine({
    server: server.url,
    gate: { before: ({ resource }) => (resource === 'configmaps' ? 'hold' : 'pass') },
  });
  await line.start();
  onTestFinished(() => line.cut());
  const connection = connected(line.url, clock);
  const calls = new AbortController();
  const hanging = Array.from({ length: 200 }, (_, at) =>
    connection
      .clientFor('tester')
      .get(configMaps, { namespace: 'demo', name: `c${at}` }, { signal: calls.signal }),
  );
  const ended = Promise.allSettled(hanging);
  await eventually(() => line.requests.count({ resource: 'configmaps' }) === 64);
  const stop = new AbortController();
  const elector = electorOn(connection, clock, 'a');

  await elector.acquire(stop.signal);
  const renewing = watched(elector.renew(stop.signal));
  const before = leaseOn(server)?.metadata.resourceVersion;
  await renewal(clock, () => leaseOn(server)?.metadata.resourceVersion !== before);
  stop.abort();
  calls.abort();
  await ended;

  expect(line.requests.count({ resource: 'configmaps' })).toBe(64);
  expect(renewing.outcome).not.toBeInstanceOf(Error);
});

/** Leases as a real API server has sent them, oldest first: of holder `a`, then of holder `b`. */
function recordedLeases(): readonly Lease[] {
  const file = new URL('../../recordings/lease-events.jsonl', import.meta.url);
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('/leases') && line.includes('"status":20'))
    .map((line) => JSON.parse(line) as { response: { body: string } })
    .map(({ response }) => JSON.parse(response.body) as Lease);
}

test('[LE-1] [LE-4] a Lease recorded from a real server is observed, and taken over with all of its fields', async () => {
  const clock = new FakeClock(Date.UTC(2026, 10, 21));
  const store = new FakeLeaseStore(clock);
  const [ofA, , ofB] = recordedLeases();
  store.edit({ spec: ofA?.spec ?? {} });
  const { elector, stop, leaders } = candidate('c', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(14_000);
  store.edit({ spec: ofB?.spec ?? {} });
  await clock.advanceAndSettle(14_000);
  const before = acquiring.outcome;
  await clock.advanceAndSettle(4_000);

  expect(before).toBe('pending');
  expect(acquiring.outcome).toBe('resolved');
  expect(leaders).toEqual(['a', 'b', 'c']);
  expect(store.lease?.spec?.leaseTransitions).toBe((ofB?.spec?.leaseTransitions ?? 0) + 1);
  expect(Object.keys(store.lease?.spec ?? {}).sort()).toEqual(Object.keys(ofB?.spec ?? {}).sort());
});
