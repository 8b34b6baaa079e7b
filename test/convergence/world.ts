import { FakeClock, settle } from '@chancery/testing';
import { controller } from '../../operator/controller/controller.ts';
import { ControllerRunner } from '../../operator/controller/run/runner.ts';
import { source } from '../../operator/controller/source.ts';
import { sleep } from '../../operator/core/clock.ts';
import type { KubernetesObject, ObjectKey } from '../../operator/model/object.ts';
import { keyOf } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { Informer } from '../../operator/store/informer.ts';
import type { FakeCollection, Thing } from '../support/fake-collection.ts';
import { noClient } from '../support/no-client.ts';
import { recordingLog } from '../support/recording-log.ts';
import { WrittenCollection } from '../support/written-collection.ts';
import { differences, Ledger, type Seen, seenOf } from './ledger.ts';

const things = source(
  defineResource<Thing>({
    group: '',
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    namespaced: true,
  }),
);

/** Small, so that lists of a few objects take several pages. */
const PAGE_SIZE = 3;

/** Longer than any pause between two attempts. */
const AT_REST_MS = 300_000;

export interface WorldOptions {
  /** How lists are made. */
  readonly list: 'paged' | 'stream';
  /** Mean time between authoritative relists; 0 for none. */
  readonly relistIntervalMs: number;
  /** How long after the last fault everything must be as it should be. */
  readonly quiesceMs: number;
}

/** One life of an operator: what it knows ends with it. */
class Life {
  readonly ledger = new Ledger();
  readonly reconciled = new Map<ObjectKey, Seen>();
  readonly informer: Informer<Thing>;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  /** Keys in a reconcile at this moment. */
  readonly #busy = new Set<ObjectKey>();

  constructor(world: World) {
    const { clock, collection } = world;
    this.informer = new Informer<Thing>(
      collection,
      {
        statusChanged: () => {},
        drifted: () => {},
        handlerFailed: (error) => void this.ledger.violations.push(`handler: ${String(error)}`),
      },
      {
        clock,
        random: world.random,
        pageSize: PAGE_SIZE,
        relistIntervalMs: world.options.relistIntervalMs,
        list: world.options.list,
      },
    );
    this.informer.addHandler((changes) => {
      this.ledger.take(changes);
      const { slowMs } = world;
      return slowMs === 0 ? undefined : sleep(clock, slowMs, this.#stop.signal).catch(() => {});
    });
    const runner = new ControllerRunner({
      controller: this.#controller(world),
      informerFor: () => this.informer as unknown as Informer<KubernetesObject>,
      client: noClient,
      events: { record: () => {} },
      clock,
      self: { namespace: undefined, podName: undefined },
      logFor: recordingLog().logFor,
    });
    runner.attach();
    const { signal } = this.#stop;
    this.#running = Promise.all([this.informer.run(signal), runner.run(signal, signal)]);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #controller(world: World) {
    return controller<Thing>({
      name: 'convergence',
      for: things,
      maxConcurrentReconciles: 2,
      reconcile: (object, context) => this.#reconcile(world, context.key, object, context.signal),
      gone: (key, context) => this.#reconcile(world, key, undefined, context.signal),
    });
  }

  async #reconcile(
    world: World,
    key: ObjectKey,
    object: Thing | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#busy.has(key)) this.ledger.violations.push(`${key} is reconciled twice at once`);
    this.#busy.add(key);
    try {
      await sleep(world.clock, world.reconcileMs, signal);
      if (world.failures > 0) {
        world.failures--;
        throw new Error('a reconcile that fails');
      }
    } finally {
      this.#busy.delete(key);
    }
    if (object === undefined) this.reconciled.delete(key);
    else this.reconciled.set(key, seenOf(object));
  }
}

/** A server, and an operator that is killed and started again beside it, on a clock that we own. */
export class World {
  readonly clock = new FakeClock();
  /** Its objects are sent as bytes: some are told without parsing them, others not. */
  readonly collection: FakeCollection;
  readonly random: () => number;
  readonly options: WorldOptions;
  /** What a handler keeps its informer waiting for. */
  slowMs = 0;
  reconcileMs = 10;
  /** Reconciles that will fail. */
  failures = 0;
  #life: Life;

  constructor(random: () => number, options: WorldOptions) {
    this.random = random;
    this.collection = new WrittenCollection(random);
    this.options = options;
    this.#life = new Life(this);
  }

  async restart(): Promise<void> {
    await this.#life.end();
    this.#requireNoViolation();
    this.#life = new Life(this);
  }

  /**
   * Ends every fault and lets time pass.
   *
   * @returns where the operator's picture differs from the server, and what contradicted itself.
   */
  async quiesce(): Promise<readonly string[]> {
    this.slowMs = 0;
    this.failures = 0;
    this.collection.calm();
    await this.clock.advanceAndSettle(this.options.quiesceMs);
    const { informer, ledger, reconciled } = this.#life;
    const { objects, lists } = this.collection;
    // One object is what a probe asks for, to see that a silent server is not an older one.
    const listCount = (): number => lists.filter(({ limit }) => limit !== 1).length;
    const listsBefore = listCount();
    await this.clock.advanceAndSettle(AT_REST_MS);
    const restless = this.options.relistIntervalMs === 0 && listCount() > listsBefore;
    const stored = new Map(informer.store.list().map((object) => [keyOf(object), seenOf(object)]));
    return [
      ...(restless ? ['it lists although all is well'] : []),
      ...(informer.status.health === 'healthy' ? [] : [`it is ${informer.status.health}`]),
      ...ledger.violations,
      ...differences(stored, objects).map((word) => `store: ${word}`),
      ...differences(ledger.live, objects).map((word) => `handlers: ${word}`),
      ...differences(reconciled, objects).map((word) => `reconciles: ${word}`),
    ];
  }

  /** Ends the operator; nothing may be left of it. */
  async end(): Promise<readonly string[]> {
    await this.#life.end();
    await settle();
    const left = [];
    if (this.clock.pending > 0) left.push(`${this.clock.pending} timers are left`);
    const { openWatches } = this.collection;
    if (openWatches.length > 0) left.push(`${openWatches.length} watches are left open`);
    return left;
  }

  #requireNoViolation(): void {
    const { violations } = this.#life.ledger;
    if (violations.length > 0) throw new Error(violations.join('; '));
  }
}
