import { type LinkedAbort, linkedAbort } from '../../core/abort.ts';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import type { Refusal } from '../../model/refusal.ts';
import { LOW_PRIORITY, type WorkQueue } from '../../queue/work-queue.ts';
import type { Controller } from '../controller.ts';
import { retryOptionsFor } from '../errors.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Finalizing } from '../finalizers/finalizing.ts';
import type { UnselectedObjects } from '../finalizers/unselected-objects.ts';
import type { KeyGate } from '../policies/key-gate.ts';
import type { Log } from '../reconciler.ts';
import type { Contexts } from './context.ts';
import {
  type CheckedOutcome,
  checkedOutcome,
  type Failure,
  failureOf,
  isLeadershipLost,
  remedyFor,
  type Verb,
} from './failure.ts';
import {
  type Attempt,
  type AttemptEnd,
  type ReconcileMiddleware,
  withMiddleware,
} from './middleware.ts';
import type { ReconcileMetrics } from './reconcile-metrics.ts';
import { RefusedChildren } from './refused-children.ts';
import type { RunObserver } from './run-observer.ts';
import type { Term } from './term.ts';
import type { WakeCauses } from './wakes/wake-causes.ts';

interface ReconcileLoopOptions {
  readonly controller: Controller;
  readonly queue: WorkQueue<ObjectKey>;
  readonly gate: KeyGate;
  readonly contexts: Contexts;
  readonly finalizing: Finalizing;
  readonly unselected: Pick<UnselectedObjects, 'concerns' | 'read'>;
  /** Remembers why each waiting key was enqueued. */
  readonly wakes: WakeCauses;
  readonly metrics: ReconcileMetrics;
  readonly clock: Clock;
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Time limit of one attempt in milliseconds; 0 means no limit. */
  readonly reconcileTimeoutMs: number;
  readonly middleware?: ReconcileMiddleware | undefined;
  /** Receives the beginning and the end of each attempt. Default: no observer. */
  readonly observer?: RunObserver | undefined;
}

/** The facts about one attempt. */
interface Work {
  readonly attempt: Attempt;
  readonly object: KubernetesObject | undefined;
  /** The error with which the object could not be read; undefined if it could be read. */
  readonly unreadable: unknown;
  /** False for an object that has the finalizer, but that the source does not select. */
  readonly isSelected: boolean;
  readonly log: Log;
  readonly report: FailureReport;
  readonly refusedChildren: RefusedChildren;
  readonly verb: Verb;
  readonly term: Term;
  /** Aborts when the process stops, or when the term is lost. */
  readonly stop: AbortSignal;
  readonly startedAt: number;
}

type KnownObject = Pick<Work, 'object' | 'unreadable' | 'isSelected'>;

/** How the user's code ended, before the key is put back into the queue. */
type Ended =
  | { readonly kind: 'success'; readonly outcome: CheckedOutcome }
  | { readonly kind: 'aborted'; readonly isLeadershipLost: boolean }
  | (Failure & { readonly isFinalizing: boolean });

type End = Omit<AttemptEnd, 'durationMs'>;

/**
 * Calls the user's code for keys, with a time limit, and puts each key back into the queue according to the
 * outcome.
 */
export class ReconcileLoop {
  readonly #options: ReconcileLoopOptions;

  constructor(options: ReconcileLoopOptions) {
    this.#options = options;
  }

  /** Makes one reconcile attempt for a key that a worker has taken. Never rejects. */
  async run(key: ObjectKey, term: Term, hardStop: AbortSignal): Promise<void> {
    const { controller, logFor, observer, queue, wakes } = this.#options;
    const attempt: Attempt = {
      controller: controller.name,
      key,
      reconcileId: nodeCrypto().randomUUID(),
      attempt: queue.failures(key),
      priority: queue.processingPriority(key),
    };
    const log = logFor({ controller: controller.name, key, reconcileId: attempt.reconcileId });
    const wokenBy = wakes.begins(key, attempt.attempt, log);
    using ending = linkedAbort(hardStop, ...(term.lost === undefined ? [] : [term.lost]));
    const stop = ending.signal;
    observer?.began(attempt, queue.waitedMs(key), stop, wokenBy);
    const end = await this.#surrounded({ attempt, log, term, stop });
    observer?.ended(attempt, end);
  }

