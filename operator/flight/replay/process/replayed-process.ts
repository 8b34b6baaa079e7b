import { connect } from '../../../client/connection.ts';
import type { Controller } from '../../../controller/controller.ts';
import type { Log } from '../../../controller/reconciler.ts';
import type { AttemptEnd } from '../../../controller/run/middleware.ts';
import type { Clock } from '../../../core/clock.ts';
import { OperatorProcess } from '../../../manager/operator-process.ts';
import { connectOptions } from '../../../manager/settings/connect-options.ts';
import type { Settings } from '../../../manager/settings/settings.ts';
import type { RecordedOrder } from '../recorded-order.ts';
import type { ReplayTransport } from '../replay-transport.ts';
import type { ReplayedAttempt } from '../replayed-attempt.ts';

interface ReplayedProcessOptions {
  readonly settings: Settings;
  readonly controllers: readonly Controller[];
  readonly clock: Clock;
  readonly transport: ReplayTransport;
  readonly order: RecordedOrder;
  readonly random: () => number;
  readonly log: Log;
  /** Called right before an attempt. */
  readonly begins: (attempt: ReplayedAttempt) => void;
  /** Called after an attempt, unless the process was stopped before. */
  readonly ended: (attempt: ReplayedAttempt, end: AttemptEnd) => void;
}

/**
 * Runs the recorded operator from its start to its end. If leadership changes in the record, it runs from the
 * time when the operator becomes the leader to the time when it is no longer the leader.
 */
export class ReplayedProcess {
  readonly #options: ReplayedProcessOptions;
  readonly #stop = new AbortController();
  #isOver = false;

  constructor(options: ReplayedProcessOptions) {
    this.#options = options;
  }

  /** True when the process has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  start(): void {
    const running = this.#process().run(this.#stop.signal);
    void running
      .catch(() => {}) // the replay shows what went wrong
      .then(() => {
        this.#isOver = true;
      });
  }

  /** Stops the process. Work that is still running is abandoned. */
  stop(reason: string): void {
    this.#stop.abort(new Error(reason));
  }

  #process(): OperatorProcess {
    const { settings, controllers, clock, transport, order, random, log } = this.#options;
    const { begins, ended } = this.#options;
    return new OperatorProcess({
      ...{ settings, controllers, clock, random, leaderElection: false },
      connection: connect(settings.apiUrl, {
        ...{ clock, transport },
        ...connectOptions(settings, log),
      }),
      logFor: () => log,
      workOrder: order.ofTerm(),
      reconcileMiddleware: async (attempt, next) => {
        const running = order.running(attempt.controller, attempt.key);
        if (running === undefined) return next();
        begins(running);
        const end = await transport.attempts.run(running, next);
        order.ended(running);
        if (!this.#stop.signal.aborted) ended(running, end);
        return end;
      },
    });
  }
}
