import { surround } from '../../client/client-of.ts';
import type { Connection } from '../../client/connection.ts';
import { dryRun } from '../../client/interceptors/dry-run.ts';
import { type Controller, definedResources } from '../../controller/controller.ts';
import { linkedAbort } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import type { Manager, ManagerOptions } from '../../manager/manager.ts';
import { isTerminal, showsColours } from '../../manager/observe/pretty-log.ts';
import { declaringRunnables } from '../../manager/runnable.ts';
import { overridden, settingsFrom } from '../../manager/settings/settings.ts';
import { keyOf, type ObjectKey } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';
import type { Io } from '../command.ts';
import { CallsPastClient } from './calls-past-client.ts';
import { DryRunReport } from './dry-run-report.ts';

interface DryRunOptions {
  readonly io: Io;
  /**
   * If true, the dry run continues until the process is asked to stop, and may reconcile a key
   * several times. If false, each key is reconciled once.
   */
  readonly follow: boolean;
}

/**
 * Time for which a source may fail before its first list. The waits after a 403 are 5, 10 and 20 s,
 * so a source that is forbidden for a short time is tried three times.
 */
const SOURCES_WITHIN_MS = 30_000;

/** How often to check whether work is left. */
const LOOK_MS = 50;

/** Changes the controllers and the connection of a manager for `chancery run --dry-run`. */
export class DryRun {
  readonly #io: Io;
  readonly #follow: boolean;
  readonly #report: DryRunReport;
  readonly #pastClient: CallsPastClient;
  #controllers = 0;
  #runnables = 0;
  #failures = 0;
  /** Number of reconciles that requested a requeue. A dry run does not requeue. */
  #postponed = 0;

