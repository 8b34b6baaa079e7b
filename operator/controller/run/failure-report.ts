import type { KubernetesObject } from '../../model/object.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Log } from '../reconciler.ts';
import { type Failure, remedyFor } from './failure.ts';

/** Whose code failed. */
type Verb = 'reconcile' | 'finalize';

interface FailureReportOptions {
  readonly events: EventRecorder;
  /** Bound to the attempt. */
  readonly log: Log;
  /** Undefined when it is gone: no Event can be about it then. */
  readonly object: KubernetesObject | undefined;
  readonly verb: Verb;
}

/** Reports an attempt that went wrong: in its log, and by an Event on the object. */
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
    if (verb === 'finalize') this.event('FinalizeFailed', `cleanup failed: ${err.message}`);
    else if (kind === 'terminal' || kind === 'panic') this.event('ReconcileFailed', err.message);
  }

  stuck(limitMs: number, runningMs: number, isFirst: boolean): void {
    const { log, verb } = this.#options;
    const remedy = 'pass context.signal to what it waits for, or raise reconcileTimeoutMs';
    log.warn({ limitMs, runningMs, remedy }, `${verb} takes too long, its signal is aborted`);
    if (!isFirst) return;
    const reason = verb === 'finalize' ? 'FinalizeStuck' : 'ReconcileStuck';
    this.event(reason, `${verb} takes longer than ${limitMs / 1_000} s`);
  }

  /** Records a Warning on the object, if it exists. */
  event(reason: string, note: string): void {
    const { events, object: regarding, verb } = this.#options;
    if (regarding === undefined) return;
    const action = verb === 'finalize' ? 'Finalize' : 'Reconcile';
    events.record({ regarding, type: 'Warning', reason, action, note });
  }
}
