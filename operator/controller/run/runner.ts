import type { Client } from '../../client/client.ts';
import { surround } from '../../client/client-of.ts';
import { journalWrites } from '../../client/interceptors/journal-writes.ts';
import { linkedAbort } from '../../core/abort.ts';
import { noMeter } from '../../core/metrics.ts';
import { TimeSlice } from '../../core/time-slice.ts';
import { type KubernetesObject, keyFrom, type ObjectKey } from '../../model/object.ts';
import { LOW_PRIORITY, type QueueSettings, WorkQueue } from '../../queue/work-queue.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import { sourcesOf } from '../controller.ts';
import { Finalizing } from '../finalizers/finalizing.ts';
import { UnselectedObjects } from '../finalizers/unselected-objects.ts';
import { type AcceptedWrite, KeyGate, type Resume } from '../policies/key-gate.ts';
import { keyPolicies } from '../policies/key-policies.ts';
import { TakenNames } from '../policies/taken-names.ts';
import type { Log } from '../reconciler.ts';
import type { Source } from '../source.ts';
import { Contexts } from './context.ts';
import { type KeyState, keyState, type TroubledSource, troubledSources } from './key-state.ts';
import type { WrittenCall } from './observe-writes.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import { ReconcileMetrics } from './reconcile-metrics.ts';
import type { WaitingKey } from './run-observer.ts';
import type { RunnerOptions } from './runner-options.ts';
import { settledSources } from './settled-sources.ts';
import { ShardedKeys } from './sharded-keys.ts';
import type { Term } from './term.ts';
import { runTriggers } from './wakes/run-triggers.ts';
import { type Subscriptions, subscribe } from './wakes/subscribe.ts';
import { changedObject, howChanged, WakeCauses } from './wakes/wake-causes.ts';
import { DONE, writtenFacts } from './written-fields.ts';

/** A controller's state for display. Plain data. */
export interface ControllerActivity {
  readonly name: string;
  /** False before its sources are synced, while another replica leads, and after the end. */
  readonly working: boolean;
  readonly workers: number;
  readonly busy: number;
  /** Number of ready keys by priority, the highest first. */
  readonly ready: readonly { readonly priority: number; readonly keys: number }[];
  /** Number of keys that are due later or parked by a policy. */
  readonly delayed: number;
  /** Number of keys whose last attempt failed. */
  readonly failing: number;
  readonly longestRunningMs: number;
}

const DEFAULT_RECONCILE_TIMEOUT_MS = 5 * 60 * 1_000;
const DEFAULT_CACHE_SYNC_TIMEOUT_MS = 2 * 60 * 1_000;
/** The value of controller-runtime's SyncPeriod. */
const DEFAULT_RESYNC_PERIOD_MS = 10 * 60 * 60 * 1_000;

/**
 * Runs one controller: changes of its sources become keys, and keys become reconciles.
 *
 * `attach` prepares a standby: the sources are listed and watched, but no handler is subscribed, so that no
 * keys pile up. `run` begins with all objects that are cached at that time.
 */
export class ControllerRunner {
  readonly #options: RunnerOptions;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #log: Log;
  readonly #metrics: ReconcileMetrics;
  readonly #timeSlice: TimeSlice;
  readonly #informers = new Map<Source, SharedInformer<KubernetesObject>>();
  readonly #gate: KeyGate;
  readonly #takenNames: TakenNames;
  readonly #contexts: Contexts;
  readonly #loop: ReconcileLoop;
  readonly #finalizing: Finalizing;
  readonly #unselected: UnselectedObjects;
  readonly #wakes: WakeCauses;
  /** The term of all keys, unless they are sharded. */
  readonly #term: Term;
  /** Undefined unless keys are sharded. */
  readonly #keys: ShardedKeys | undefined;
  /** Undefined until every source has its first list, or is known to be absent. */
  #subscriptions: Subscriptions | undefined;
  /** True when the queue began with the keys of a work order instead of all cached objects. */
  #isContinued = false;

