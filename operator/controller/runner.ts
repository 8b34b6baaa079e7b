import { randomUUID } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import { TurnLimit } from '../core/turns.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { LOW_PRIORITY, type QueueSettings, WorkQueue } from '../queue/work-queue.ts';
import type { Change } from '../store/cache.ts';
import type { SharedInformer } from '../store/shared-informer.ts';
import { Contexts } from './context.ts';
import type { Controller, Mapping } from './controller.ts';
import type { EventRecorder } from './event-recorder.ts';
import { failureOf } from './failure.ts';
import { ReconcileMetrics } from './reconcile-metrics.ts';
import type { Log, Result, Self } from './reconciler.ts';
import { type CrdWait, settledSources } from './settled-sources.ts';
import type { Source } from './source.ts';
import { timeLimit } from './time-limit.ts';

export interface RunnerOptions {
  readonly controller: Controller;
  /** The informer behind a source; the same one for equal sources. */
  readonly informerFor: (source: Source) => SharedInformer<KubernetesObject>;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly self: Self;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Default 5 minutes; a reconcile that takes longer has its signal aborted. */
  readonly reconcileTimeoutMs?: number;
  /** Default 2 minutes, controller-runtime's; then one line says which sources are missing. */
  readonly cacheSyncTimeoutMs?: number;
  /** About a source that the API server does not serve. Default `forever`. */
  readonly crdWait?: CrdWait;
  /** A reconcile that is under way for longer makes the runner `stuck`. Default: none does. */
  readonly maxReconcileAgeMs?: number;
  /** Every cached object is reconciled again in so long, ± 10 %. Default 10 h; 0 is never. */
  readonly resyncPeriodMs?: number;
  readonly queue?: QueueSettings<ObjectKey>;
  /** Default: nothing is measured. */
  readonly meter?: Meter;
}

const DEFAULT_RECONCILE_TIMEOUT_MS = 5 * 60 * 1_000;
const DEFAULT_CACHE_SYNC_TIMEOUT_MS = 2 * 60 * 1_000;
/** controller-runtime's SyncPeriod. */
const DEFAULT_RESYNC_PERIOD_MS = 10 * 60 * 60 * 1_000;

/** Runs one controller: changes of its sources become keys, keys become reconciles. */
export class ControllerRunner {
  readonly #options: RunnerOptions;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #log: Log;
  readonly #metrics: ReconcileMetrics;
  readonly #turn: TurnLimit;
  readonly #informers = new Map<Source, SharedInformer<KubernetesObject>>();
  readonly #contexts: Contexts;

  constructor(options: RunnerOptions) {
    const { clock, controller, logFor, meter, queue } = options;
    const { name } = controller;
    this.#options = options;
    this.#contexts = new Contexts({ ...options, informers: this.#informers });
    this.#queue = new WorkQueue({ ...queue, clock, ...(meter && { metrics: { meter, name } }) });
    this.#metrics = new ReconcileMetrics(meter ?? noMeter, name);
    this.#log = logFor({ controller: name });
    this.#turn = new TurnLimit(clock);
  }

  /** True while a reconcile is under way for longer than `maxReconcileAgeMs`; for a liveness probe. */
  get stuck(): boolean {
    const { maxReconcileAgeMs = Number.POSITIVE_INFINITY } = this.#options;
    return this.#queue.longestHeldMs > maxReconcileAgeMs;
  }