  #surrounded(begun: Pick<Work, 'attempt' | 'log' | 'term' | 'stop'>): Promise<AttemptEnd> {
    const { middleware } = this.#options;
    const next = (): Promise<AttemptEnd> => this.#attempt(begun);
    if (middleware === undefined) return next();
    return withMiddleware(middleware, begun.attempt, next, (err) =>
      begun.log.error({ err }, 'the middleware around an attempt failed, the attempt did not'),
    );
  }

  async #attempt(begun: Pick<Work, 'attempt' | 'log' | 'term' | 'stop'>): Promise<AttemptEnd> {
    const { clock, finalizing, gate, metrics } = this.#options;
    const { attempt, log, term, stop } = begun;
    const { key } = attempt;
    const startedAt = clock.monotonic();
    metrics.attemptBegan();
    gate.started(key);
    const known = this.#cached(key) ?? (await this.#unselected(key, stop));
    const { object, unreadable } = known;
    const isGone = object === undefined && unreadable === undefined;
    const verb = isGone ? 'gone' : finalizing.isDue(object) ? 'finalize' : 'reconcile';
    const refusedChildren = new RefusedChildren();
    const { events } = term;
    const report = new FailureReport({ events, log, object, verb, refusedChildren });
    const work: Work = { ...begun, ...known, report, refusedChildren, verb, startedAt };
    try {
      const end = this.#putBack(work, await this.#called(work));
      const durationMs = clock.monotonic() - startedAt;
      if (end.error === undefined && end.outcome !== 'aborted') {
        log.debug({ durationMs: Math.round(durationMs) }, 'reconciled');
      }
      return { ...end, durationMs };
    } finally {
      metrics.attemptEnded(clock.monotonic() - startedAt);
    }
  }

  /** Undefined for a key without a cached object, if an object with the finalizer may still exist. */
  #cached(key: ObjectKey): KnownObject | undefined {
    const { contexts, controller, unselected } = this.#options;
    try {
      const object = contexts.store(controller.for).get(key);
      if (object === undefined && unselected.concerns(key)) return undefined;
      return { object, unreadable: undefined, isSelected: true };
    } catch (unreadable) {
      return { object: undefined, unreadable, isSelected: true };
    }
  }

  async #unselected(key: ObjectKey, stop: AbortSignal): Promise<KnownObject> {
    try {
      const object = await this.#options.unselected.read(key, stop);
      return { object, unreadable: undefined, isSelected: false };
    } catch (unreadable) {
      return { object: undefined, unreadable, isSelected: false };
    }
  }

  async #called(work: Work): Promise<Ended> {
    const { contexts, finalizing } = this.#options;
    const { object, unreadable, isSelected, log, refusedChildren, stop, term, verb } = work;
    const { key, attempt, priority } = work.attempt;
    using limit = linkedAbort(stop);
    const { signal } = limit;
    const cancelLimit = this.#limit(work, limit);
    try {
      if (unreadable !== undefined) throw unreadable;
      const returned = await finalizing.run({
        key,
        object,
        isSelected,
        client: term.client,
        stop,
        contextFor: (current) =>
          contexts.of({
            ...{ key, term, object: current },
            signal,
            log,
            attempt,
            priority,
            refusedChildren,
          }),
      });
      return { kind: 'success', outcome: checkedOutcome(verb, returned) };
    } catch (error) {
      if (stop.aborted) return { kind: 'aborted', isLeadershipLost: false };
      if (isLeadershipLost(error)) return { kind: 'aborted', isLeadershipLost: true };
      const failure = failureOf(error);
      const isFinalizing = finalizing.isDue(object);
      // A cleanup is always retried, because otherwise the object could never be deleted.
      const kind = failure.kind === 'terminal' && isFinalizing ? 'failed' : failure.kind;
      return { ...failure, kind, isFinalizing };
    } finally {
      cancelLimit();
    }
  }

  /**
   * Aborts the attempt after the timeout. While the attempt still runs, reports this again after each further
   * timeout.
   */
  #limit({ attempt, report, startedAt }: Work, limit: LinkedAbort): Cancel {
    const { clock, metrics, observer, reconcileTimeoutMs } = this.#options;
    if (reconcileTimeoutMs === 0) return () => {};
    let cancel: Cancel;
    let isFirst = true;
    const arm = (): void => {
      cancel = clock.schedule(reconcileTimeoutMs, () => {
        arm();
        const runningMs = clock.monotonic() - startedAt;
        report.stuck(reconcileTimeoutMs, runningMs, isFirst);
        if (isFirst) metrics.timedOut();
        if (isFirst) observer?.stuck?.(attempt, runningMs);
        isFirst = false;
        limit.abort(timedOut());
      });
    };
    arm();
    return () => cancel();
  }

  /** Calls the policies first, so that the key is put back with their new delays. */
  #putBack({ attempt: { key }, object, log, report }: Work, ended: Ended): End {
    const { gate, queue } = this.#options;
    const requeueAfterMs = ended.kind === 'success' ? ended.outcome.requeueAfterMs : undefined;
    const warn = (reason: string, note: string): void => report.event(reason, note);
    gate.finished(key, { kind: ended.kind, requeueAfterMs, log, warn });
    if (ended.kind === 'success') return this.#succeeded(key, ended.outcome);
    if (ended.kind !== 'aborted') return this.#failed(key, object, ended, report);
    // After leadership is lost, the process usually stops. The retry keeps the key in case the
    // process continues.
    if (ended.isLeadershipLost) return { outcome: 'aborted', requeueAfterMs: queue.retry(key) };
    return { outcome: 'aborted' };
  }

  #succeeded(key: ObjectKey, outcome: CheckedOutcome): End {
    const { gate, metrics, queue } = this.#options;
    const { requeueAfterMs, refusal, priority = LOW_PRIORITY } = outcome;
    if (refusal !== undefined) return this.#refused(key, refusal, requeueAfterMs);
    queue.forget(key);
    metrics.succeeded(requeueAfterMs === undefined ? 'success' : 'requeue_after');
    if (requeueAfterMs === undefined) {
      // Perhaps nothing enqueues the key after the last write of a fight. So check later whether the fight is
      // over.
      const isFighting = gate.fightOf(key) !== undefined;
      if (isFighting) queue.addAfter(key, gate.delayMs(key), { priority: LOW_PRIORITY });
      return { outcome: 'success' };
    }
    const waitMs = Math.max(requeueAfterMs, gate.delayMs(key));
    queue.addAfter(key, waitMs, { priority });
    return { outcome: 'requeue_after', requeueAfterMs: waitMs };
  }

  /** A refused write that the reconciler has reported is not a failure. The key is retried. */
  #refused(key: ObjectKey, refusal: Refusal, requeueAfterMs = Number.POSITIVE_INFINITY): End {
    const { gate, metrics, queue } = this.#options;
    metrics.succeeded('requeue');
    const delayMs = gate.delayMs(key);
    const retryMs = queue.retry(key, delayMs, retryOptionsFor(refusal));
    const earlierMs = Math.max(requeueAfterMs, delayMs);
    if (earlierMs < retryMs) queue.addAfter(key, earlierMs, { priority: LOW_PRIORITY });
    return { outcome: 'requeue', requeueAfterMs: Math.round(Math.min(retryMs, earlierMs)) };
  }

  #failed(
    key: ObjectKey,
    object: KubernetesObject | undefined,
    failure: Failure & { readonly isFinalizing: boolean },
    report: FailureReport,
  ): End {
    const { finalizing, gate, metrics, queue } = this.#options;
    const { kind, error, refusal, isFinalizing } = failure;
    metrics.failed(kind);
    if (kind === 'terminal') {
      queue.forget(key);
      report.failed(failure, 1, undefined);
      return { outcome: 'terminal', error };
    }
    const atLeastMs = Math.max(failure.atLeastMs, gate.delayMs(key));
    const ownMs = queue.retry(key, atLeastMs, retryOptionsFor(refusal));
    const patienceMs = isFinalizing ? finalizing.patienceMs(object) : undefined;
    if (patienceMs !== undefined && patienceMs < ownMs) queue.addAfter(key, patienceMs);
    const requeueAfterMs = Math.round(Math.min(ownMs, patienceMs ?? ownMs));
    report.failed(failure, queue.failures(key), requeueAfterMs);
    return { outcome: kind === 'failed' ? 'error' : kind, error, requeueAfterMs };
  }
}