  constructor({ io, follow }: DryRunOptions) {
    const { stdout: out, env } = io;
    this.#io = io;
    this.#follow = follow;
    this.#report = new DryRunReport({ out, colour: showsColours(env, isTerminal(out)) });
    this.#pastClient = new CallsPastClient(({ controller, key, what }) =>
      this.#tell(
        `WARNING: ${controller} ${what} past its client, for ${key}: a dry run does not hold that back; ` +
          'ask context.dryRun before it',
      ),
    );
  }

  /**
   * The options of a manager that stores nothing. It takes no Lease, so a current leader keeps
   * leading. It opens no port and installs no definitions. It starts only runnables that declare
   * their access, because the effects of other runnables cannot be intercepted. Without `--follow`,
   * the run fails when a source that is not optional still fails, is refused or is not served after
   * 30 s.
   *
   * @throws ConfigurationError `CONFIG` for unusable settings.
   */
  optionsFrom(options: ManagerOptions): ManagerOptions {
    const { environment = {}, runnables = [], webhooks = [] } = options;
    const fromEnvironment = settingsFrom(environment);
    const { leaderElection, sharding, installCrds } = overridden(fromEnvironment, options.settings);
    const declaring = declaringRunnables(runnables);
    this.#runnables = declaring.length;
    for (const each of runnables) {
      if (each.sources === undefined) this.#tell(`${each.name} is not started`);
    }
    for (const { name } of webhooks) this.#tell(`${name} is not served`);
    for (const resource of definedResources([...options.controllers, ...declaring, ...webhooks])) {
      if (resource.convert !== undefined) this.#tell(`${resourceName(resource)} is not converted`);
    }
    if (sharding !== undefined) this.#tell('takes no Lease, and works on the keys of all replicas');
    else if (leaderElection !== undefined) this.#tell('takes no part in the election of a leader');
    if (installCrds) this.#tell('installs no CustomResourceDefinitions');
    return {
      ...options,
      controllers: options.controllers.map((each) => this.#controller(each)),
      runnables: declaring,
      webhooks: [],
      dryRun: true,
      ...(!this.#follow && { sourcesWithinMs: SOURCES_WITHIN_MS }),
      leaderElection: false,
      decorate: (connection) => this.#connection(connection),
      settings: {
        ...options.settings,
        healthPort: 0,
        metricsPort: 0,
        installCrds: false,
        selfTest: 'off', // nothing is stored, even if the filter is open
      },
    };
  }

  /** Runs `manager` until no work is left, then prints a summary. */
  async run(manager: Pick<Manager, 'idle' | 'run'>, clock: Clock): Promise<void> {
    using stop = linkedAbort(this.#io.signal);
    using _noticing = this.#pastClient.listen();
    const running = manager.run(stop.signal);
    const done = this.#untilDone(manager, clock, stop.signal);
    try {
      await Promise.race([running, done]);
    } finally {
      stop.abort(new Error('the dry run is over'));
      await Promise.all([running, done]);
    }
    if (this.#postponed > 0) {
      this.#tell(`${this.#postponed} of the reconciles ask for another one later: see --follow`);
    }
    this.#tell(this.#report.summary(this.#controllers, this.#runnables));
  }

  /** 1 when a reconcile failed for a reason other than a printed refusal, otherwise 0. */
  get exitCode(): 0 | 1 {
    return this.#failures === 0 ? 0 : 1;
  }

  #tell(line: string): void {
    this.#io.stderr.write(`dry run: ${visibleText(line)}\n`);
  }

  /** A copy of `connection` whose clients store nothing. */
  #connection(connection: Connection): Connection {
    const dry = (fieldManager: string, client: ReturnType<Connection['clientFor']>) =>
      surround(client, {
        ownRequests: this.#pastClient.client,
        dryRun: dryRun(this.#report.sinkOf(fieldManager)),
      });
    return {
      ...connection,
      clientFor: (fieldManager, ...facts) =>
        dry(fieldManager, connection.clientFor(fieldManager, ...facts)),
      leaseClientFor: (fieldManager) => dry(fieldManager, connection.leaseClientFor(fieldManager)),
    };
  }

  /**
   * A copy of `controller` that counts failed reconciles. Without `--follow` it reconciles each key
   * once. Its writes are not stored, so a reconciler might never see the state for which it waits.
   */
  #controller(controller: Controller): Controller {
    this.#controllers++;
    const { name, finalizer } = controller;
    const reconcile: Controller['reconcile'] = (object, context) =>
      this.#observed(name, context.key, () =>
        controller.reconcile(object, { ...context, dryRun: true }),
      );
    const gone: Controller['gone'] =
      controller.gone &&
      ((key, context) =>
        this.#observed(name, key, () => controller.gone?.(key, { ...context, dryRun: true })));
    const finalize: NonNullable<typeof finalizer>['finalize'] | undefined =
      finalizer &&
      ((object, context) =>
        this.#observed(name, keyOf(object), () =>
          finalizer.finalize(object, { ...context, dryRun: true }),
        ));
    return Object.freeze({
      ...controller,
      // Writes are not stored, so they never reach a cache. No reconcile may wait for them.
      consistency: 'none',
      reconcile: this.#oncePerKey(reconcile),
      ...(gone && { gone }),
      ...(finalizer && finalize && { finalizer: { ...finalizer, finalize } }),
    });
  }

  /** Resolves when no work is left, or when `signal` aborts. */
  async #untilDone(
    manager: { readonly idle: boolean },
    clock: Clock,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      while (this.#follow || !manager.idle) await sleep(clock, LOOK_MS, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Makes an attempt, counts it if it fails, and notices effects that bypass its client. */
  async #observed<R>(controller: string, key: string, attempt: () => R | Promise<R>): Promise<R> {
    try {
      return await this.#pastClient.during(controller, key, async () => attempt());
    } catch (error) {
      if (!this.#report.isPrinted(error)) this.#failures++;
      throw error;
    }
  }

  #oncePerKey(reconcile: Controller['reconcile']): Controller['reconcile'] {
    if (this.#follow) return reconcile;
    const known = new Set<ObjectKey>();
    return async (object, context) => {
      if (known.has(context.key)) return;
      known.add(context.key);
      const outcome = await reconcile(object, context);
      if (outcome?.requeueAfterMs !== undefined) this.#postponed++;
      return outcome;
    };
  }
}
