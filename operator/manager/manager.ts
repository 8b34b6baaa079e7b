import type { Connection } from '../client/connection.ts';
import { ApiEventRecorder } from '../controller/api-event-recorder.ts';
import type { Controller } from '../controller/controller.ts';
import type { Log } from '../controller/reconciler.ts';
import { ControllerRunner } from '../controller/runner.ts';
import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import { HealthServer } from './health-server.ts';
import { Informers, type Scope } from './informers.ts';
import type { Settings } from './settings.ts';

export interface ManagerOptions {
  readonly settings: Settings;
  readonly controllers: readonly Controller[];
  /** The way to the ambassador; whoever made it closes it, after the end of `run`. */
  readonly connection: Pick<Connection, 'clientFor' | 'leaseClientFor'> & {
    readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  };
  readonly clock: Clock;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Where sources, queues and reconciles are measured. Default: nowhere. */
  readonly meter?: Meter;
}

/** What a reconcile under way gets to finish in, once the process is asked to stop. */
const DRAIN_GRACE_MS = 10_000;

/** What a reconcile gets to notice its aborted signal; then it is left behind. */
const ABORT_GRACE_MS = 5_000;

/** What Events get to be sent in, after that. With the two above: 20 s of a Pod's usual 30. */
const EVENT_FLUSH_MS = 5_000;

/** The controllers of one process, with what they share. */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #log: Log;
  readonly #informers: Informers;
  readonly #health: HealthServer | undefined;
  #phase: 'starting' | 'running' | 'stopping' = 'starting';

  /** @throws ConfigurationError `CONFIG` when two controllers have the same name. */
  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#log = options.logFor({});
    const { settings, controllers, clock, connection, meter = noMeter } = options;
    const names = controllers.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) {
      throw new ConfigurationError('two controllers have the same name', {
        context: { controller: twice },
      });
    }
    this.#informers = new Informers({
      namespaces: settings.namespaces,
      freeze: settings.freeze,
      crdWait: settings.crdWait,
      listWatchFor: connection.listWatchFor,
      log: this.#log,
      meter,
      reflector: {
        clock,
        ...(settings.watchTimeoutSeconds && { watchTimeoutSeconds: settings.watchTimeoutSeconds }),
        ...(settings.relistIntervalMs !== undefined && {
          relistIntervalMs: settings.relistIntervalMs,
        }),
      },
    });
    if (settings.healthPort !== 0) {
      this.#health = new HealthServer({
        port: settings.healthPort,
        host: settings.healthHost,
        live: [],
        ready: [
          { name: 'sources', ok: () => this.#informers.healthy },
          { name: 'running', ok: () => this.#phase === 'running' },
        ],
      });
    }
  }

  /** True when every source has its first list and its requests work; what `/readyz` says. */
  get ready(): boolean {
    return this.#phase === 'running' && this.#informers.healthy;
  }

  /**
   * Works until `signal` aborts, then stops in order: no new reconciles; those under way get 10 s to
   * finish, then their signal aborts, and 5 s later they are left behind; sources; Events; the health
   * server last.
   *
   * @throws ConfigurationError `CONFIG` when the health port cannot be had.
   * @throws OperatorError `UNSERVED` when the settings say `crdWait: 'timeout'` and a source is not
   *   served after 2 minutes. Nothing else that the cluster does makes it throw; a bug in the toolkit
   *   does, after an orderly stop.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { controllers, clock, settings } = this.#options;
    await this.#health?.start();
    using stop = linkedAbort(signal);
    const hardStop = new AbortController();
    using sources = linkedAbort(hardStop.signal);
    const recorders: ApiEventRecorder[] = [];
    const runners = controllers.map((controller) => this.#runner(controller, recorders));
    for (const runner of runners) runner.attach();
    this.#phase = 'running';
    this.#log.info(
      {
        controllers: controllers.map(({ name }) => name),
        apiUrl: settings.apiUrl,
        namespace: settings.namespaces?.join(',') ?? '*',
      },
      'manager started',
    );
    let cancelGrace = (): void => {};
    const overdue = Promise.withResolvers<void>();
    const onStop = (): void => {
      this.#phase = 'stopping';
      this.#log.info({ graceMs: DRAIN_GRACE_MS }, 'stopping');
      cancelGrace = clock.schedule(DRAIN_GRACE_MS, () => {
        hardStop.abort(stop.signal.reason);
        cancelGrace = clock.schedule(ABORT_GRACE_MS, overdue.resolve);
      });
    };
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener('abort', onStop, { once: true });
    const failures: unknown[] = [];
    const giveUp = (error: unknown): void => {
      failures.push(error);
      stop.abort(error); // from a cache that nobody keeps nothing must be reconciled
    };
    const watching = this.#informers.run(sources.signal).catch(giveUp);
    try {
      const reconciling = Promise.all(
        runners.map((runner) => runner.run(stop.signal, hardStop.signal).catch(giveUp)),
      );
      const left = overdue.promise.then(() =>
        this.#log.error({}, 'a reconcile ignores its aborted signal, it is left behind'),
      );
      await Promise.race([reconciling, left]);
    } finally {
      cancelGrace();
      sources.abort(stop.signal.reason);
      await watching;
      await Promise.all(recorders.map((recorder) => recorder.close(EVENT_FLUSH_MS)));
      await this.#health?.stop();
    }
    this.#log.info({}, 'stopped');
    if (failures.length > 0) throw failures[0];
  }

  #runner(controller: Controller, recorders: ApiEventRecorder[]): ControllerRunner {
    const { clock, connection, logFor, meter = noMeter, settings } = this.#options;
    const { crdWait } = settings;
    const client = connection.clientFor(controller.name);
    const self = { namespace: settings.podNamespace, podName: settings.podName };
    const events = new ApiEventRecorder({
      client,
      clock,
      self,
      reportingController: `chancery.dev/${controller.name}`,
      log: logFor({ controller: controller.name }),
    });
    recorders.push(events);
    return new ControllerRunner({
      controller,
      informerFor: (source) => this.#informers.of(source),
      client,
      clock,
      crdWait,
      events,
      self,
      logFor,
      meter,
    });
  }
}
