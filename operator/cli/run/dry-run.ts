import { intercept } from '../../client/client-of.ts';
import type { Connection } from '../../client/connection.ts';
import { dryRun } from '../../client/interceptors/dry-run.ts';
import type { Controller } from '../../controller/controller.ts';
import { AWAIT_CHANGE } from '../../controller/reconciler.ts';
import { linkedAbort } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { visibleText } from '../../core/visible-text.ts';
import type { Manager, ManagerOptions } from '../../manager/manager.ts';
import type { CreateManagerOptions } from '../../manager/options.ts';
import { settingsFrom } from '../../manager/settings/settings.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { Io } from '../command.ts';
import { DryRunReport } from './dry-run-report.ts';

interface DryRunOptions {
  readonly io: Io;
  /** Go on until the process is asked to stop, and reconcile keys again. */
  readonly follow: boolean;
}

/**
 * How long a source may fail before the first list. The waits after a 403 are 5, 10 and 20 s, so that a
 * right that is missing for an instant is asked for three times.
 */
const SOURCES_WITHIN_MS = 30_000;

/** Between two looks at whether there is work left. */
const LOOK_MS = 50;

/** What `chancery run --dry-run` makes of controllers and of the way to the API server. */
export class DryRun {
  readonly #io: Io;
  readonly #follow: boolean;
  readonly #report: DryRunReport;
  #controllers = 0;
  #failures = 0;
  /** Reconciles that ask for another one, which is not made. */
  #postponed = 0;

  constructor({ io, follow }: DryRunOptions) {
    const { stdout: out, env } = io;
    const isTerminal = 'isTTY' in out && out.isTTY === true;
    this.#io = io;
    this.#follow = follow;
    this.#report = new DryRunReport({ out, colour: isTerminal && (env.NO_COLOR ?? '') === '' });
  }

  /**
   * Whoever leads goes on to lead: a dry run takes no Lease. It opens no port, installs nothing, and
   * starts no runnables, which do as they like. Without `--follow` it fails when a source that is not
   * optional still fails, is refused or is not served after 30 s.
   *
   * @throws ConfigurationError `CONFIG` for settings that are unusable.
   */
  optionsFrom(options: CreateManagerOptions): ManagerOptions {
    const { environment = {}, runnables = [] } = options;
    const { leaderElection, installCrds } = settingsFrom(environment);
    for (const { name } of runnables) this.#tell(`${name} is not started`);
    if (leaderElection !== undefined) this.#tell('takes no part in the election of a leader');
    if (installCrds) this.#tell('installs no CustomResourceDefinitions');
    return {
      ...options,
      controllers: options.controllers.map((each) => this.#controller(each)),
      runnables: [],
      ...(!this.#follow && { sourcesWithinMs: SOURCES_WITHIN_MS }),
      leaderElection: false,
      decorate: (connection) => this.#connection(connection),
      settings: {
        ...options.settings,
        healthPort: 0,
        metricsPort: 0,
        installCrds: false,
        selfTest: 'off', // nothing is stored, whatever the ambassador lets through
      },
    };
  }

  /** Runs `manager` until there is nothing left to reconcile, and sums up what it would have done. */
  async run(manager: Pick<Manager, 'idle' | 'run'>, clock: Clock): Promise<void> {
    using stop = linkedAbort(this.#io.signal);
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
    this.#tell(this.#report.summary(this.#controllers));
  }

  /** 1 when a reconcile failed, unless it was with a refusal that was printed. */
  get exitCode(): 0 | 1 {
    return this.#failures === 0 ? 0 : 1;
  }

  #tell(line: string): void {
    this.#io.stderr.write(`dry run: ${visibleText(line)}\n`);
  }

  /** `connection`, none of whose clients stores anything. */
  #connection(connection: Connection): Connection {
    const dry = (fieldManager: string, client: ReturnType<Connection['clientFor']>) =>
      intercept(client, dryRun(this.#report.sinkOf(fieldManager)));
    return {
      ...connection,
      clientFor: (fieldManager, fence) =>
        dry(fieldManager, connection.clientFor(fieldManager, fence)),
      leaseClientFor: (fieldManager) => dry(fieldManager, connection.leaseClientFor(fieldManager)),
    };
  }

  /**
   * `controller`, which knows how its reconciles end, and makes one for each key unless the run goes
   * on: what it wrote is not there, so that it may never be satisfied.
   */
  #controller(controller: Controller): Controller {
    this.#controllers++;
    const { finalizer } = controller;
    const finalize = finalizer && this.#observed(finalizer.finalize.bind(finalizer));
    return Object.freeze({
      ...controller,
      // Caches show what is there, and nothing waits until they show what was not stored.
      consistency: 'none',
      reconcile: this.#oncePerKey(this.#observed(controller.reconcile)),
      ...(finalizer && finalize && { finalizer: { ...finalizer, finalize } }),
    });
  }

  /** Resolves when there is nothing left to reconcile, or when `signal` aborts. */
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

  #observed<A extends readonly unknown[], R>(
    call: (...args: A) => Promise<R>,
  ): (...args: A) => Promise<R> {
    return async (...args) => {
      try {
        return await call(...args);
      } catch (error) {
        if (!this.#report.isPrinted(error)) this.#failures++;
        throw error;
      }
    };
  }

  #oncePerKey(reconcile: Controller['reconcile']): Controller['reconcile'] {
    if (this.#follow) return reconcile;
    const known = new Set<ObjectKey>();
    return async (key, object, context) => {
      if (known.has(key)) return AWAIT_CHANGE;
      known.add(key);
      const result = await reconcile(key, object, context);
      if (result?.requeueAfterMs !== undefined) this.#postponed++;
      return result;
    };
  }
}
