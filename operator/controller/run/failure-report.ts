import type { KubernetesObject } from '../../model/object.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { LoopTurn } from '../policies/write-loop.ts';
import type { Log } from '../reconciler.ts';
import { type Failure, remedyFor } from './failure.ts';

/** Whose code failed. */
type Verb = 'reconcile' | 'finalize';

interface FailureReportOptions {
  readonly events: EventRecorder;
  /** Bound to the attempt. */
  readonly log: Log;
  /** Undefined when it is gone: then no Event can be about it. */
  readonly object: KubernetesObject | undefined;
  readonly verb: Verb;
}

/** Tells people of an attempt that went wrong: by its log, and by an Event on the object. */
export class FailureReport {
  readonly #options: FailureReportOptions;

  constructor(options: FailureReportOptions) {
    this.#options = options;
  }

  /** @param retryInMs - undefined when only a change can help. */
  failed({ kind, error: err }: Failure, retryInMs: number | undefined): void {
    const { log, verb } = this.#options;
    const remedy = remedyFor(err);
    const facts = {
      err,
      ...(retryInMs !== undefined && { retryInMs }),
      ...(remedy !== undefined && { remedy }),
    };
    if (kind === 'conflict') {
      log.debug(facts, `${verb} conflicted`);
      return;
    }
    if (kind === 'terminal') log.error(facts, `${verb} failed, only a change can help`);
    else if (kind === 'panic') log.error(facts, `${verb} failed by a bug`);
    else log.warn(facts, `${verb} failed`);
    if (verb === 'finalize') this.#event('FinalizeFailed', `cleanup failed: ${err.message}`);
    else if (kind === 'terminal' || kind === 'panic') this.#event('ReconcileFailed', err.message);
  }

  stuck(limitMs: number, runningMs: number, isFirst: boolean): void {
    const { log, verb } = this.#options;
    const remedy = 'pass context.signal to what it waits for, or raise reconcileTimeoutMs';
    log.warn({ limitMs, runningMs, remedy }, `${verb} takes too long, its signal is aborted`);
    if (!isFirst) return;
    const reason = verb === 'finalize' ? 'FinalizeStuck' : 'ReconcileStuck';
    this.#event(reason, `${verb} takes longer than ${limitMs / 1_000} s`);
  }

  /** @param isNews - false: the log has a line about it. */
  loops({ object, writes, intervalMs }: LoopTurn, isNews: boolean): void {
    const facts = {
      object,
      writes,
      intervalMs,
      remedy: 'write only what differs, and nothing that changes each time, such as a time',
    };
    if (isNews)
      this.#options.log.warn(facts, 'reconcile is caused by its own writes, it is slowed');
    this.#event('WriteLoop', `every reconcile changes ${object} and is caused by that change`);
  }

  /** @param waitMs - until the next attempt that it asks for; longer and longer. */
  soonAgain(waitMs: number): void {
    const { log, verb } = this.#options;
    const remedy =
      'return AWAIT_CHANGE, or requeueAfterMs with the time after which there is news, and do work of many steps within one reconcile';
    log.warn({ waitMs, remedy }, `${verb} asks for the next one at once again and again, it waits`);
  }

  #event(reason: string, note: string): void {
    const { events, object: regarding, verb } = this.#options;
    if (regarding === undefined) return;
    const action = verb === 'finalize' ? 'Finalize' : 'Reconcile';
    events.record({ regarding, type: 'Warning', reason, action, note });
  }
}
