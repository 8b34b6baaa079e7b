import type { Clock, Controller, Log, Runnable, Webhook } from 'chancery';
import { systemClock } from 'chancery/internal-objects';
import {
  connect,
  connectOptions,
  OperatorProcess,
  type ProcessStatus,
  settingsFrom,
  undiciTransport,
} from 'chancery/internal-testing';
import { eventually } from '../time/eventually.ts';
import { operatorRuns } from '../time/running-operators.ts';
import { MortalClock, MortalTransport } from './mortal.ts';
import { RecordingMeter } from './recording-meter.ts';

export interface TestOperatorOptions {
  /**
   * The URL of the operator's ambassador: `TestEnv.url`, or the URL of a `KubectlProxy` or a
   * `RequestLine`.
   */
  readonly url: string;
  readonly controllers: readonly Controller[];
  /** The operator's runnables, in addition to its controllers. */
  readonly runnables?: readonly Runnable[];
  /** The webhooks that the operator answers, over plain HTTP at `webhookAddress`. */
  readonly webhooks?: readonly Webhook[];
  /** The namespace that the operator watches. If omitted, it watches all namespaces. */
  readonly namespace?: string;
  /** The clock of the operator. If omitted, the operator uses the system clock. */
  readonly clock?: Clock;
  /**
   * Enables leader election: replicas with the same controllers use a Lease in `namespace` to
   * decide which one works. If omitted, there is no leader election.
   */
  readonly leaderElection?: { readonly namespace: string };
  /** Further settings: values for the environment variables that `chancery run --help` lists. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A line of the operator's log. */
export interface OperatorLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Runs controllers like `chancery run`, in this process. */
export class TestOperator implements AsyncDisposable {
  /** All measurements of the operator. */
  readonly meter: RecordingMeter = new RecordingMeter();
  readonly #log: OperatorLogLine[] = [];
  readonly #stop = new AbortController();
  readonly #clock: MortalClock;
  readonly #transport: MortalTransport;
  readonly #manager: OperatorProcess;
  #running: Promise<void> = Promise.resolve();
  #leave: () => void = () => {};
  #ended: Promise<void> | undefined;

  constructor(options: TestOperatorOptions) {
    const { url, controllers, runnables, webhooks, namespace, clock } = options;
    const { leaderElection, environment } = options;
    const { meter } = this;
    const own = new MortalClock(clock ?? systemClock);
    this.#clock = own;
    this.#transport = new MortalTransport(undiciTransport(url, { clock: own }));
    const settings = settingsFrom({
      WATCH_NAMESPACE: namespace ?? '*',
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: '0',
      CHANCERY_WEBHOOK_LISTEN: '127.0.0.1:0',
      NODE_ENV: 'test',
      ...(namespace === undefined ? {} : { POD_NAMESPACE: namespace }),
      ...(leaderElection && {
        CHANCERY_LEADER_ELECTION: 'true',
        CHANCERY_LEASE_NAMESPACE: leaderElection.namespace,
      }),
      ...environment,
      CHANCERY_API_URL: url,
    });
    const connection = connect(url, {
      clock: own,
      meter,
      transport: this.#transport,
      ...connectOptions(settings, this.#logger({})),
    });
    this.#manager = new OperatorProcess({
      settings,
      controllers,
      ...(runnables && { runnables }),
      ...(webhooks && { webhooks }),
      clock: own,
      meter,
      connection,
      logFor: (facts) => this.#logger(facts),
    });
  }

  /** Starts the operator. Returns at once. */
  start(): void {
    this.#leave = operatorRuns(this);
    this.#running = this.#manager.run(this.#stop.signal);
    this.#running.catch(() => {}); // `stop` throws the error
  }

  /** True when the operator is running and every source has received its first list, as `/readyz` reports. */
  get ready(): boolean {
    return this.#manager.ready;
  }

  /**
   * True while the operator may do work that needs leadership. Without leader election, this is
   * true as soon as the operator runs.
   */
  get leads(): boolean {
    return this.#manager.leads;
  }

  /**
   * The URL at which the operator answers webhooks, such as `http://127.0.0.1:40123`. Undefined if
   * it has no webhooks.
   */
  get webhookAddress(): string | undefined {
    return this.#manager.webhookAddress;
  }

  /**
   * Resolves when the operator is ready.
   * @throws OperatorError `USER_CODE` when the operator is not ready within the time limit of
   * `eventually`.
   */
  async untilReady(): Promise<void> {
    await eventually(() => this.ready);
  }

  /** The operator's current state, as on its status page. */
  get status(): ProcessStatus {
    return this.#manager.status;
  }

  /** The lines of the operator's log, oldest first. */
  get log(): readonly OperatorLogLine[] {
    return this.#log;
  }

  /**
   * Stops the operator like SIGTERM: resolves when its running work is done. A second call, or a
   * call after `kill`, does nothing.
   *
   * @throws the error that ended the operator earlier, if there was one.
   */
  stop(): Promise<void> {
    this.#leave();
    this.#ended ??= this.#shutDown();
    return this.#ended;
  }

  /**
   * Ends the operator like SIGKILL: it sends nothing more, receives no answer, and its clock stops.
   * The contents of its memory are lost. Timers of user code that do not use the operator's `clock`
   * are not stopped.
   */
  kill(): Promise<void> {
    this.#leave();
    this.#clock.kill();
    this.#ended ??= this.#die();
    return this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #die(): Promise<void> {
    await Promise.all([this.#transport.kill(), this.#manager.closeWebhooks()]);
  }

  async #shutDown(): Promise<void> {
    this.#stop.abort(new Error('the test operator was stopped'));
    try {
      await this.#running;
    } finally {
      await this.#transport.close();
    }
  }

  #logger(facts: object): Log {
    const at =
      (level: OperatorLogLine['level']) =>
      (fields: object, message: string): void => {
        this.#log.push({ level, message, fields: { ...facts, ...fields } });
      };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }
}

/**
 * Starts an operator in this process, and returns at once. The caller must stop it, or use `await using`.
 *
 * @throws ConfigurationError `CONFIG` when the settings are invalid.
 */
export function startOperator(options: TestOperatorOptions): TestOperator {
  const operator = new TestOperator(options);
  operator.start();
  return operator;
}
