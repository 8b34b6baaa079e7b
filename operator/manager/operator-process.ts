import { withParts } from '../client/connection.ts';
import { expectServed } from '../client/interceptors/expect-served.ts';
import { type Controller, isController } from '../controller/controller.ts';
import { EVENT_FLUSH_MS } from '../controller/events/api-event-recorder.ts';
import type { Log } from '../controller/reconciler.ts';
import { abortable, aborted } from '../core/abort.ts';
import { ConfigurationError } from '../core/errors.ts';
import { ControllerHost } from './controller-host.ts';
import type { DefinitionInstaller } from './crds/install-definitions.ts';
import { DeclaredParts } from './declared-parts.ts';
import type { HealthServer } from './http/health-server.ts';
import { Campaign, isGuarded } from './leader/campaign.ts';
import type { LeaderElector } from './leader/leader-elector.ts';
import {
  definitionInstallerOf,
  electorOf,
  healthServerOf,
  informersOptions,
  leadershipStatus,
  observedProcess,
  ownChecks,
  runnableHostOf,
  shardingOf,
  webhookServingOf,
} from './manager-parts.ts';
import type { OperatorProcessOptions } from './options.ts';
import type { Runnable } from './runnable.ts';
import type { RunnableHost } from './runnable-host.ts';
import { explainRefusals } from './safety/explain-refusals.ts';
import { waitForAmbassador } from './safety/visible-token.ts';
import { type KeylessWork, withKeylessWork } from './sharding/first-group.ts';
import { observedWork } from './sharding/observed-work.ts';
import { GroupsAtWork } from './sharding/sharded-work.ts';
import type { Sharding } from './sharding/sharding.ts';
import { Informers } from './sources/informers.ts';
import type { ProcessStatus } from './status-page/process-status.ts';
import { ProcessView } from './status-page/process-view.ts';
import { StopBudget, stopInOrder } from './stop.ts';
import { Tasks } from './tasks.ts';
import type { WebhookServing } from './webhooks/webhook-serving.ts';

export type { OperatorProcessOptions } from './options.ts';

/** The controllers and runnables of one process, and what they share. */
export class OperatorProcess {
  readonly #options: OperatorProcessOptions;
  readonly #log: Log;
  readonly #informers: Informers;
  readonly #host: ControllerHost;
  readonly #runnables: RunnableHost;
  readonly #health: HealthServer | undefined;
  /** Undefined without webhooks. */
  readonly #webhooks: WebhookServing | undefined;
  readonly #view: ProcessView;
  /** Undefined without an election. */
  readonly #campaign: Campaign | undefined;
  /** Undefined unless replicas share the work. */
  readonly #sharding: Sharding | undefined;
  /** Undefined unless the settings have `installCrds`. */
  readonly #definitions: DefinitionInstaller | undefined;
  readonly #declared = new DeclaredParts();
  readonly #tasks: Tasks = new Tasks((error) => this.#fail(error));
  readonly #stop = new AbortController();
  readonly #sources = new AbortController();
  readonly #failures: unknown[] = [];
  #phase: 'new' | 'starting' | 'running' | 'stopped' = 'new';
  #leads = false;
  #watching: Promise<void> = Promise.resolve();
  #budget: StopBudget | undefined;
  #running: Promise<void> = Promise.resolve();

