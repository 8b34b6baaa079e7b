/** Too much at once, on real sockets: order, completeness, and what is held of it, in bytes or events. */

import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { listWatch, transformed } from '../../operator/client/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { dropManagedFields } from '../../operator/model/entry.ts';
import { type KubernetesObject, splitKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { Change } from '../../operator/store/change.ts';
import type { HandlerRegistration } from '../../operator/store/handlers.ts';
import { Informer } from '../../operator/store/informer.ts';
import { DEFAULT_MAX_LINE_BYTES } from '../../operator/stream/lines.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';
import type { ReflectorStatus } from '../../operator/watch/reflector-status.ts';
import { Ascending, InTurn } from '../support/load/in-turn.ts';
import { ENDLESS_NAMESPACE, NAMESPACE } from '../support/load/profile.ts';
import { PROFILES, type ProfileName } from '../support/load/profiles.ts';
import { LoadServer } from '../support/load/server.ts';

/** Seconds, on a machine that others use: nothing here is about time. */
const PATIENCE = { timeoutMs: 30_000 };
const MARKER = 'marker-1';
/** What one read of a socket brings at most. */
const CHUNK_BYTES = 64 * 1024;

type Changes = readonly Change<KubernetesObject>[];

interface Watching {
  readonly informer: Informer<KubernetesObject>;
  /** Adds a handler to it. */
  readonly hear: Informer<KubernetesObject>['addHandler'];
  readonly handlers: readonly HandlerRegistration[];
  /** Events that have been read from the socket and decoded. */
  readonly decoded: () => number;
  /** Every state that it was in. */
  readonly statuses: readonly ReflectorStatus[];
}

interface Overloaded {
  readonly server: LoadServer;
  /** An informer that begins when the test says so, and ends with it. */
  readonly watching: (namespace?: string) => Watching;
  readonly start: (...watching: readonly Watching[]) => Promise<void>;
}

async function serve(name: ProfileName, objects: number): Promise<Overloaded> {
  const profile = PROFILES[name];
  const resource = defineResource({ ...profile, namespaced: true });
  const server = new LoadServer({ profile, objects });
  const transport = undiciTransport(`http://127.0.0.1:${await server.listen()}`);
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
    await transport.close();
    await server.close();
  });
  return {
    server,
    watching(namespace = NAMESPACE) {
      const counted = counting(listWatch(transport, resource, { namespace }));
      const statuses: ReflectorStatus[] = [];
      const observer = {
        statusChanged: (status: ReflectorStatus) => void statuses.push(status),
        drifted() {},
        handlerFailed(error: unknown): never {
          throw error;
        },
      };
      const options = { clock: systemClock, relistIntervalMs: 0 };
      const source = transformed(counted.source, dropManagedFields);
      const informer = new Informer(source, observer, options);
      const handlers: HandlerRegistration[] = [];
      const hear: Watching['hear'] = (handler, handling) => {
        const registration = informer.addHandler(handler, handling);
        handlers.push(registration);
        return registration;
      };
      return { informer, hear, handlers, statuses, ...counted };
    },
    async start(...watching) {
      for (const { informer } of watching) running.push(informer.run(stop.signal));
      // What a handler is still being shown would be merged with what comes.
      for (const { informer, handlers } of watching) {
        await informer.until(() => handlers.every(({ synced }) => synced), stop.signal);
      }
      await server.watched(watching.length);
    },
  };
}

/** `source`, with the events counted that it hands on. */
function counting<T extends KubernetesObject>(
  source: ListWatch<T>,
): { readonly source: ListWatch<T>; readonly decoded: () => number } {
  let decoded = 0;
  async function* counted(
    batches: AsyncIterable<readonly WatchEvent<T>[]>,
  ): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
    for await (const batch of batches) {
      decoded += batch.length;
      yield batch;
    }
  }
  return {
    decoded: () => decoded,
    source: { ...source, watch: async (request) => counted(await source.watch(request)) },
  };
}

function nameOf({ key }: Change<KubernetesObject>): string {
  return splitKey(key).name;
}

function versionOf({ object }: Change<KubernetesObject>): number {
  return Number(object.metadata.resourceVersion);
}

/** Everything that a handler is told after the first list, in the order in which it is. */
function listener(): {
  readonly told: Change<KubernetesObject>[];
  hear: (changes: Changes) => void;
} {
  const told: Change<KubernetesObject>[] = [];
  return {
    told,
    hear(changes) {
      for (const change of changes) {
        if (change.type !== 'add' || !change.initial) told.push(change);
      }
    },
  };
}

function sawMarker(told: Changes): boolean {
  return told.some((change) => nameOf(change) === MARKER);
}