  constructor(options: RunnerOptions) {
    const { clock, controller, journal, logFor, meter, shards } = options;
    const { name } = controller;
    const queue = queueOf(options);
    this.#options = options;
    this.#queue = new WorkQueue({ ...queue, clock, ...(meter && { metrics: { meter, name } }) });
    const journaled = (client: Client): Client =>
      surround(client, { journal: journal && journalWrites(journal) });
    this.#term = { events: options.events, client: journaled(options.client) };
    const parts = { controller, informers: this.#informers, journaled, queue: this.#queue };
    this.#keys = shards && new ShardedKeys({ ...parts, shards });
    this.#metrics = new ReconcileMetrics(meter ?? noMeter, name);
    this.#log = logFor({ controller: name });
    this.#timeSlice = options.timeSlice ?? new TimeSlice(clock);
    this.#wakes = new WakeCauses(options.showsDebug ?? (() => false));
    this.#takenNames = new TakenNames({
      clock,
      controller,
      informers: this.#informers,
      enqueue: (key, priority) => this.#ask(key, 'name of a child', { priority }),
    });
    this.#gate = this.#newGate();
    this.#contexts = new Contexts({
      ...options,
      childLabels: shards?.childLabels,
      informers: this.#informers,
      wrote: (key, write, call) => {
        this.#gate.wrote(key, write);
        this.#logWrite(key, write, call);
      },
      gate: this.#gate,
      takenNames: this.#takenNames,
    });
    this.#finalizing = new Finalizing({ controller, clock });
    this.#unselected = this.#unselectedObjects(this.#term.client);
    this.#loop = new ReconcileLoop({
      controller,
      clock,
      logFor,
      queue: this.#queue,
      gate: this.#gate,
      metrics: this.#metrics,
      ...{ finalizing: this.#finalizing, unselected: this.#unselected },
      contexts: this.#contexts,
      wakes: this.#wakes,
      reconcileTimeoutMs:
        controller.reconcileTimeoutMs ?? options.reconcileTimeoutMs ?? DEFAULT_RECONCILE_TIMEOUT_MS,
      middleware: options.reconcileMiddleware,
      observer: options.observer,
    });
  }

  #newGate(): KeyGate {
    const { clock, controller, meter = noMeter, observer } = this.#options;
    const policiesFor = (resume: Resume) =>
      keyPolicies({
        clock,
        controller,
        informers: this.#informers,
        meter,
        ready: () => this.#queue.depth,
        looped: (key, object) => {
          this.#metrics.looped();
          observer?.looped?.(key, object);
        },
        fought: () => this.#metrics.fought(),
        takenNames: this.#takenNames,
        resume,
      });
    return new KeyGate(this.#queue, policiesFor, observer?.held?.bind(observer));
  }

  /** The current state, for display. */
  get activity(): ControllerActivity {
    const { controller } = this.#options;
    const queue = this.#queue;
    return {
      name: controller.name,
      working: this.#subscriptions !== undefined,
      workers: controller.maxConcurrentReconciles,
      busy: queue.processingCount,
      ready: Array.from(queue.depths, ([priority, keys]) => ({ priority, keys })),
      delayed: queue.delayedCount + this.#gate.parkedCount,
      failing: queue.failingCount,
      longestRunningMs: queue.longestProcessingMs,
    };
  }

  /** Every key that is waiting or being reconciled. */
  *waiting(): Generator<WaitingKey, void, undefined> {
    const failures = (key: ObjectKey): number => this.#queue.failures(key);
    for (const each of this.#queue.keys()) yield { ...each, failures: failures(each.key) };
    for (const [key, priority] of this.#gate.parked()) {
      yield { key, state: 'parked', dueInMs: undefined, failures: failures(key), priority };
    }
  }

  /** The state of one key, from memory. Reading it does not affect the queue. */
  keyState(key: ObjectKey): KeyState {
    const { controller } = this.#options;
    const parts = { informers: this.#informers, queue: this.#queue, gate: this.#gate };
    return keyState({ ...parts, controller, wakes: this.#wakes, keys: this.#keys }, key);
  }

  /** The keys of the cached objects that the controller reconciles. */
  *cachedKeys(): Generator<ObjectKey, void, undefined> {
    const informer = this.#informers.get(this.#options.controller.for);
    for (const { key } of informer?.entries() ?? []) yield key;
  }

  /** The sources that have not received their first list, or whose last requests failed. */
  get troubledSources(): readonly TroubledSource[] {
    return troubledSources(this.#informers);
  }

  /** True if only the leader runs the controller. */
  get needsLeaderElection(): boolean {
    return this.#options.controller.needsLeaderElection;
  }

  /** True when every change of the sources has become keys, or nothing is subscribed yet. */
  get delivered(): boolean {
    return this.#subscriptions?.delivered ?? true;
  }

  /** True while a reconcile has run longer than `maxReconcileAgeMs`; for a liveness probe. */
  get stuck(): boolean {
    const { controller, maxReconcileAgeMs = Number.POSITIVE_INFINITY } = this.#options;
    return this.#queue.longestProcessingMs > (controller.maxReconcileAgeMs ?? maxReconcileAgeMs);
  }

  /**
   * True when all changes of the sources are processed, and no key is ready or held by a worker. Keys with
   * a delay may be waiting.
   */
  get idle(): boolean {
    const { depth, processingCount } = this.#queue;
    if (!this.#unselected.isSettled) return false;
    return this.#subscriptions?.delivered === true && depth === 0 && processingCount === 0;
  }

  /** Gets the informers of the sources. The owner of the informers runs them. A second call does nothing. */
  attach(): void {
    const { controller, informerFor } = this.#options;
    for (const source of sourcesOf(controller)) {
      if (!this.#informers.has(source)) this.#informers.set(source, informerFor(source));
    }
  }

  /**
   * Waits for every source, then reconciles until `signal` aborts, beginning with all cached objects, at a
   * lower priority than new changes. Resolves when the running reconciles have ended. Their `context.signal`
   * follows `hardStop`, so that they can finish after `signal` has aborted.
   *
   * @throws OperatorError `UNSERVED` with `crdWait: 'timeout'`, before anything is reconciled; `NOT_SYNCED`
   *   when a source fails after `sourcesWithinMs`.
   */
  async run(signal: AbortSignal, hardStop: AbortSignal): Promise<void> {
    const { cacheSyncTimeoutMs, clock, controller, crdWait, sourcesWithinMs } = this.#options;
    const workers = controller.maxConcurrentReconciles;
    this.attach();
    this.#metrics.begin(workers);
    try {
      const timeoutMs = sourcesWithinMs ?? cacheSyncTimeoutMs ?? DEFAULT_CACHE_SYNC_TIMEOUT_MS;
      const options = {
        ...{ informers: this.#informers, clock, log: this.#log, timeoutMs },
        ...{ failsLate: sourcesWithinMs !== undefined, ...(crdWait && { crdWait }) },
      };
      await settledSources(options, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    // Controllers that share a source start together, each with all cached objects. The time slice is checked
    // right before the subscription, because other controllers may have used up this turn.
    for (let next = this.#timeSlice.exceeded; next !== undefined; next = this.#timeSlice.exceeded)
      await next;
    if (signal.aborted) return;
    this.#log.info({ workers }, 'controller started');
    using ending = linkedAbort(signal);
    const unfollow = this.#contexts.followCaches();
    this.#isContinued = this.#options.workOrder?.begin(controller.name, this.#queue) ?? false;
    const subscriptions = this.#subscribe(ending.signal);
    this.#subscriptions = subscriptions;
    ending.signal.addEventListener('abort', () => {
      subscriptions.end();
      this.#queue.close();
    });
    const triggered = this.#trigger(ending.signal);
    const swept = this.#unselected.run(ending.signal);
    this.#gate.start();
    const unfollowShards = this.#keys?.follow(
      (key) => this.#ask(key, 'group taken over', { priority: LOW_PRIORITY }),
      this.#unselected,
    );
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#work(hardStop)));
    } finally {
      ending.abort();
      unfollow();
      unfollowShards?.();
      this.#subscriptions = undefined;
      this.#gate.stop();
      this.#unselected.stop();
      await Promise.all([triggered, swept]);
    }
    this.#log.info({}, 'controller stopped');
  }

  #subscribe(signal: AbortSignal): Subscriptions {
    const { clock, controller, resyncPeriodMs } = this.#options;
    return subscribe({
      controller,
      informers: this.#informers,
      clock,
      log: this.#log,
      signal,
      resyncPeriodMs: controller.resyncPeriodMs ?? resyncPeriodMs ?? DEFAULT_RESYNC_PERIOD_MS,
      enqueue: (key, cause, options, via) => {
        if (this.#keys?.admits(key, cause) === false) return;
        const { change } = cause;
        if (this.#isContinued && change.type === 'add' && change.initial) return;
        this.#options.observer?.woken?.(key, {
          ...{ cause: changedObject(cause), via: howChanged(cause.change, via) },
          priority: options.priority,
        });
        this.#wakes.changed(key, cause, via);
        this.#gate.changed(key, cause, options);
      },
      mappingContext: { store: (of) => this.#contexts.store(of) },
      takenNames: this.#takenNames,
      unselected: this.#unselected,
      mappingFailed: () => this.#metrics.mappingFailed(),
      predicateFailed: () => this.#metrics.predicateFailed(),
    });
  }

  #unselectedObjects(client: Client): UnselectedObjects {
    const { clock, controller, controllers, events, metadataPages, openSource } = this.#options;
    return new UnselectedObjects({
      ...{ controller, client, clock, events, log: this.#log },
      ...{ controllers, pages: metadataPages, open: openSource, shards: this.#keys },
      cached: (key) => this.#informers.get(controller.for)?.cached(key),
      isFinalized: (key, uid) => this.#finalizing.hasFinalized(key, uid),
      enqueue: (key) => this.#ask(key, 'finalizer of an object that is not selected'),
      measured: (count) => this.#metrics.unselected(count),
    });
  }

  /** Enqueues a key for a reason other than a change. */
  #ask(key: ObjectKey, why: string, options?: { readonly priority?: number }): void {
    const { priority } = options ?? {};
    const wake = { cause: why, ...(priority !== undefined && { priority }) };
    this.#options.observer?.woken?.(key, wake);
    this.#wakes.asked(key, why);
    this.#gate.add(key, options);
  }

  #logWrite(key: ObjectKey, write: AcceptedWrite, { verb, options }: WrittenCall): void {
    if (this.#options.showsDebug?.() !== true) return;
    this.#log.debug({ key, ...writtenFacts(write, options) }, DONE[verb] ?? verb);
  }

  #trigger(signal: AbortSignal): Promise<void> {
    const { clock, controller, random } = this.#options;
    return runTriggers(controller.triggers, {
      clock,
      signal,
      log: this.#log,
      ...(random && { random }),
      failed: () => this.#metrics.triggerFailed(),
      enqueue: (keys, options) => {
        for (const key of Array.from(keys, keyFrom)) this.#ask(key, 'trigger', options);
      },
    });
  }

  async #work(hardStop: AbortSignal): Promise<void> {
    for (let key = await this.#take(); key !== undefined; key = await this.#take()) {
      try {
        await this.#attempt(key, hardStop);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #attempt(key: ObjectKey, hardStop: AbortSignal): Promise<void> {
    const term = this.#keys === undefined ? this.#term : this.#keys.termOf(key);
    // Without a term another replica works on the key, or will do so, beginning with all keys of the group.
    if (term === undefined) {
      this.#queue.forget(key);
      this.#wakes.forget(key);
    } else if (this.#gate.admits(key)) {
      const ended = this.#keys?.begin(key);
      await this.#loop.run(key, term, hardStop).finally(ended);
    }
  }

  /**
   * Waits for the policies and the time slice first, because reconciles that await nothing would otherwise
   * block the event loop.
   */
  async #take(): Promise<ObjectKey | undefined> {
    for (let wait = this.#gate.beforeTake(); wait; wait = this.#gate.beforeTake()) await wait;
    for (let next = this.#timeSlice.exceeded; next !== undefined; next = this.#timeSlice.exceeded)
      await next;
    const { controller, workOrder } = this.#options;
    return workOrder === undefined ? this.#queue.take() : workOrder.next(controller.name);
  }
}

/** The queue settings of the controller and of the process, and the process's source of random numbers. */
function queueOf({ controller, queue, random }: RunnerOptions): QueueSettings {
  const settings = { ...queue, ...controller.queue };
  if (random === undefined) return settings;
  return { ...settings, backoff: { random, ...settings.backoff } };
}
