import type { Writable } from 'node:stream';
import type { Connection } from '../client/connection.ts';
import { dryRunClient } from '../client/dry-run-client.ts';
import type { Controller } from '../controller/controller.ts';
import { AWAIT_CHANGE } from '../controller/reconciler.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { Settings } from '../manager/settings.ts';
import type { ObjectKey } from '../model/object.ts';
import { DryRunReport } from './dry-run-report.ts';

export interface DryRunOptions {
  readonly out: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Go on until the process is asked to stop, and reconcile keys again. */
  readonly follow: boolean;
}

/** Between two looks at whether there is work left. */
const LOOK_MS = 50;

/** What `chancery run --dry-run` makes of controllers and of the way to the API server. */
export class DryRun {
  readonly #follow: boolean;
  readonly #report: DryRunReport;
  #controllers = 0;
  #failures = 0;

  constructor({ out, environment, follow }: DryRunOptions) {
    this.#follow = follow;
    const colour = out.isTTY === true && (environment.NO_COLOR ?? '') === '';
    this.#report = new DryRunReport({ out, colour });
  }

  /**
   * Whoever leads goes on to lead: a dry run takes no Lease, opens no port, and installs nothing. One
   * that is to end does not wait for ever for a resource that is not served.
   */
  settings({ crdWait }: Settings): Partial<Settings> {
    return {
      leaderElection: undefined,
      healthPort: 0,
      metricsPort: 0,
      installCrds: false,
      crdWait: crdWait === 'forever' && !this.#follow ? 'timeout' : crdWait,
    };
  }

  /** `connection`, none of whose clients stores anything. */
  connection(connection: Connection): Connection {
    const dry = (fieldManager: string, client: ReturnType<Connection['clientFor']>) =>
      dryRunClient(client, this.#report.sinkOf(fieldManager));
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
  controller(controller: Controller): Controller {
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
  async untilDone(
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

  /** One line about the whole run. */
  get summary(): string {
    return this.#report.summary(this.#controllers);
  }

  /** 1 when a reconcile failed, unless it was with a refusal that was printed. */
  get exitCode(): 0 | 1 {
    return this.#failures === 0 ? 0 : 1;
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
      return reconcile(key, object, context);
    };
  }
}
