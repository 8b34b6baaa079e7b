/**
 * One scripted server, and the real engine against it over real sockets: transport, client,
 * reflector, cache, informer. Time is the test's; see `advanceUntil`.
 */

import type { ServedRequest } from '@chancery/testing';
import {
  advanceUntil,
  eventually,
  FakeClock,
  ScriptedCollection,
  ScriptedServer,
  settleSockets,
  TcpProxy,
} from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import { listWatch } from '../../../operator/client/source.ts';
import { type ConfigMap, configMaps } from '../../../operator/model/builtin.ts';
import type { Change } from '../../../operator/store/change.ts';
import { Informer } from '../../../operator/store/informer.ts';
import { undiciTransport } from '../../../operator/transport/undici-transport.ts';
import type { ReflectorOptions } from '../../../operator/watch/reflector-options.ts';
import type { ReflectorStatus } from '../../../operator/watch/reflector-status.ts';
import { rewritten, type Writing } from '../../support/writings.ts';
import { Deliveries } from './deliveries.ts';

export const PATH = '/api/v1/namespaces/demo/configmaps';

/** A date, so that `Retry-After` may be one; whole seconds, for HTTP dates have no more. */
const START_MS = Date.UTC(2026, 0, 1);

export interface ScenarioOptions extends Partial<Omit<ReflectorOptions, 'clock'>> {
  readonly versionOf?: (revision: number) => string;
  /** Stand between operator and server. */
  readonly proxied?: boolean;
  /** How the server writes JSON. Default: as kube-apiserver does. */
  readonly writing?: Writing | undefined;
}

export type Scenario = Awaited<ReturnType<typeof scenario>>;

/** Nothing runs before `run`; at the end of the test everything is closed, and found closed. */
export async function scenario({
  versionOf,
  proxied = false,
  writing,
  ...options
}: ScenarioOptions = {}) {
  const clock = new FakeClock(START_MS);
  const server = new ScriptedServer({ clock });
  const collection = new ScriptedCollection({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    path: PATH,
    ...(versionOf !== undefined && { versionOf }),
  });
  await server.start();
  const proxy = new TcpProxy({ port: server.port, clock });
  if (proxied) await proxy.start();
  const sockets = undiciTransport(proxied ? proxy.url : server.url, { clock });
  const transport = writing === undefined ? sockets : rewritten(sockets, writing);
  const statuses: ReflectorStatus[] = [];
  const handlerErrors: unknown[] = [];
  const make = (): Informer<ConfigMap> =>
    new Informer<ConfigMap>(
      listWatch(transport, configMaps, { namespace: 'demo' }, { clock }),
      {
        statusChanged: (status) => statuses.push(status),
        drifted: () => {},
        handlerFailed: (error) => handlerErrors.push(error),
      },
      { clock, random: () => 0.5, relistIntervalMs: 0, ...options },
    );
  const informer = make();
  const deliveries = new Deliveries();
  informer.addHandler((changes) => deliveries.take(changes));
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
    await transport.close();
    proxy.thaw();
    await proxy.close();
    await settleSockets();
    // A busy machine may take longer to tell both ends of a close.
    await eventually(() => server.openConnections === 0).catch(() => {});
    const left = { connections: server.openConnections, alarms: clock.pending };
    await server.close();
    expect(left).toEqual({ connections: 0, alarms: 0 });
  });

  return {
    clock,
    server,
    collection,
    proxy,
    transport,
    informer,
    deliveries,
    statuses,
    handlerErrors,
    make,
    /** Adds the collection's own rule: after every other, for the first that matches answers. */
    serve(): void {
      server.on({ path: PATH }, collection.reply);
    },
    run(of: Informer<ConfigMap> = informer, signal: AbortSignal = stop.signal): Promise<void> {
      const ended = of.run(signal);
      running.push(ended);
      return ended;
    },
    /** Runs something beside it, to be stopped with it. */
    runs(other: { run(signal: AbortSignal): Promise<void> }): void {
      running.push(other.run(stop.signal));
    },
    async stop(): Promise<void> {
      stop.abort();
      await Promise.all(running);
    },
    until(condition: () => boolean, withinMs?: number): Promise<void> {
      return advanceUntil(clock, condition, withinMs === undefined ? {} : { withinMs });
    },
    startedAtMs: START_MS,
    /** Lets so much time go by. */
    async passes(ms: number): Promise<void> {
      const untilMs = clock.monotonic() + ms;
      await advanceUntil(clock, () => clock.monotonic() >= untilMs, { withinMs: ms });
    },
    /** Breaks every open watch off. What happens now is missed until the next one. */
    disconnects(): void {
      for (const watch of collection.openWatches) void watch.end('cut');
    },
    /** What the server was asked, oldest first: `list`, `watch@resourceVersion`. */
    asked(): readonly string[] {
      return server.requests.map(({ isWatch, query }) => {
        if (isWatch) return `watch@${query.resourceVersion}`;
        const from = query.resourceVersion;
        return from === undefined ? 'list' : `list>=${from}`;
      });
    },
    /** Waits until it is so, then holds the deliveries to the promise of a watch client. */
    async converges(withinMs?: number): Promise<void> {
      await advanceUntil(
        clock,
        () => informer.synced && sameVersions(informer.store.list(), collection.objects),
        withinMs === undefined ? {} : { withinMs },
      );
      await settleSockets();
      expect(deliveries.problems()).toEqual([]);
      expect(deliveries.alive()).toEqual(versions(collection.objects));
      expect(versions(informer.store.list())).toEqual(versions(collection.objects));
    },
  };
}

/** Milliseconds between each request and the next. */
export function gapsOf(requests: readonly ServedRequest[]): readonly number[] {
  return requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
}

type Versioned = Change<ConfigMap>['object'] | ScriptedCollection['objects'][number];

/** `name uid resourceVersion` of each object, sorted. */
function versions(objects: readonly Versioned[]): readonly string[] {
  return objects
    .map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`)
    .sort();
}

function sameVersions(a: readonly Versioned[], b: readonly Versioned[]): boolean {
  return versions(a).join() === versions(b).join();
}
