import { type LinkedAbort, linkedAbort } from '../../core/abort.ts';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { Refusal } from '../../model/refusal.ts';
import { LOW_PRIORITY, type WorkQueue } from '../../queue/work-queue.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Finalizing } from '../finalizers/finalizing.ts';
import { EarlyKeys } from '../policies/early-keys.ts';
import type { Pace } from '../policies/pace.ts';
import { SoonAgain } from '../policies/soon-again.ts';
import type { WriteLoops } from '../policies/write-loop.ts';
import type { Log, Result } from '../reconciler.ts';
import { retryOptionsFor } from '../retry-refused.ts';
import type { Source } from '../source.ts';
import { aroundOnce } from './around-once.ts';
import type { AroundAttempt, Attempt, AttemptEnd } from './attempt.ts';
import type { Contexts } from './context.ts';
import { failureOf, isLeadershipLost } from './failure.ts';
import { FailureReport } from './failure-report.ts';
import type { ReconcileMetrics } from './reconcile-metrics.ts';
import { checkedResult } from './result.ts';
import { timeLimit } from './time-limit.ts';

interface AttemptsOptions {
  readonly controller: Controller;
  readonly queue: WorkQueue<ObjectKey>;
  readonly contexts: Contexts;
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly finalizing: Finalizing;
  readonly pace: Pace;
  readonly loops: WriteLoops;
  readonly metrics: ReconcileMetrics;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** 0: an attempt may take as long as it likes. */
  readonly reconcileTimeoutMs: number;
  readonly aroundAttempt?: AroundAttempt | undefined;
}

/** One line about a looping key in so long. */
const LOOP_LINE_MS = 10 * 60_000;

/** Keys of which it is known when they were logged. */
const MAX_LOOP_LINES = 1_000;

/** What one attempt has at hand. */
interface Work {
  readonly key: ObjectKey;
  readonly object: KubernetesObject | undefined;
  /** Why there is no object: the cache cannot be read. Undefined when it could. */
  readonly unreadable: unknown;
  readonly log: Log;
  readonly report: FailureReport;
  /** Aborts with the process. */
  readonly stop: AbortSignal;
}