  /** Subscribes to the sources. Call it before their informers run, so that nothing is missed. */
  attach(): void {
    const { controller } = this.#options;
    this.#subscribe(controller.for, (changes) => {
      for (const change of changes) this.#queue.add(change.key, { priority: priorityOf(change) });
    });
    for (const mapping of controller.watches) {
      this.#subscribe(mapping.source, (changes) => void this.#enqueueMapped(mapping, changes));
    }
  }

  /**
   * Waits for every source, then works until `signal` aborts; resolves when the reconciles under way
   * have ended. Their `context.signal` is `hardStop`, so that they may finish what they began.
   *
   * @throws OperatorError `UNSERVED` with `crdWait: 'timeout'`, before anything is reconciled.
   */
  async run(signal: AbortSignal, hardStop: AbortSignal): Promise<void> {
    const { cacheSyncTimeoutMs, clock, controller, crdWait = 'forever' } = this.#options;
    this.#metrics.begin(controller.maxConcurrentReconciles);
    try {
      const timeoutMs = cacheSyncTimeoutMs ?? DEFAULT_CACHE_SYNC_TIMEOUT_MS;
      const informers = this.#informers;
      await settledSources({ informers, clock, log: this.#log, timeoutMs, crdWait }, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#log.info({ workers: controller.maxConcurrentReconciles }, 'controller started');
    const close = (): void => this.#queue.close();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    const workers = Array.from({ length: controller.maxConcurrentReconciles }, () =>
      this.#work(hardStop),
    );
    await Promise.all(workers);
    this.#log.info({}, 'controller stopped');
  }

  #subscribe(source: Source, handler: (changes: readonly Change[]) => void): void {
    const { informerFor, resyncPeriodMs } = this.#options;
    const informer = informerFor(source);
    this.#informers.set(source, informer);
    informer.addHandler(handler, { resyncPeriodMs: resyncPeriodMs ?? DEFAULT_RESYNC_PERIOD_MS });
  }

  async #enqueueMapped(mapping: Mapping, changes: readonly Change[]): Promise<void> {
    for (const change of changes) {
      const priority = priorityOf(change);
      const objects = change.type === 'update' ? [change.old, change.object] : [change.object];
      for (const object of objects) {
        try {
          for (const key of await mapping.map(object)) this.#queue.add(key, { priority });
        } catch (error) {
          this.#log.error(
            { err: userCode('mapping failed', error), key: change.key },
            'mapping failed',
          );
        }
      }
    }
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

  /** Reconciles that wait for nothing leave the event loop to others now and then. */
  async #take(): Promise<ObjectKey | undefined> {
    for (let next = this.#turn.exceeded; next !== undefined; next = this.#turn.exceeded) await next;
    return this.#queue.take();
  }

  async #attempt(key: ObjectKey, hardStop: AbortSignal): Promise<void> {
    const { clock, controller, logFor, reconcileTimeoutMs } = this.#options;
    using attempt = linkedAbort(hardStop);
    const log = logFor({ controller: controller.name, key, reconcileId: randomUUID() });
    const limitMs = reconcileTimeoutMs ?? DEFAULT_RECONCILE_TIMEOUT_MS;
    const cancelLimit = timeLimit(clock, limitMs, (runningMs, isFirst) => {
      log.warn({ limitMs, runningMs }, 'reconcile takes too long, its signal is aborted');
      if (isFirst) this.#metrics.timedOut();
      attempt.abort(userCode('reconcile timed out', undefined));
    });
    const startedAt = clock.monotonic();
    this.#metrics.attemptBegan();
    try {
      const object = this.#contexts.store(controller.for).get(key);
      const context = this.#contexts.of({
        key,
        object,
        signal: attempt.signal,
        log,
        attempt: this.#queue.failures(key),
        priority: this.#queue.heldPriority(key),
      });
      this.#succeeded(key, await controller.reconcile(key, object, context));
      log.debug({ durationMs: Math.round(clock.monotonic() - startedAt) }, 'reconciled');
    } catch (error) {
      if (!hardStop.aborted) this.#failed(key, error, log);
    } finally {
      cancelLimit();
      this.#metrics.attemptEnded(clock.monotonic() - startedAt);
    }
  }

  /** @param result - undefined from a reconciler in JavaScript that returns nothing. */
  #succeeded(key: ObjectKey, result: Result | undefined): void {
    const requeueAfterMs = result?.requeueAfterMs;
    if (requeueAfterMs !== undefined) {
      if (Number.isNaN(requeueAfterMs)) throw userCode('requeueAfterMs is not a number', undefined);
      this.#queue.addAfter(key, requeueAfterMs, { priority: result?.priority ?? LOW_PRIORITY });
    }
    this.#queue.forget(key);
    this.#metrics.succeeded(requeueAfterMs === undefined ? 'success' : 'requeue_after');
  }

  #failed(key: ObjectKey, thrown: unknown, log: Log): void {
    const { kind, error: err, atLeastMs } = failureOf(thrown);
    this.#metrics.failed(kind);
    if (kind === 'terminal') {
      this.#queue.forget(key);
      log.error({ err }, 'reconcile failed, only a change can help');
      return;
    }
    const retryInMs = Math.round(this.#queue.retry(key, atLeastMs));
    if (kind === 'conflict') log.debug({ err, retryInMs }, 'reconcile conflicted');
    else if (kind === 'panic') log.error({ err, retryInMs }, 'reconcile failed by a bug');
    else log.warn({ err, retryInMs }, 'reconcile failed');
  }
}

/**
 * Nobody waits for what was there before we looked, is told again, or has changed while we could not
 * see it; for a change somebody may. What was made or deleted meanwhile is a change: it is rare, and
 * late already.
 */
function priorityOf(change: Change): number {
  const isInitial = change.type === 'add' && change.initial;
  const isRepeated = change.type === 'update' && (change.resync ?? change.relist) === true;
  return isInitial || isRepeated ? LOW_PRIORITY : 0;
}

function userCode(message: string, cause: unknown): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', cause });
}
