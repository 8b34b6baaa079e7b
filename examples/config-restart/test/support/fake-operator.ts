import { FakeClock } from '@chancery/testing';
import {
  type EventNote,
  type Log,
  objectKey,
  type ReconcileContext,
  type Self,
  source,
} from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { expect } from 'vitest';
import configRestart from '../../operator.ts';
import { createReconciler } from '../../reconcile.ts';
import type { FakeCluster } from './fake-cluster.ts';

/** A wait that no test is about: a reconcile that keeps asking is a fault. */
const MAX_STEPS = 100;

export interface LogLine {
  readonly message: string;
  readonly fields: object;
}

/** The reconciler as one process after another runs it. */
export class FakeOperator {
  readonly clock: FakeClock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  readonly events: EventNote[] = [];
  readonly lines: LogLine[] = [];
  readonly #cluster: FakeCluster;
  readonly #self: Self;
  #reconciler: ReturnType<typeof createReconciler> = createReconciler();

  constructor(cluster: FakeCluster, self: Partial<Self> = {}) {
    this.#cluster = cluster;
    cluster.permissions = configRestart.permissions;
    this.#self = { namespace: 'default', podName: undefined, ...self };
  }

  /** Another process takes over: what was in memory is gone. */
  restart(): void {
    this.#reconciler = createReconciler();
  }

  /** One reconcile. @param cached - what the cache has, when it is behind the cluster. */
  async reconcile(
    name: string,
    cached = this.#cluster.read(configMaps, name),
  ): Promise<{ readonly requeueAfterMs?: number | undefined }> {
    const key = objectKey('default', name);
    const context: ReconcileContext<ConfigMap> = {
      key,
      signal: new AbortController().signal,
      log: this.#log(),
      attempt: 0,
      priority: 0,
      client: this.#cluster,
      clock: this.clock,
      events: { record: (event) => this.events.push(event) },
      self: this.#self,
      dryRun: false,
      store: (given) => this.#cluster.store('resource' in given ? given : source(given)),
      applyOwned: () => expect.unreachable('config-restart owns nothing'),
      deleteOwned: () => expect.unreachable('config-restart owns nothing'),
      setStatus: () => expect.unreachable('config-restart reports in its own words'),
      event: () => expect.unreachable('config-restart names the object of each Event'),
    };
    const { gone, reconcile } = this.#reconciler;
    const outcome = cached ? reconcile(cached, context) : gone(key, context);
    return (await outcome) ?? {};
  }

  /** Reconciles until there is nothing to wait for. @param between - runs before each next step. */
  async settle(name: string, between: () => void = () => {}): Promise<void> {
    for (let step = 0; step < MAX_STEPS; step++) {
      const { requeueAfterMs } = await this.reconcile(name);
      if (requeueAfterMs === undefined) return;
      between();
      this.clock.advance(requeueAfterMs);
    }
    throw new Error(`${name} did not come to rest`);
  }

  /** Reasons of the Events, in order. */
  get reasons(): readonly string[] {
    return this.events.map(({ reason }) => reason);
  }

  #log(): Log {
    const write = (fields: object, message: string): void => {
      this.lines.push({ message, fields });
    };
    return { debug: () => {}, info: write, warn: write, error: write };
  }
}