  /** @throws ConfigurationError `CONFIG` when two controllers have the same name. */
  constructor(options: OperatorProcessOptions) {
    this.#options = options;
    this.#log = options.logFor({});
    const elector = electorOf(options, this.#log);
    this.#campaign = elector && this.#campaignOf(elector);
    this.#informers = new Informers(informersOptions(options, this.#log));
    this.#view = new ProcessView({
      ...options,
      phase: () => this.#shownPhase,
      ready: () => this.ready,
      leadership: () => this.#campaign && leadershipStatus(this.#campaign.elector),
      sharing: () => this.#sharding?.status,
      scopes: () => this.#informers.scopes(),
      controllers: () => this.#host.observed,
      runnables: () => this.#runnables.statuses(),
    });
    const connection = withParts(options.connection, {
      explain: explainRefusals(() => this.#declared.access(options.settings)),
      expectServed: expectServed(this.#informers.discoveryPoll),
    });
    // A dry run works on all keys, and needs no Lease.
    const sharding = options.leaderElection === false ? undefined : options.settings.sharding;
    const shards = sharding && new GroupsAtWork(sharding, this.#informers.ownSlots);
    const keyless = shards && withKeylessWork(shards, this.#keylessWork());
    const work = keyless && observedWork(keyless, options.observer);
    this.#sharding = shardingOf(options, work, this.#log, (note) => this.#host.record(note));
    this.#host = new ControllerHost({
      ...options,
      ...(shards && { shards }),
      connection,
      reconcileMiddleware: this.#view.around(options.reconcileMiddleware),
      writes: this.#view.writes,
      keys: this.#view.keys,
      informers: this.#informers,
      ...(elector && { term: elector }),
    });
    this.#runnables = runnableHostOf({ ...options, connection }, this.#informers, this.#host);
    this.#webhooks = webhookServingOf(options);
    this.#definitions = definitionInstallerOf({ ...options, connection }, this.#log);
    const checks = ownChecks(options, {
      isHealthy: () => this.#campaign?.elector.healthy ?? this.#sharding?.healthy ?? true,
      isStuck: () => this.#isStuck(),
      sources: () => this.#informers.needed(),
      running: { ok: () => this.#isRunning, starting: () => this.#isStarting },
      others: [this.#definitions?.check, this.#webhooks?.check],
    });
    this.#health = healthServerOf(options, checks, this.#log, this.#view);
    options.observer?.attach(
      observedProcess({ informers: this.#informers, host: this.#host, leads: () => this.#leads }),
    );
    for (const each of [...options.controllers, ...(options.runnables ?? [])]) this.add(each);
    if (this.#webhooks !== undefined) this.add(this.#webhooks.runnable);
  }

  /** True while the run lasts, every source has its first list, and webhooks are answered: for `/readyz`. */
  get ready(): boolean {
    return this.#isRunning && this.#informers.synced && (this.#webhooks?.ready ?? true);
  }

  /**
   * True when every controller has handled all changes from its sources, and every runnable reports that it
   * is idle. From then on only a change or a timer leads to a reconcile.
   */
  get idle(): boolean {
    return this.#isRunning && this.#host.idle && this.#runnables.idle;
  }

  /** The state of the process, as the status page displays it. */
  get status(): ProcessStatus {
    return this.#view.status;
  }

  /**
   * Where webhooks are answered: `http://127.0.0.1:9440` or `unix:/path.sock`. Undefined without webhooks.
   */
  get webhookAddress(): string | undefined {
    return this.#webhooks?.address;
  }

  /** Closes the port of the webhooks and its connections at once, as if the process had died. */
  async closeWebhooks(): Promise<void> {
    await this.#webhooks?.stop();
  }

  /** True while this process may do work that needs leadership; without an election, from startup on. */
  get leads(): boolean {
    return this.#leads;
  }

  /**
   * Adds a controller or runnable, before or during the run. During the run it starts at once, or, if it
   * needs leadership, when this process leads.
   *
   * @throws ConfigurationError `CONFIG` when another controller has the same name, or the shutdown has begun.
   */
  add(declared: Controller | Runnable): void {
    if (this.#stop.signal.aborted) {
      throw new ConfigurationError('a manager that stops takes nothing on', {
        context: { name: declared.name },
      });
    }
    this.#declared.add(declared);
    if (this.#phase !== 'running') return;
    this.#watch(declared);
    this.#launch(declared);
  }

  /**
   * Runs until `signal` aborts or `stop` is called. Then it stops gracefully, within the `shutdownTimeoutMs`
   * of the settings:
   *
   * 1. runnables that give work to controllers;
   * 2. controllers: their reconciles may finish for 40 % of that time, then their signals abort, and after 20
   *    % more they are abandoned;
   * 3. webhooks (a Pod still answers them for 3 s), then other runnables, sources and Events;
   * 4. the Lease is released, if nothing that needs it still runs;
   * 5. the servers.
   *
   * With `onLost: 'standby'` in the settings, the loss of the Lease does not start a shutdown. Instead, the
   * signals of everything that needs leadership abort. All of it ends before another process may lead (or
   * within 1 s, if that is later), and starts again with the next term. A runnable is started by another call
   * of `run`.
   *
   * @throws ConfigurationError `CONFIG` when a port is not available, or the process has already run.
   * @throws LeadershipLostError `LEADERSHIP_LOST` after a shutdown that was caused by the loss of the Lease;
   *   with `onLost: 'standby'` when something that needs leadership did not end in time.
   * @throws OperatorError `UNSERVED` when the settings have `crdWait: 'timeout'` and a source is not served
   *   after 2 minutes; `USER_CODE` when a runnable fails. No other state of the cluster makes it throw. A bug
   *   in the toolkit does, after a graceful shutdown.
   */
  run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'new') {
      return Promise.reject(new ConfigurationError('a manager runs once: make another'));
    }
    this.#phase = 'starting';
    this.#running = this.#run(signal);
    return this.#running;
  }

  /**
   * Begins the shutdown, in the same way as an abort of the signal that `run` has received. Resolves when the
   * shutdown is complete, and never rejects. It is idempotent, may be called before the run, and is safe to
   * call from a signal handler.
   */
  async stop(reason: unknown = new Error('the manager was stopped')): Promise<void> {
    this.#stop.abort(reason);
    await this.#running.catch(() => {}); // `run` rejects with the same error
  }

  #isStuck(): boolean {
    const { stuck } = this.#host;
    if (stuck) this.#options.observer?.stuck();
    return stuck;
  }

  get #shownPhase(): ProcessStatus['phase'] {
    if (this.#stop.signal.aborted) return 'stopping';
    return this.#phase === 'running' ? 'running' : 'starting';
  }

  get #isStarting(): boolean {
    return this.#phase === 'new' || this.#phase === 'starting';
  }

  get #isRunning(): boolean {
    return this.#phase === 'running' && !this.#stop.signal.aborted;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const follow = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) follow();
    signal.addEventListener('abort', follow, { once: true });
    try {
      await this.#start(this.#stop.signal);
      await aborted(this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error);
    }
    try {
      await this.#end();
    } finally {
      signal.removeEventListener('abort', follow);
      this.#phase = 'stopped';
    }
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { clock, connection, metricsServer, prepare, settings } = this.#options;
    signal.throwIfAborted();
    await this.#health?.start();
    await metricsServer?.start();
    await this.#webhooks?.start();
    if (connection.isListening !== undefined) {
      const { apiUrl } = settings;
      await waitForAmbassador(connection.isListening, { clock, log: this.#log, apiUrl }, signal);
    }
    if (prepare !== undefined) await abortable(prepare(signal), signal);
    await this.#definitions?.install([...this.#declared.waiting], signal);
    signal.throwIfAborted();
    this.#leads = this.#campaign === undefined && this.#sharding === undefined;
    if (this.#leads) this.#options.observer?.leadership({ leads: true });
    for (const declared of this.#declared.waiting) this.#watch(declared);
    this.#watching = this.#informers.run(this.#sources.signal).catch((error) => this.#fail(error));
    this.#phase = 'running';
    this.#log.info(
      {
        controllers: this.#declared.controllerNames,
        apiUrl: settings.apiUrl,
        namespace: settings.namespaces?.join(',') ?? '*',
      },
      'manager started',
    );
    for (const declared of this.#declared.waiting) this.#launch(declared);
    this.#campaign?.begin();
    const sharding = this.#sharding;
    if (sharding === undefined) return;
    const run = (stop: AbortSignal): Promise<void> => sharding.run(stop);
    this.#tasks.start({ name: 'sharding', phase: 'controllers', guarded: false, run });
  }

  /** Lists and watches the sources now, unless the settings delay that until this process leads. */
  #watch(declared: Controller | Runnable): void {
    if (!this.#mayRun(declared) && !this.#options.settings.warmup) return;
    if (isController(declared)) this.#host.attach(declared);
    else this.#runnables.attach(declared);
  }

  #launch(declared: Controller | Runnable): void {
    if (!this.#mayRun(declared)) return;
    this.#declared.begins(declared);
    this.#tasks.start(
      isController(declared) ? this.#host.taskOf(declared) : this.#runnables.taskOf(declared),
    );
  }

  #mayRun(declared: Controller | Runnable): boolean {
    const { needsLeaderElection = true } = declared;
    if (this.#leads || !needsLeaderElection) return true;
    return this.#sharding !== undefined && isController(declared); // runs for the keys of some groups
  }

  /** The work that needs leadership but concerns no key, such as runnables. */
  #keylessWork(): KeylessWork {
    return {
      begin: (term) => {
        this.#host.beginTerm(term);
        this.#leads = true;
        for (const declared of this.#declared.waiting) this.#launch(declared);
      },
      end: async () => {
        this.#leads = false;
        this.#tasks.stop(isGuarded, new Error('another replica does this from now on'));
        await this.#tasks.settled(isGuarded);
        await this.#host.endTerm(EVENT_FLUSH_MS);
        this.#declared.waitUnless((each) => this.#mayRun(each));
      },
      abort: (reason) => this.#tasks.abort(isGuarded, reason),
    };
  }

  #campaignOf(elector: LeaderElector): Campaign {
    const { leaderElection } = this.#options.settings;
    return new Campaign({
      elector,
      onLost: leaderElection?.onLost ?? 'exit',
      releaseOnStop: leaderElection?.releaseOnStop ?? true,
      clock: this.#options.clock,
      log: this.#log,
      tasks: this.#tasks,
      stop: this.#stop.signal,
      gained: () => {
        this.#leads = true;
        this.#options.observer?.leadership({ leads: true });
        this.#informers.ownWritesJournal.clear(); // another process may have led and written since
        for (const declared of this.#declared.waiting) this.#launch(declared);
      },
      lost: (withinMs, standsBy) => {
        this.#leads = false;
        this.#options.observer?.leadership({ leads: false });
        this.#options.onLeadershipLost?.(withinMs, standsBy);
        this.#budget?.shrinkTo(this.#campaign?.stopLimitMs ?? 0);
      },
      termEnded: (limitMs) => this.#host.endTerm(limitMs),
      standsBy: (next) => {
        this.#host.beginTerm(next);
        this.#declared.waitUnless((each) => this.#mayRun(each));
      },
      fail: (error) => this.#fail(error),
    });
  }

  /** When a controller or runnable has failed, the whole manager stops. */
  #fail(error: unknown): void {
    this.#failures.push(error);
    this.#stop.abort(error);
  }

  async #end(): Promise<void> {
    const { clock, metricsServer, settings } = this.#options;
    const { reason } = this.#stop.signal;
    using budget = new StopBudget(clock, settings.shutdownTimeoutMs);
    this.#budget = budget;
    this.#webhooks?.stopping();
    budget.shrinkTo(this.#campaign?.stopLimitMs ?? Number.POSITIVE_INFINITY);
    const { leftMs } = budget;
    this.#log.info(Number.isFinite(leftMs) ? { budgetMs: Math.round(leftMs) } : {}, 'stopping');
    const sources = (): Promise<void> => {
      this.#sources.abort(reason);
      return this.#watching;
    };
    const events = (limitMs: number): Promise<void> => this.#host.flushEvents(limitMs);
    const options = { budget, log: this.#log, reason };
    try {
      const eventsDone = await stopInOrder(this.#tasks, { sources, events }, options);
      this.#leads = false;
      await this.#campaign?.end(budget, eventsDone);
    } finally {
      await this.#webhooks?.stop();
      await metricsServer?.stop();
      this.#view.stop();
      await this.#health?.stop();
    }
    this.#log.info({}, 'stopped');
  }
}
