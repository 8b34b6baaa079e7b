import { intercept } from '../client/client-of.ts';
import type { Connection, Fence } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import { ApiEventRecorder, EVENT_FLUSH_MS } from '../controller/events/api-event-recorder.ts';
import type { Log, Self } from '../controller/reconciler.ts';
import type { ReconcileMiddleware } from '../controller/run/middleware.ts';
import { type ControllerActivity, ControllerRunner } from '../controller/run/runner.ts';
import type { Clock } from '../core/clock.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import { TimeSlice } from '../core/time-slice.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { Settings } from './settings/settings.ts';
import type { Informers } from './sources/informers.ts';
import type { Scope } from './sources/scope.ts';
import { metadataPages } from './sources/scope.ts';
import { countWrites } from './status-page/process-view.ts';
import type { MinuteCounts } from './status-page/reconcile-history.ts';
import type { Task } from './tasks.ts';

interface ControllerHostOptions {
  readonly settings: Settings;
  readonly connection: Pick<Connection, 'clientFor'> & {
    readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  };
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  readonly meter?: Meter;
  /** The first term of leadership. Default: nobody is elected, and nothing is fenced. */
  readonly term?: TermFences;
  readonly reconcileMiddleware?: ReconcileMiddleware;
  /** See `OperatorProcessOptions`. */
  readonly sourcesWithinMs?: number;
  /** Counts what controllers write. Default: nothing does. */
  readonly writes?: MinuteCounts;
}

/** What belongs to one term of leadership must pass, so that it ends with that term. */
interface TermFences {
  /** What the writes of controllers that need leadership must pass. */
  readonly fence: Fence;
  /** What their Events must pass. */
  readonly eventFence: Fence;
}

/**
 * Puts controllers to work: each has a client of its own, and all have one Event recorder. With an
 * election those that need leadership have another recorder, and both it and what runs them (queue,
 * back-off, memory of writes) are made anew for each term.
 */
export class ControllerHost {
  readonly #options: ControllerHostOptions;
  readonly #runners = new Map<
    string,
    { runner: ControllerRunner; readonly controller: Controller }
  >();
  /** One for all controllers: who aggregates and limits must see all. */
  readonly #events: ApiEventRecorder;
  /** Of the term that is under way, or to come; undefined when nobody is elected. */
  #term: { readonly fence: Fence; readonly events: ApiEventRecorder } | undefined;
  /** One for the process: many controllers that take 10 ms each would stop it for seconds. */
  readonly #timeSlice: TimeSlice;

  constructor(options: ControllerHostOptions) {
    this.#options = options;
    this.#timeSlice = new TimeSlice(options.clock);
    this.#events = this.#recorder();
    this.#term = options.term && this.#termOf(options.term);
  }

  /** True while a reconcile takes longer than its controller allows. */
  get stuck(): boolean {
    return [...this.#runners.values()].some(({ runner }) => runner.stuck);
  }

  /** What each controller is doing. */
  *activities(): Generator<ControllerActivity, void, undefined> {
    for (const { runner } of this.#runners.values()) yield runner.activity;
  }

  /** True when every controller has looked at everything that its sources hold. */
  get idle(): boolean {
    return [...this.#runners.values()].every(({ runner }) => runner.idle);
  }

  /** Lists and watches its sources from now on, or from the run of the informers; again does nothing. */
  attach(controller: Controller): ControllerRunner {
    const known = this.#runners.get(controller.name);
    return known?.runner ?? this.#attached(controller);
  }

  /** The controller at work, for a manager to start and to stop. */
  taskOf(controller: Controller): Task {
    const runner = this.attach(controller);
    return {
      name: controller.name,
      phase: 'controllers',
      guarded: controller.needsLeaderElection,
      run: (stop, abort) => runner.run(stop, abort),
    };
  }

  /** Resolves when all Events are sent or dropped, after `limitMs` at the latest. */
  async flushEvents(limitMs: number): Promise<void> {
    await Promise.all([this.#events.close(limitMs), this.#term?.events.close(limitMs)]);
  }

  /** Resolves when the Events of the term are sent or dropped, after `limitMs` at the latest. */
  async endTerm(limitMs: number): Promise<void> {
    await this.#term?.events.close(Math.min(limitMs, EVENT_FLUSH_MS));
  }

  /**
   * Makes anew what runs the controllers that need leadership, for another term. What ran them in the
   * term before must have ended. Their sources go on.
   */
  beginTerm(fences: TermFences): void {
    this.#term = this.#termOf(fences);
    for (const { controller } of this.#runners.values()) {
      if (controller.needsLeaderElection) this.#attached(controller);
    }
  }

  #attached(controller: Controller): ControllerRunner {
    const runner = this.#runner(controller);
    this.#runners.set(controller.name, { runner, controller });
    runner.attach();
    return runner;
  }

  #termOf({ fence, eventFence }: TermFences): { fence: Fence; events: ApiEventRecorder } {
    // What a leader did may be told when it leads no more, but not when another may have begun.
    return { fence, events: this.#recorder(eventFence) };
  }

  #recorder(fence?: Fence): ApiEventRecorder {
    const { clock, connection, logFor, meter = noMeter, settings } = this.#options;
    return new ApiEventRecorder({
      client: connection.clientFor('chancery-events', fence),
      clock,
      self: selfOf(settings),
      log: logFor({}),
      meter,
    });
  }

  #runner(controller: Controller): ControllerRunner {
    const {
      reconcileMiddleware,
      clock,
      connection,
      informers,
      logFor,
      meter = noMeter,
      settings,
      sourcesWithinMs,
      writes,
    } = this.#options;
    const term = controller.needsLeaderElection ? this.#term : undefined;
    const bare = connection.clientFor(controller.name, term?.fence);
    const client = writes === undefined ? bare : intercept(bare, countWrites(writes));
    return new ControllerRunner({
      controller,
      informerFor: (source) => informers.of(source),
      client,
      journal: informers.ownWritesJournal,
      metadataPages: metadataPages({
        listWatchFor: connection.listWatchFor,
        namespaces: settings.namespaces,
      }),
      clock,
      crdWait: settings.crdWait,
      ...(sourcesWithinMs !== undefined && { sourcesWithinMs }),
      events: (term?.events ?? this.#events).for(controller.name),
      self: selfOf(settings),
      logFor,
      meter,
      timeSlice: this.#timeSlice,
      ...(reconcileMiddleware && { reconcileMiddleware }),
    });
  }
}

function selfOf({ podNamespace, podName }: Settings): Self {
  return { namespace: podNamespace, podName };
}