function timedOut(): OperatorError {
  return new OperatorError('reconcile timed out', { code: 'USER_CODE', layer: 'user-code' });
}

interface FailureReportOptions {
  readonly events: EventRecorder;
  /** The log of the attempt. */
  readonly log: Log;
  /** Undefined when the object is gone. Then no Event is recorded. */
  readonly object: KubernetesObject | undefined;
  readonly verb: Verb;
  /** The children that the attempt could not write. */
  readonly refusedChildren: RefusedChildren;
}

/** Reports a failed or stuck attempt in its log and as an Event on the object. */
class FailureReport {
  readonly #options: FailureReportOptions;

  constructor(options: FailureReportOptions) {
    this.#options = options;
  }

  /**
   * @param failures - number of failures in a row, including this one.
   * @param retryInMs - milliseconds until the next attempt; undefined when only a change can lead to a
   * success.
   */
  failed(failure: Failure, failures: number, retryInMs: number | undefined): void {
    const { log, refusedChildren, verb } = this.#options;
    const { kind, error: err } = failure;
    const remedy = remedyFor(err);
    const facts = {
      err,
      ...(retryInMs !== undefined && { failures, retryInMs }),
      ...(remedy !== undefined && { remedy }),
    };
    if (kind === 'conflict') {
      log.debug(facts, `${verb} conflicted`);
      return;
    }
    if (kind === 'terminal') log.error(facts, `${verb} failed, only a change can help`);
    else if (kind === 'panic') log.error(facts, `${verb} failed because of a bug`);
    else log.warn(facts, `${verb} failed`);
    if (verb === 'finalize') this.event('FinalizeFailed', `cleanup failed: ${err.message}`);
    else for (const { reason, note } of refusedChildren.events(failure)) this.event(reason, note);
  }

  stuck(limitMs: number, runningMs: number, isFirst: boolean): void {
    const { log, verb } = this.#options;
    const remedy = 'pass context.signal to what it waits for, or raise reconcileTimeoutMs';
    log.warn({ limitMs, runningMs, remedy }, `${verb} takes too long, its signal is aborted`);
    if (!isFirst) return;
    const reason = verb === 'finalize' ? 'FinalizeStuck' : 'ReconcileStuck';
    this.event(reason, `${verb} takes longer than ${limitMs / 1_000} s`);
  }

  /** Records a Warning Event about the object, if it exists. */
  event(reason: string, note: string): void {
    const { events, object: regarding, verb } = this.#options;
    if (regarding === undefined) return;
    const action = verb === 'finalize' ? 'Finalize' : 'Reconcile';
    events.record({ regarding, type: 'Warning', reason, action, note });
  }
}
