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
  /** Where its ambassador is: `TestEnv.url`, or that of a `KubectlProxy` or a `RequestLine`. */
  readonly url: string;
  readonly controllers: readonly Controller[];
  /** What runs beside them. */
  readonly runnables?: readonly Runnable[];
  /** What it answers, in plain HTTP at `webhookAddress`. */
  readonly webhooks?: readonly Webhook[];
  /** The namespace that its sources watch. Default: all. */
  readonly namespace?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Its replicas, which have the same controllers, agree by a Lease in `namespace` on the one that
   * works. Default: there is no election.
   */
  readonly leaderElection?: { readonly namespace: string };
  /** More settings, by the environment variables that `chancery run --help` lists. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A line of its log. */
export interface OperatorLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What `chancery run` makes of controllers, in this process. */
export class TestOperator implements AsyncDisposable {
  /** Every measurement it makes. */
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

  /** Begins; resolves at once. */
  start(): void {
    this.#leave = operatorRuns(this);
    this.#running = this.#manager.run(this.#stop.signal);
    this.#running.catch(() => {}); // `stop` throws it
  }

  /** It runs, and every source has its first list: what `/readyz` says. */
  get ready(): boolean {
    return this.#manager.ready;
  }

  /** True while it may do what needs leadership; without an election as soon as it runs. */
  get leads(): boolean {
    return this.#manager.leads;
  }

  /** Where its webhooks are answered, such as `http://127.0.0.1:40123`. Undefined when they are not. */
  get webhookAddress(): string | undefined {
    return this.#manager.webhookAddress;
  }

  /** Resolves when it is ready. @throws OperatorError `USER_CODE` when it is not in the time of `eventually`. */
  async untilReady(): Promise<void> {
    await eventually(() => this.ready);
  }

  /** What it is doing: what its status page would show. */
  get status(): ProcessStatus {
    return this.#manager.status;
  }

  /** Its log, oldest first. */
  get log(): readonly OperatorLogLine[] {
    return this.#log;
  }

  /**
   * As after SIGTERM: resolves when its running work is done. A second call, or a call after `kill`, does nothing.
   *
   * @throws what ended it before, if something did.
   */
  stop(): Promise<void> {
    this.#leave();
    this.#ended ??= this.#shutDown();
    return this.#ended;
  }

  /**
   * As after SIGKILL: from now on it sends nothing, is answered nothing, and its clock stands. What it
   * had in memory is lost. Timers of user code that are not its `clock`'s are not stopped.
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
 * An operator in this process, which begins at once; the caller stops it, or says `await using`.
 *
 * @throws ConfigurationError `CONFIG` when the settings are unusable.
 */
export function startOperator(options: TestOperatorOptions): TestOperator {
  const operator = new TestOperator(options);
  operator.start();
  return operator;
}
