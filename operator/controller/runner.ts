import { randomUUID } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError, OperatorError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { resourceName } from '../model/resource.ts';
import { ApiError, isConflict } from '../model/status.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Change } from '../store/cache.ts';
import type { Informer } from '../store/informer.ts';
import type { Store } from '../store/store.ts';
import type { Controller, Mapping } from './controller.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Log, ReconcileContext, Result, Self } from './reconciler.ts';
import type { Source } from './source.ts';

export interface RunnerOptions {
  readonly controller: Controller;
  /** The informer behind a source; the same one for equal sources. */
  readonly informerFor: (source: Source) => Informer<KubernetesObject>;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly self: Self;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Default 5 minutes; a reconcile that takes longer has its signal aborted. */
  readonly reconcileTimeoutMs?: number;
}

const DEFAULT_RECONCILE_TIMEOUT_MS = 5 * 60 * 1_000;

/** Runs one controller: changes of its sources become keys, keys become reconciles. */
export class ControllerRunner {
  readonly #options: RunnerOptions;
  readonly #queue: WorkQueue<ObjectKey>;
  readonly #log: Log;
  readonly #informers = new Map<Source, Informer<KubernetesObject>>();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
    this.#log = options.logFor({ controller: options.controller.name });
  }

  /** Subscribes to the sources. Call it before their informers run, so that nothing is missed. */
  attach(): void {
    const { controller, informerFor } = this.#options;
    const own = informerFor(controller.for);
    this.#informers.set(controller.for, own);
    own.addHandler((changes) => {
      for (const { key } of changes) this.#queue.add(key);
    });
    for (const mapping of controller.watches) {
      const informer = informerFor(mapping.source);
      this.#informers.set(mapping.source, informer);
      informer.addHandler((changes) => this.#enqueueMapped(mapping, changes));
    }
  }

  /**
   * Waits for every source, then works until `signal` aborts; resolves when the reconciles under way
   * have ended. Their `context.signal` is `hardStop`, so that they may finish what they began.
   */
  async run(signal: AbortSignal, hardStop: AbortSignal): Promise<void> {
    const { controller } = this.#options;
    try {
      await this.#sourcesSettled(signal);
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

  async #sourcesSettled(signal: AbortSignal): Promise<void> {
    for (const [source, informer] of this.#informers) {
      const isSettled = (): boolean => informer.synced || (source.optional && isAbsent(informer));
      await informer.until(isSettled, signal);
    }
  }

  #enqueueMapped(mapping: Mapping, changes: readonly Change[]): void {
    for (const change of changes) {
      const objects = change.type === 'update' ? [change.old, change.object] : [change.object];
      for (const object of objects) {
        try {
          for (const key of mapping.map(object)) this.#queue.add(key);
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
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      try {
        await this.#attempt(key, hardStop);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #attempt(key: ObjectKey, hardStop: AbortSignal): Promise<void> {
    const { clock, controller, logFor, reconcileTimeoutMs } = this.#options;
    using attempt = linkedAbort(hardStop);
    const log = logFor({ controller: controller.name, key, reconcileId: randomUUID() });
    const limitMs = reconcileTimeoutMs ?? DEFAULT_RECONCILE_TIMEOUT_MS;
    const cancelLimit = clock.schedule(limitMs, () => {
      log.warn({ limitMs }, 'reconcile takes too long, its signal is aborted');
      attempt.abort(userCode('reconcile timed out', undefined));
    });
    const startedAt = clock.monotonic();
    try {
      const object = this.#store(controller.for).get(key);
      const result = await controller.reconcile(
        key,
        object,
        this.#context(key, attempt.signal, log),
      );
      this.#succeeded(key, result);
      log.debug({ durationMs: Math.round(clock.monotonic() - startedAt) }, 'reconciled');
    } catch (error) {
      if (!hardStop.aborted) this.#failed(key, error, log);
    } finally {
      cancelLimit();
    }
  }

  #succeeded(key: ObjectKey, { requeueAfterMs }: Result): void {
    if (Number.isNaN(requeueAfterMs)) {
      throw userCode('requeueAfterMs is not a number', undefined);
    }
    this.#queue.forget(key);
    if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
  }

  #failed(key: ObjectKey, error: unknown, log: Log): void {
    const atLeastMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const retryInMs = Math.round(this.#queue.retry(key, atLeastMs));
    // A lost race is how optimistic concurrency works, and no news.
    if (isConflict(error)) log.debug({ err: error, retryInMs }, 'reconcile conflicted');
    else log.warn({ err: error, retryInMs }, 'reconcile failed');
  }

  #context(key: ObjectKey, signal: AbortSignal, log: Log): ReconcileContext {
    const { client, clock, events, self } = this.#options;
    return {
      signal,
      log,
      attempt: this.#queue.failures(key),
      client,
      clock,
      events,
      self,
      store: (source) => this.#store(source),
    };
  }

  #store<T extends KubernetesObject>(source: Source<T>): Store<T> {
    const informer = this.#informers.get(source);
    if (informer === undefined) {
      throw new ConfigurationError(
        'a reconciler reads a source that its controller does not declare',
        {
          context: {
            controller: this.#options.controller.name,
            resource: resourceName(source.resource),
          },
        },
      );
    }
    return informer.store as unknown as Store<T>;
  }
}

function isAbsent({ status }: Informer<KubernetesObject>): boolean {
  return status.health === 'unserved' || status.health === 'forbidden';
}

function userCode(message: string, cause: unknown): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', cause });
}
