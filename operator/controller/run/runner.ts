import { intercept } from '../../client/client-of.ts';
import { journalWrites } from '../../client/interceptors/journal-writes.ts';
import { linkedAbort } from '../../core/abort.ts';
import { noMeter } from '../../core/metrics.ts';
import { TimeSlice } from '../../core/time-slice.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import { WorkQueue } from '../../queue/work-queue.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import { sourcesOf } from '../controller.ts';
import { Finalizing } from '../finalizers/finalizing.ts';
import { sweepFinalizers } from '../finalizers/sweep.ts';
import { KeyGate } from '../policies/key-gate.ts';
import { keyPolicies } from '../policies/key-policies.ts';
import { TakenNames } from '../policies/taken-names.ts';
import type { Log } from '../reconciler.ts';
import type { Source } from '../source.ts';
import { Contexts } from './context.ts';
import { ReconcileLoop } from './reconcile-loop.ts';
import { ReconcileMetrics } from './reconcile-metrics.ts';
import { runTriggers } from './run-triggers.ts';
import type { RunnerOptions } from './runner-options.ts';
import { settledSources } from './settled-sources.ts';
import { type Subscriptions, subscribe } from './subscribe.ts';

export type { RunnerOptions } from './runner-options.ts';

/** A controller as people look at it. Plain data. */
export interface ControllerActivity {
  readonly name: string;
  /** False before its sources are synced, while another replica leads, and after the end. */
  readonly working: boolean;
  readonly workers: number;
  readonly busy: number;
  /** Keys ready to be taken, by priority, the highest first. */
  readonly ready: readonly { readonly priority: number; readonly keys: number }[];
  /** Keys that are due later, or wait for a cache. */
  readonly delayed: number;
  /** Keys whose last attempt failed. */
  readonly failing: number;
  readonly longestRunningMs: number;
}

const DEFAULT_RECONCILE_TIMEOUT_MS = 5 * 60 * 1_000;
const DEFAULT_CACHE_SYNC_TIMEOUT_MS = 2 * 60 * 1_000;
/** controller-runtime's SyncPeriod. */
const DEFAULT_RESYNC_PERIOD_MS = 10 * 60 * 60 * 1_000;