test('data that a handler does not accept yet stays in the socket, and arrives complete and in order afterwards', async () => {
  const { server, watching, start } = await serve('pod', 1_000);
  const [slow, other] = [watching(), watching()];
  const gate = Promise.withResolvers<void>();
  const [slowly, freely] = [listener(), listener()];
  slow.hear(
    (changes) => {
      slowly.hear(changes);
      return slowly.told.length > 0 ? gate.promise : undefined;
    },
    { backpressure: true },
  );
  other.hear(freely.hear);
  await start(slow, other);

  // 54 MB: several times what the sockets of both sides hold.
  const bytes = server.prepare({ events: 7_000, keys: 1_000, marker: MARKER });
  let sent = false;
  const sending = server.send().then(() => {
    sent = true;
  });
  await eventually(() => sawMarker(freely.told), PATIENCE);
  const heldBack = { told: slowly.told.length, decoded: slow.decoded(), sent };
  gate.resolve();
  await eventually(() => sawMarker(slowly.told), PATIENCE);
  await sending;

  const bytesAhead = (heldBack.decoded - heldBack.told) * (bytes / 7_000);
  expect(heldBack.sent).toBe(false);
  expect(heldBack.told).toBeLessThan(1_000);
  expect(bytesAhead).toBeLessThanOrEqual(CHUNK_BYTES);
  const due = new InTurn(1_000);
  for (const change of slowly.told.slice(0, -1)) due.take(nameOf(change));
  expect(slowly.told).toHaveLength(7_000);
  expect(slowly.told.map(versionOf)).toEqual(freely.told.map(versionOf));
});

test('at most two changes per key wait for a handler that never returns, and other handlers get all changes', async () => {
  const { server, watching, start } = await serve('pod', 500);
  const one = watching();
  const gate = Promise.withResolvers<void>();
  const [stuck, freely] = [listener(), listener()];
  const registration = one.hear((changes) => {
    stuck.hear(changes);
    return stuck.told.length > 0 ? gate.promise : undefined;
  });
  let mostPending = 0;
  one.hear((changes) => {
    freely.hear(changes);
    mostPending = Math.max(mostPending, registration.pending);
  });
  await start(one);

  server.prepare({ events: 5_000, keys: 500, marker: MARKER });
  await server.send();
  await eventually(() => sawMarker(freely.told), PATIENCE);
  const toldAtFirst = stuck.told.length;
  gate.resolve();
  await eventually(() => sawMarker(stuck.told), PATIENCE);

  expect(freely.told).toHaveLength(5_000);
  expect(toldAtFirst).toBeLessThan(500);
  expect(mostPending).toBeLessThanOrEqual(1_000);
  const merged = stuck.told.slice(toldAtFirst);
  expect(new Set(merged.map(({ key }) => key)).size).toBe(merged.length);
  const newest = new Map(freely.told.map((change) => [change.key, versionOf(change)]));
  expect(new Map(merged.map((change) => [change.key, versionOf(change)]))).toEqual(newest);
});

test('a watch line without end is cut off at the limit, then the source lists again; other sources continue', async () => {
  const { server, watching, start } = await serve('config-map', 100);
  const [victim, other] = [watching(ENDLESS_NAMESPACE), watching()];
  const [missed, freely] = [listener(), listener()];
  victim.hear(missed.hear);
  other.hear(freely.hear);
  await start(victim, other);

  // The server complains when somebody takes half as much again.
  await server.sendEndlessLine(1.5 * DEFAULT_MAX_LINE_BYTES, MARKER);
  await eventually(() => sawMarker(freely.told) && sawMarker(missed.told), PATIENCE);

  const failure = victim.statuses.find(({ reason }) => reason === 'undecodable')?.error;
  expect(failure).toMatchObject({ name: 'ProtocolError', code: 'DECODE' });
  const { gotBytes, maxLineBytes } = (failure as { context: Record<string, number> }).context;
  expect(maxLineBytes).toBe(DEFAULT_MAX_LINE_BYTES);
  expect(gotBytes).toBeGreaterThan(DEFAULT_MAX_LINE_BYTES);
  expect(gotBytes).toBeLessThanOrEqual(DEFAULT_MAX_LINE_BYTES + CHUNK_BYTES);
  expect(other.statuses.map(({ health }) => health)).toEqual(['healthy']);
  const names = freely.told.map(nameOf);
  expect(names.length).toBeGreaterThan(2);
  const times = new Ascending();
  for (const name of names.slice(0, -1)) times.take(name);
  expect(missed.told.map(nameOf)).toEqual(names);
});

test('20,000 deletes at once are delivered one by one in order, and nothing is left in the cache', async () => {
  const objects = 20_000;
  const { server, watching, start } = await serve('config-map', objects);
  const one = watching();
  const { told, hear } = listener();
  one.hear(hear);
  await start(one);

  server.prepareDeletions(MARKER);
  await server.send();
  await eventually(() => sawMarker(told), PATIENCE);

  const due = new InTurn(objects);
  for (const change of told.slice(0, -1)) due.take(nameOf(change));
  expect(due.told).toBe(objects);
  expect(new Set(told.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['delete']));
  expect(told.some((change) => change.type === 'delete' && change.finalStateUnknown)).toBe(false);
  expect(one.informer.store.list().map(({ metadata }) => metadata.name)).toEqual([MARKER]);
});
