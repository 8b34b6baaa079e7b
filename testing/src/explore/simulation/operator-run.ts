import type { Clock, Controller, Log } from 'chancery';
import { keyOf } from 'chancery/internal-objects';
import {
  connect,
  connectOptions,
  noMeter,
  OperatorProcess,
  settingsFrom,
} from 'chancery/internal-testing';
import type { ApiServer } from '../../apiserver/api-server.ts';
import { MortalClock } from '../../operator/mortal.ts';
import type { AttemptFacts } from '../scenario/attempt-facts.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { MemoryTransport, type MemoryTransportOptions } from './memory-transport.ts';
import type { PendingEvents } from './pending-events.ts';
import type { ScenarioClock } from './scenario-clock.ts';

/** An unused address, because the transport handles all requests. */
const NOWHERE = 'http://127.0.0.1:1';

export interface OperatorRunOptions
  extends Pick<MemoryTransportOptions, 'carryOut' | 'answered' | 'delivered' | 'plain' | 'sender'> {
  readonly scenario: Scenario;
  readonly server: ApiServer;
  readonly pending: PendingEvents;
  readonly clock: ScenarioClock;
  /** Called for each attempt. This function must call `next`, which runs the attempt. */
  readonly began: <T>(attempt: AttemptFacts, next: () => Promise<T>) => Promise<T>;
  readonly finished: (attempt: AttemptFacts, end: AttemptOutcome) => void;
  /** Called when a `finalize` has returned and nothing is left to clean up. */
  readonly finalized: (attempt: AttemptFacts) => void;
  /** Called for each warning or error that the operator logs. */
  readonly logged: (level: 'warn' | 'error', message: string, fields: object) => void;
  /** Called when the process ends by itself. */
  readonly ended: (error: unknown) => void;
}

/** The outcome of an attempt, with the facts that an exploration needs. */
export interface AttemptOutcome {
  readonly outcome: string;
  readonly error?: Error | undefined;
  /**
   * The delay in milliseconds after which the key is reconciled again. Undefined if no further reconcile is
   * planned.
   */
  readonly requeueAfterMs?: number | undefined;
}

/** One life of the operator, from a start to its death. */
export class OperatorRun {
  readonly controllers: readonly Controller[];
  readonly #clock: MortalClock;
  readonly #triggerClock: MortalClock;
  readonly #transport: MemoryTransport;
  readonly #process: OperatorProcess;
  readonly #options: OperatorRunOptions;
  readonly #stop = new AbortController();
  #isDead = false;

  constructor(options: OperatorRunOptions) {
    this.#options = options;
    const { scenario, clock: time, began, finished, ended } = options;
    const clock = new MortalClock(time.of('operator'));
    this.#clock = clock;
    this.#triggerClock = new MortalClock(time.of('trigger'));
    this.#transport = new MemoryTransport({ ...options, clock });
    this.controllers = scenario
      .controllers({ clock })
      .map((controller) => observed(controller, options.finalized))
      .map((controller) => withTriggerClock(controller, this.#triggerClock));
    const settings = settingsFrom({
      WATCH_NAMESPACE: '*',
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: '0',
      NODE_ENV: 'test',
      CHANCERY_API_URL: NOWHERE,
    });
    const log = this.#log();
    this.#process = new OperatorProcess({
      settings,
      controllers: this.controllers,
      runnables: scenario.runnables?.({ clock }) ?? [],
      clock,
      connection: connect(NOWHERE, {
        clock,
        meter: noMeter,
        transport: this.#transport,
        ...connectOptions(settings, log),
      }),
      servesWebhooks: false,
      logFor: () => log,
      reconcileMiddleware: async (attempt, next) => {
        if (this.#isDead) return next();
        const end = await began(attempt, next);
        if (!this.#isDead) finished(attempt, end);
        return end;
      },
    });
    this.#process.run(this.#stop.signal).then(
      () => {},
      (error: unknown) => {
        if (!this.#isDead) ended(error);
      },
    );
  }

  /** True when the operator is running and every source has received its first list. */
  get ready(): boolean {
    return this.#process.ready;
  }

  /**
   * A summary of the operator's state: how many keys are in each queue, and how many objects are in each
   * cache.
   */
  get digest(): string {
    const { controllers, sources } = this.#process.status;
    const queues = controllers.map(
      ({ name, working, busy, ready, delayed, failing }) =>
        `${name} ${working} ${busy} ${ready.map(({ priority, keys }) => `${priority}:${keys}`)} ${delayed} ${failing}`,
    );
    return [
      ...queues,
      ...sources.map(({ resource, state, objects }) => `${resource} ${state} ${objects}`),
    ].join('\n');
  }

  /**
   * Behaves like SIGKILL: the operator sends nothing more, receives no answer, and its timers do
   * not fire.
   */
  kill(): void {
    this.#isDead = true;
    this.#transport.kill();
    this.#clock.kill();
    this.#triggerClock.kill();
    this.#options.clock.drop('code');
  }

  #log(): Log {
    const { logged } = this.#options;
    const at =
      (level: 'warn' | 'error') =>
      (fields: object, message: string): void => {
        if (!this.#isDead) logged(level, message, fields);
      };
    return { debug: () => {}, info: () => {}, warn: at('warn'), error: at('error') };
  }
}

/**
 * The controller with a separate clock for its triggers, so that their timers can be distinguished from all
 * other timers.
 */
function withTriggerClock(controller: Controller, clock: Clock): Controller {
  const triggers = controller.triggers.map((trigger) => ({
    ...trigger,
    run: (...[enqueue, { signal }]: Parameters<typeof trigger.run>) =>
      trigger.run(enqueue, { clock, signal }),
  }));
  return triggers.length === 0 ? controller : { ...controller, triggers };
}

/** The controller with a `finalize` that reports its completion. */
function observed(controller: Controller, finalized: (attempt: AttemptFacts) => void): Controller {
  const { finalizer, name } = controller;
  if (finalizer === undefined) return controller;
  const { forceFinalizeAfterMs } = finalizer;
  return {
    ...controller,
    finalizer: {
      name: finalizer.name,
      ...(forceFinalizeAfterMs !== undefined && { forceFinalizeAfterMs }),
      async finalize(object, context) {
        const left = await finalizer.finalize(object, context);
        if (typeof left !== 'object') finalized({ controller: name, key: keyOf(object) });
        return left;
      },
    },
  };
}
