import { FakeClock, RecordingMeter, settle } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf } from '../../operator/client/client-of.ts';
import type { Fence } from '../../operator/client/connection.ts';
import type { Controller } from '../../operator/controller/controller.ts';
import { aborted } from '../../operator/core/abort.ts';
import {
  OperatorProcess,
  type OperatorProcessOptions,
} from '../../operator/manager/operator-process.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';
import type { Scope } from '../../operator/manager/sources/scope.ts';
import type { Lease } from '../../operator/model/builtin.ts';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { resourceName } from '../../operator/model/resource.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { ListPage, ListWatch } from '../../operator/watch/list-watch.ts';

/** One collection: it can be listed, watched, changed and broken. */
export class Collection implements ListWatch<KubernetesObject> {
  lists = 0;
  watches = 0;
  openWatches = 0;
  /** While set, every request fails with it. */
  failure: Error | undefined;
  readonly items: KubernetesObject[] = [];
  readonly #note: (fact: string) => void;
  #cut = new AbortController();
  #pushed: WatchEvent[] = [];
  #wake = (): void => {};

  constructor(note: (fact: string) => void) {
    this.#note = note;
  }

  async listPage(): Promise<ListPage<KubernetesObject>> {
    this.lists++;
    if (this.failure) throw this.failure;
    const items = this.items.map((object) => Entry.of(object));
    return { items, resourceVersion: '100', continueToken: undefined };
  }

  async watch({
    signal,
  }: {
    readonly signal: AbortSignal;
  }): Promise<AsyncIterable<readonly WatchEvent[]>> {
    this.watches++;
    if (this.failure) throw this.failure;
    return this.#events(AbortSignal.any([signal, this.#cut.signal]));
  }

  push(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): void {
    this.#pushed.push({ type, entry: Entry.of(object) });
    this.#wake();
  }

  /** Every request fails from now on, and the watch under way breaks. */
  breakDown(failure: Error): void {
    this.failure = failure;
    this.#cut.abort(failure);
    this.#cut = new AbortController();
  }

  async *#events(signal: AbortSignal): AsyncGenerator<readonly WatchEvent[], void, undefined> {
    this.openWatches++;
    const stopped = aborted(signal);
    try {
      while (!signal.aborted) {
        if (this.#pushed.length > 0) yield this.#pushed.splice(0);
        const pushed = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await Promise.race([pushed, stopped]);
      }
      throw signal.reason;
    } finally {
      this.openWatches--;
      this.#note('watch closed');
    }
  }
}

/** Where all replicas of an operator find their Lease. */
export class LeaseServer {
  lease: Lease | undefined;
  /** While set, every request hangs until it is cut off. */
  hangs = false;
  #version = 0;

  get holder(): string {
    return this.lease?.spec?.holderIdentity ?? '';
  }

  get client(): Client {
    const stored = (lease: Lease): Lease => {
      this.#version++;
      const metadata = { ...lease.metadata, uid: 'uid', resourceVersion: `${this.#version}` };
      this.lease = { ...lease, metadata };
      return this.lease;
    };
    const reached = async (): Promise<void> => {
      if (this.hangs) await new Promise(() => {});
    };
    const client: Partial<Record<keyof Client, unknown>> = {
      find: async () => {
        await reached();
        return this.lease;
      },
      create: async (_resource: unknown, object: KubernetesObject) => {
        await reached();
        return object.kind === 'Lease' ? stored(object as Lease) : object;
      },
      update: async (_resource: unknown, lease: Lease) => {
        await reached();
        const { resourceVersion } = lease.metadata;
        if (resourceVersion !== this.lease?.metadata.resourceVersion) {
          throw new ApiError({ code: 409, reason: 'Conflict' });
        }
        return stored(lease);
      },
    };
    return client as Client;
  }
}

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface WorldOptions
  extends Pick<
    Partial<OperatorProcessOptions>,
    | 'runnables'
    | 'webhooks'
    | 'aroundReview'
    | 'healthChecks'
    | 'prepare'
    | 'onLeadershipLost'
    | 'metricsServer'
    | 'leaderElection'
    | 'reconcileMiddleware'
  > {
  readonly isListening?: () => Promise<boolean>;
  /** Of all controllers, and of what installs definitions. Default: one that can only create Events. */
  readonly client?: Client;
  /** Of all replicas. Default: of this one. */
  readonly leases?: LeaseServer;
  readonly clock?: FakeClock;
  /** In place of a collection of this world, for a resource of this name. */
  readonly sources?: Readonly<Record<string, ListWatch<KubernetesObject>>>;
}

/** A manager among fakes: nothing but its own code runs. */
export class World {
  readonly clock: FakeClock;
  readonly stop = new AbortController();
  readonly scopes: Scope[] = [];
  /** What the writes of each field manager must pass. */
  readonly fences = new Map<string, Fence | undefined>();
  readonly lines: Line[] = [];
  /** What happened, in order. */
  readonly facts: string[] = [];
  readonly #collections = new Map<string, Collection>();
  readonly manager: OperatorProcess;
  readonly leases: LeaseServer;
  readonly meter = new RecordingMeter();
  onLine: (line: Line) => void = () => {};
  running: Promise<void> | undefined;

  constructor(
    controllers: readonly Controller[],
    environment: Record<string, string> = {},
    {
      isListening,
      client,
      leases = new LeaseServer(),
      clock = new FakeClock(),
      sources = {},
      ...more
    }: WorldOptions = {},
  ) {
    this.leases = leases;
    this.clock = clock;
    this.manager = new OperatorProcess({
      ...more,
      settings: settingsFrom({
        CHANCERY_HEALTH_PORT: '0',
        CHANCERY_RELIST_INTERVAL: '0',
        CHANCERY_WEBHOOK_LISTEN: '127.0.0.1:0',
        ...environment,
      }),
      controllers,
      clock: this.clock,
      meter: this.meter,
      connection: {
        clientFor: (name, fence) => {
          this.fences.set(name, fence);
          return client ?? this.#client();
        },
        leaseClientFor: () => this.leases.client,
        ...(isListening && { isListening }),
        listWatchFor: (scope) => {
          this.scopes.push(scope);
          const name = resourceName(scope.resource);
          return sources[name] ?? this.collection(name);
        },
      },
      logFor: (facts) => {
        const at =
          (level: string) =>
          (fields: object, message: string): void => {
            const line = { level, message, fields: { ...facts, ...fields } };
            this.lines.push(line);
            this.onLine(line);
            this.facts.push(message);
          };
        return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
      },
    });
  }

  collection(name: string): Collection {
    const known = this.#collections.get(name);
    if (known !== undefined) return known;
    const made = new Collection((fact) => this.facts.push(fact));
    this.#collections.set(name, made);
    return made;
  }

  async start(): Promise<void> {
    this.running = this.manager.run(this.stop.signal);
    this.running.catch(() => {}); // whoever cares awaits it as well
    onTestFinished(async () => {
      this.stop.abort(new Error('test finished'));
      await this.clock.advanceAndSettle(20_000);
      await this.running?.catch(() => {});
    });
    await settle();
  }

  async stopAndWait(): Promise<void> {
    this.stop.abort(new Error('stop'));
    await this.running;
  }

  messages(): string[] {
    return this.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
  }

  #client(): Client {
    return clientOf(async (call) => {
      if (call.verb !== 'create') throw new Error(`unexpected ${call.verb}`);
      await settle(); // as long as a request may take, and longer than the rest of the stop
      this.facts.push('event sent');
      return call.object;
    });
  }
}

export function configMap(name: string, resourceVersion = '1'): KubernetesObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}