/** Makes attempts: calls user code, within a limit, and puts the key back as the outcome says. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #early: EarlyKeys;
  readonly #soonAgain: SoonAgain;
  readonly #loopLoggedAt = new Map<ObjectKey, number>();

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#early = new EarlyKeys((key, priority) => options.queue.add(key, { priority }));
    this.#soonAgain = new SoonAgain(options.clock);
  }

  /** One attempt at a key that the caller holds, if there is a cache. Never rejects. */
  async make(key: ObjectKey, stop: AbortSignal): Promise<void> {
    const { aroundAttempt, controller, informers, logFor, queue } = this.#options;
    const informer = informers.get(controller.for);
    if (this.#early.putsAside(key, queue.heldPriority(key), informer, stop)) return;
    const attempt: Attempt = {
      controller: controller.name,
      key,
      reconcileId: nodeCrypto().randomUUID(),
      attempt: queue.failures(key),
      priority: queue.heldPriority(key),
    };
    const log = logFor({ controller: controller.name, key, reconcileId: attempt.reconcileId });
    const next = (): Promise<AttemptEnd> => this.#attempt(attempt, log, stop);
    if (aroundAttempt === undefined) {
      await next();
      return;
    }
    await aroundOnce(aroundAttempt, attempt, next, (err) =>
      log.error({ err }, 'what is around an attempt failed, the attempt did not'),
    );
  }

  async #attempt(attempt: Attempt, log: Log, stop: AbortSignal): Promise<AttemptEnd> {
    const { clock, events, finalizing, loops, metrics, pace } = this.#options;
    const { key } = attempt;
    const startedAt = clock.monotonic();
    metrics.attemptBegan();
    pace.began(key);
    loops.began(key);
    const { object, unreadable } = this.#cached(key);
    const verb = finalizing.isDue(object) ? 'finalize' : 'reconcile';
    const report = new FailureReport({ events, log, object, verb });
    const work: Work = { key, object, unreadable, log, report, stop };
    try {
      return await this.#called(attempt, work, startedAt);
    } finally {
      metrics.attemptEnded(clock.monotonic() - startedAt);
    }
  }

  async #called(attempt: Attempt, work: Work, startedAt: number): Promise<AttemptEnd> {
    const { clock, contexts, finalizing } = this.#options;
    const { key, object, unreadable, log, stop } = work;
    using limit = linkedAbort(stop);
    const cancelLimit = this.#limit(work, limit);
    let end: Omit<AttemptEnd, 'durationMs'>;
    try {
      if (unreadable !== undefined) throw unreadable;
      const returned = await finalizing.run({
        key,
        object,
        stop,
        contextFor: (current) =>
          contexts.of({
            key,
            object: current,
            signal: limit.signal,
            log,
            attempt: attempt.attempt,
            priority: attempt.priority,
          }),
      });
      const result = checkedResult(returned);
      this.#slowDown(work);
      end = this.#succeeded(work, result);
    } catch (error) {
      this.#slowDown(work);
      end = this.#failed(work, error);
    } finally {
      cancelLimit();
    }
    const durationMs = clock.monotonic() - startedAt;
    if (end.error === undefined && end.outcome !== 'aborted') {
      log.debug({ durationMs: Math.round(durationMs) }, 'reconciled');
    }
    return { ...end, durationMs };
  }

  #cached(key: ObjectKey): Pick<Work, 'object' | 'unreadable'> {
    const { contexts, controller } = this.#options;
    try {
      return { object: contexts.store(controller.for).get(key), unreadable: undefined };
    } catch (unreadable) {
      return { object: undefined, unreadable };
    }
  }

  #limit({ report }: Work, limit: LinkedAbort): () => void {
    const { clock, metrics, reconcileTimeoutMs } = this.#options;
    if (reconcileTimeoutMs === 0) return () => {};
    return timeLimit(clock, reconcileTimeoutMs, (runningMs, isFirst) => {
      report.stuck(reconcileTimeoutMs, runningMs, isFirst);
      if (isFirst) metrics.timedOut();
      limit.abort(timedOut());
    });
  }

  /** Before the key is put back, so that it is put back with the interval that it has then. */
  #slowDown({ key, report }: Work): void {
    const { clock, loops, metrics, pace } = this.#options;
    const turn = loops.ended(key);
    pace.slow(key, turn?.intervalMs ?? 0);
    if (turn === undefined) return;
    metrics.looped();
    const now = clock.monotonic();
    const isNews = now - (this.#loopLoggedAt.get(key) ?? -LOOP_LINE_MS) >= LOOP_LINE_MS;
    if (isNews) {
      if (this.#loopLoggedAt.size >= MAX_LOOP_LINES) this.#loopLoggedAt.clear();
      this.#loopLoggedAt.set(key, now);
    }
    report.loops(turn, isNews);
  }

  #succeeded(
    { key, report }: Work,
    { requeueAfterMs, refusal, ...options }: Result,
  ): Omit<AttemptEnd, 'durationMs'> {
    const { metrics, pace, queue } = this.#options;
    if (requeueAfterMs === undefined) this.#soonAgain.forget(key);
    if (refusal !== undefined) return this.#refused(key, refusal, requeueAfterMs);
    queue.forget(key);
    const outcome = requeueAfterMs === undefined ? 'success' : 'requeue_after';
    metrics.succeeded(outcome);
    if (requeueAfterMs === undefined) return { outcome };
    const brakeMs = this.#soonAgain.waitMs(key, requeueAfterMs);
    if (this.#soonAgain.tells(brakeMs)) report.soonAgain(brakeMs);
    const waitMs = Math.max(requeueAfterMs, pace.waitMs(key), brakeMs);
    queue.addAfter(key, waitMs, { priority: LOW_PRIORITY, ...options });
    return { outcome, requeueAfterMs: waitMs };
  }

  /** The write was refused, and people were told: again when it may be accepted, which is no failure. */
  #refused(
    key: ObjectKey,
    refusal: Refusal,
    requeueAfterMs = Number.POSITIVE_INFINITY,
  ): Omit<AttemptEnd, 'durationMs'> {
    const { metrics, pace, queue } = this.#options;
    metrics.succeeded('requeue');
    const paceMs = pace.waitMs(key);
    const retryMs = queue.retry(key, paceMs, retryOptionsFor(refusal));
    const earlierMs = Math.max(requeueAfterMs, paceMs, this.#soonAgain.waitMs(key, requeueAfterMs));
    if (earlierMs < retryMs) queue.addAfter(key, earlierMs, { priority: LOW_PRIORITY });
    return { outcome: 'requeue', requeueAfterMs: Math.round(Math.min(retryMs, earlierMs)) };
  }

  #failed({ key, object, report, stop }: Work, thrown: unknown): Omit<AttemptEnd, 'durationMs'> {
    const { finalizing, metrics, pace, queue } = this.#options;
    if (stop.aborted) return { outcome: 'aborted' };
    if (isLeadershipLost(thrown)) {
      // The process is about to stop. Should it not, the key is not lost.
      return { outcome: 'aborted', requeueAfterMs: queue.retry(key) };
    }
    const failure = failureOf(thrown);
    const isFinalizing = finalizing.isDue(object);
    // Cleanup is tried for ever: an object that nobody tries to finalize would never go.
    const kind = failure.kind === 'terminal' && isFinalizing ? 'failed' : failure.kind;
    const { error } = failure;
    metrics.failed(kind);
    if (kind === 'terminal') {
      queue.forget(key);
      this.#soonAgain.forget(key);
      report.failed({ ...failure, kind }, undefined);
      return { outcome: 'terminal', error };
    }
    const atLeastMs = Math.max(failure.atLeastMs, pace.waitMs(key));
    const ownMs = queue.retry(key, atLeastMs, retryOptionsFor(failure.refusal));
    const patienceMs = isFinalizing ? finalizing.patienceMs(object) : undefined;
    if (patienceMs !== undefined && patienceMs < ownMs) queue.addAfter(key, patienceMs);
    const requeueAfterMs = Math.round(Math.min(ownMs, patienceMs ?? ownMs));
    report.failed({ ...failure, kind }, requeueAfterMs);
    return { outcome: kind === 'failed' ? 'error' : kind, error, requeueAfterMs };
  }
}

function timedOut(): OperatorError {
  return new OperatorError('reconcile timed out', { code: 'USER_CODE', layer: 'user-code' });
}