/**
 * Runs one controller: changes of its sources become keys, keys become reconciles.
 *
 * `attach` is for standing by: the sources are listed and watched, and nobody is told, so that nothing
 * piles up. `run` begins with all that is cached by then.
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
  /** Undefined before the sources have settled. */
  #subscriptions: Subscriptions | undefined;

  constructor(options: RunnerOptions) {
    const { clock, controller, events, journal, logFor, meter } = options;
    const { name } = controller;
    const queue = { ...options.queue, ...controller.queue };
    const client =
      journal === undefined ? options.client : intercept(options.client, journalWrites(journal));
    this.#options = options;
    this.#queue = new WorkQueue({ ...queue, clock, ...(meter && { metrics: { meter, name } }) });
    this.#metrics = new ReconcileMetrics(meter ?? noMeter, name);
    this.#log = logFor({ controller: name });
    this.#timeSlice = options.timeSlice ?? new TimeSlice(clock);
    this.#takenNames = new TakenNames({
      clock,
      controller,
      informers: this.#informers,
      enqueue: (key, priority) => this.#gate.add(key, { priority }),
    });
    this.#gate = new KeyGate(this.#queue, (resume) =>
      keyPolicies({
        clock,
        controller,
        informers: this.#informers,
        meter: meter ?? noMeter,
        ready: () => this.#queue.depth,
        looped: () => this.#metrics.looped(),
        takenNames: this.#takenNames,
        resume,
      }),
    );
    this.#contexts = new Contexts({
      ...options,
      client,
      informers: this.#informers,
      wrote: (key, write) => this.#gate.wrote(key, write),
      takenNames: this.#takenNames,
    });
    this.#loop = new ReconcileLoop({
      controller,
      clock,
      events,
      logFor,
      queue: this.#queue,
      gate: this.#gate,
      metrics: this.#metrics,
      finalizing: new Finalizing({ controller, client, clock }),
      contexts: this.#contexts,
      reconcileTimeoutMs:
        controller.reconcileTimeoutMs ?? options.reconcileTimeoutMs ?? DEFAULT_RECONCILE_TIMEOUT_MS,
      middleware: options.reconcileMiddleware,
    });
  }

  /** A snapshot for people. */
  get activity(): ControllerActivity {
    const { controller } = this.#options;
    const queue = this.#queue;
    return {
      name: controller.name,
      working: this.#subscriptions !== undefined,
      workers: controller.maxConcurrentReconciles,
      busy: queue.heldCount,
      ready: Array.from(queue.depths, ([priority, keys]) => ({ priority, keys })),
      delayed: queue.delayedCount + this.#gate.parkedCount,
      failing: queue.failingCount,
      longestRunningMs: queue.longestHeldMs,
    };
  }

  /** True while a reconcile is under way for longer than `maxReconcileAgeMs`; for a liveness probe. */
  get stuck(): boolean {
    const { controller, maxReconcileAgeMs = Number.POSITIVE_INFINITY } = this.#options;
    return this.#queue.longestHeldMs > (controller.maxReconcileAgeMs ?? maxReconcileAgeMs);
  }

  /**
   * True when everything that its sources hold has been looked at: no key is ready, or held by a
   * worker. Keys that are to be reconciled later by themselves may be waiting.
   */
  get idle(): boolean {
    const { depth, heldCount } = this.#queue;
    return this.#subscriptions?.told === true && depth === 0 && heldCount === 0;
  }

  /** Asks for the informers of its sources, which whoever made them runs. Again does nothing. */
  attach(): void {
    const { controller, informerFor } = this.#options;
    for (const source of sourcesOf(controller)) {
      if (!this.#informers.has(source)) this.#informers.set(source, informerFor(source));
    }
  }

  /**
   * Waits for every source, then works until `signal` aborts: at first on all that is cached, behind
   * whatever changes. Resolves when the reconciles under way have ended. Their `context.signal` is
   * `hardStop`, so that they may finish what they began.
   *
   * @throws OperatorError `UNSERVED` with `crdWait: 'timeout'`, before anything is reconciled;
   *   `NOT_SYNCED` when a source fails after `sourcesWithinMs`.
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
    // Controllers that share a source begin together, each with all that is cached. Looked at right before
    // it is taken in, so that each sees what the ones before it have taken of this turn.
    for (let next = this.#timeSlice.exceeded; next !== undefined; next = this.#timeSlice.exceeded)
      await next;
    if (signal.aborted) return;
    this.#log.info({ workers }, 'controller started');
    using ending = linkedAbort(signal);
    const subscriptions = this.#subscribe(ending.signal);
    this.#subscriptions = subscriptions;
    ending.signal.addEventListener('abort', () => {
      subscriptions.end();
      this.#queue.close();
    });
    const triggered = this.#trigger(ending.signal);
    const swept = this.#sweep(ending.signal);
    this.#gate.start();
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#work(hardStop)));
    } finally {
      ending.abort();
      this.#subscriptions = undefined;
      this.#gate.stop();
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
      enqueue: (key, cause, options) => this.#gate.changed(key, cause, options),
      mappingContext: { store: (of) => this.#contexts.store(of) },
      takenNames: this.#takenNames,
      mappingFailed: () => this.#metrics.mappingFailed(),
      predicateFailed: () => this.#metrics.predicateFailed(),
    });
  }

  #trigger(signal: AbortSignal): Promise<void> {
    const { clock, controller } = this.#options;
    return runTriggers(controller.triggers, {
      clock,
      signal,
      log: this.#log,
      failed: () => this.#metrics.triggerFailed(),
      enqueue: (keys, options) => {
        for (const key of keys) this.#gate.add(key, options);
      },
    });
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { controller, metadataPages: pages } = this.#options;
    if (pages === undefined) return;
    await sweepFinalizers({
      controller,
      pages,
      signal,
      log: this.#log,
      isSelected: (key) => this.#informers.get(controller.for)?.store.get(key) !== undefined,
      found: (count) => this.#metrics.unselected(count),
    });
  }

  async #work(hardStop: AbortSignal): Promise<void> {
    for (let key = await this.#take(); key !== undefined; key = await this.#take()) {
      try {
        if (this.#gate.admits(key)) await this.#loop.run(key, hardStop);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  /** Reconciles that wait for nothing let the event loop turn now and then. */
  async #take(): Promise<ObjectKey | undefined> {
    for (let held = this.#gate.pause(); held !== undefined; held = this.#gate.pause()) await held;
    for (let next = this.#timeSlice.exceeded; next !== undefined; next = this.#timeSlice.exceeded)
      await next;
    return this.#queue.take();
  }
}
