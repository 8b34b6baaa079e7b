import type { Client } from '../client/client.ts';
import { surround } from '../client/client-of.ts';
import type { Connection, Fence } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import { ApiEventRecorder, EVENT_FLUSH_MS } from '../controller/events/api-event-recorder.ts';
import type { EventNote, EventRecorder } from '../controller/events/event-recorder.ts';
import type { Log, Self } from '../controller/reconciler.ts';
import type { ReconcileMiddleware } from '../controller/run/middleware.ts';
import { allObservers, type WaitingKey } from '../controller/run/run-observer.ts';
import { ControllerRunner } from '../controller/run/runner.ts';
import type { Shards, Term } from '../controller/run/term.ts';
import type { WorkOrder } from '../controller/run/work-order.ts';
import type { Source } from '../controller/source.ts';
import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import { TimeSlice } from '../core/time-slice.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { SharedInformer } from '../store/shared-informer.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { ProcessObserver } from './observe/process-observer.ts';
import type { Settings } from './settings/settings.ts';
import type { GroupTerm } from './sharding/shard-group.ts';
import type { GroupsAtWork } from './sharding/sharded-work.ts';
import { slottingOf } from './sharding/slotting.ts';
import type { Informers } from './sources/informers.ts';
import type { Scope } from './sources/scope.ts';
import { metadataPages } from './sources/scope.ts';
import type { KeyMemory } from './status-page/key-memory.ts';
import type { ObservedController } from './status-page/observed-controller.ts';
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
  /** True while debug lines are logged, see `RunnerOptions`. Default: never. */
  readonly showsDebug?: () => boolean;
  readonly meter?: Meter;
  /**
   * The fences of the first term of leadership. Default: there is no election, and no request is checked by a
   * fence.
   */
  readonly term?: TermFences;
  readonly reconcileMiddleware?: ReconcileMiddleware;
  readonly workOrder?: WorkOrder;
  /** See `OperatorProcessOptions`. */
  readonly sourcesWithinMs?: number;
  /** Counts the writes of controllers. Default: nothing counts them. */
  readonly writes?: MinuteCounts;
  /** The groups of keys that this process works on. Default: the process works on all keys. */
  readonly shards?: GroupsAtWork;
  /** Receives what the process does, for a flight record. Default: no observer. */
  readonly observer?: ProcessObserver;
  /** Remembers the outcome of each key's attempts, for the status page. Default: not remembered. */
  readonly keys?: KeyMemory | undefined;
  /** See `OperatorProcessOptions`. */
  readonly random?: () => number;
}

/** The fences of one term of leadership. They check every request that belongs to the term. */
interface TermFences {
  /** Fence for the writes of controllers that need leadership. */
  readonly fence: Fence;
  /** Fence for the Events of controllers that need leadership. */
  readonly eventFence: Fence;
}

/**
 * How many milliseconds the running reconciles of a controller may still take after the controller has been
 * stopped. This applies to controllers that a runnable has started.
 */
const STARTED_DRAIN_MS = 10_000;

/**
 * Runs controllers. Each controller has its own client, and all controllers share one Event recorder. With an
 * election, the controllers that need leadership share another recorder. That recorder and the runners of
 * those controllers (queue, back-off, memory of writes) are created again for each term.
 */
export class ControllerHost {
  readonly #options: ControllerHostOptions;
  readonly #runners = new Map<
    string,
    { runner: ControllerRunner; readonly controller: Controller }
  >();
  /** The controllers that runnables have started, by name. */
  readonly #started = new Map<string, ControllerRunner>();
  readonly #groupEvents = new WeakMap<GroupTerm, ApiEventRecorder>();
  /** Shared by all controllers, because the aggregation and the rate limits must see every Event. */
  readonly #events: ApiEventRecorder;
  /** The current or next term; undefined without an election. */
  #term: { readonly fence: Fence; readonly events: ApiEventRecorder } | undefined;
  /**
   * All controllers share one time slice. If each controller had 10 ms for itself, many controllers would
   * block the process for seconds.
   */
  readonly #timeSlice: TimeSlice;

  constructor(options: ControllerHostOptions) {
    this.#options = options;
    this.#timeSlice = new TimeSlice(options.clock);
    this.#events = this.#recorder();
    this.#term = options.term && this.#termOf(options.term);
  }

  /** True while a reconcile takes longer than its controller allows. */
  get stuck(): boolean {
    return this.#all().some((runner) => runner.stuck);
  }

  /** All keys that are waiting or being reconciled, in every controller. */
  *waiting(): Generator<readonly [controller: string, WaitingKey], void, undefined> {
    for (const runner of this.#all()) {
      for (const key of runner.waiting()) yield [runner.activity.name, key];
    }
  }

  /** True when every change of the sources has been turned into keys. */
  get delivered(): boolean {
    return this.#all().every((runner) => runner.delivered);
  }

  /** Every controller, with its current activity and the state of its keys. */
  get observed(): readonly ObservedController[] {
    return this.#all();
  }

  /** True when every controller has handled all changes from its sources. */
  get idle(): boolean {
    return this.#all().every((runner) => runner.idle);
  }

  /**
   * Starts to list and watch the sources of `controller`, at once or as soon as the informers run.
   * Idempotent.
   */
  attach(controller: Controller): ControllerRunner {
    const known = this.#runners.get(controller.name);
    return known?.runner ?? this.#attached(controller);
  }

  /** The controller as a task that a manager can start and stop. */
  taskOf(controller: Controller): Task {
    const runner = this.attach(controller);
    return {
      name: controller.name,
      phase: 'controllers',
      guarded: controller.needsLeaderElection && this.#options.shards === undefined,
      run: (stop, abort) => runner.run(stop, abort),
    };
  }

  /**
   * Runs a controller that was not declared, until `stop` aborts. Then its running reconciles may finish for
   * 10 s, or until `abort` aborts. Its sources stay open while the controller runs. `/readyz` does not wait
   * for them.
   *
   * @throws ConfigurationError `CONFIG` when a controller of this name is already running, and in the same
   *   cases as `Informers.open`; any error of `ControllerRunner.run`.
   */
  async start(controller: Controller, stop: AbortSignal, abort: AbortSignal): Promise<void> {
    const { clock, informers } = this.#options;
    const { name } = controller;
    if (this.#runners.has(name) || this.#started.has(name)) {
      throw new ConfigurationError('a controller of this name runs already', {
        context: { controller: name },
      });
    }
    if (this.#options.shards !== undefined && controller.needsLeaderElection) {
      throw new ConfigurationError(
        'a controller that a runnable starts cannot share its keys with other replicas: unset CHANCERY_SHARDS, so that one ' +
          'replica works and the others stand by',
        { context: { controller: name } },
      );
    }
    using sources = new DisposableStack();
    const runner = this.#runner(controller, (source) => {
      const handle = informers.open({ ...source, optional: true });
      sources.defer(handle.release);
      return handle.informer;
    });
    this.#started.set(name, runner);
    using hardStop = linkedAbort(abort);
    using late = new DisposableStack();
    const endLate = (): void => {
      late.defer(clock.schedule(STARTED_DRAIN_MS, () => hardStop.abort(stop.reason)));
    };
    stop.addEventListener('abort', endLate, { once: true });
    late.defer(() => stop.removeEventListener('abort', endLate));
    try {
      await runner.run(stop, hardStop.signal);
    } finally {
      this.#started.delete(name);
    }
  }

  /** Resolves when all Events are sent or dropped, after at most `limitMs`. */
  async flushEvents(limitMs: number): Promise<void> {
    await Promise.all([this.#events.close(limitMs), this.#term?.events.close(limitMs)]);
  }

  /** Records an Event about the process itself. This does not depend on a term of leadership. */
  record(note: EventNote): void {
    this.#events.for('sharding').record(note);
  }

  /** Resolves when the Events of the term are sent or dropped, after at most `limitMs`. */
  async endTerm(limitMs: number): Promise<void> {
    await this.#term?.events.close(Math.min(limitMs, EVENT_FLUSH_MS));
  }

  /**
   * Creates new runners for the controllers that need leadership, for the next term. The runners of the last
   * term must have ended. The sources keep running.
   */
  beginTerm(fences: TermFences): void {
    this.#term = this.#termOf(fences);
    if (this.#options.shards !== undefined) return; // each group of keys has its own terms
    for (const { controller } of this.#runners.values()) {
      if (controller.needsLeaderElection) this.#attached(controller);
    }
  }

  /**
   * The client and the Event recorder of the controller or runnable with this name. With
   * `needsLeaderElection`, both belong to the current term, or to the next one if there is none now.
   *
   * @param exactIntegers - see `restClient`. Default false.
   */
  partsFor(
    name: string,
    needsLeaderElection: boolean,
    exactIntegers = false,
  ): { readonly client: Client; readonly events: EventRecorder } {
    const { connection, writes } = this.#options;
    const term = needsLeaderElection ? this.#term : undefined;
    const bare = connection.clientFor(name, term?.fence, exactIntegers);
    const client = surround(bare, { count: writes && countWrites(writes) });
    return { client, events: (term?.events ?? this.#events).for(name) };
  }

  #all(): readonly ControllerRunner[] {
    const declared = Array.from(this.#runners.values(), ({ runner }) => runner);
    return [...declared, ...this.#started.values()];
  }

  #attached(controller: Controller): ControllerRunner {
    const { informers, shards, settings } = this.#options;
    const runner = this.#runner(controller, (source) => {
      const isSharded = shards !== undefined && controller.needsLeaderElection;
      const slotting = isSharded
        ? slottingOf(controller, source, settings.sharding?.by ?? 'uid')
        : undefined;
      return informers.of({ ...source, slotting });
    });
    this.#runners.set(controller.name, { runner, controller });
    runner.attach();
    return runner;
  }

  /**
   * The groups of keys as one controller needs them: each term has the controller's client and Event
   * recorder.
   */
  #shardsFor(name: string, groups: GroupsAtWork): Shards {
    const { connection, writes } = this.#options;
    const terms = new WeakMap<GroupTerm, Term>();
    const termFor = (held: GroupTerm): Term => {
      const bare = connection.clientFor(name, held.fence);
      const client = surround(bare, { count: writes && countWrites(writes) });
      return { client, events: this.#eventsOf(held).for(name), lost: held.lost };
    };
    return {
      groupOf: (identity) => groups.groupOf(identity),
      begin: (group) => groups.begin(group),
      childLabels: groups.childLabels,
      onOpened: (opened) => groups.onOpened(opened),
      termOf: (group) => {
        const held = groups.termOf(group);
        if (held === undefined) return undefined;
        const term = terms.get(held) ?? termFor(held);
        terms.set(held, term);
        return term;
      },
    };
  }

  /** The Event recorder for one term of a group. All controllers share this recorder. */
  #eventsOf(held: GroupTerm): ApiEventRecorder {
    const events = this.#groupEvents.get(held) ?? this.#recorder(held.eventFence);
    if (!this.#groupEvents.has(held)) {
      this.#groupEvents.set(held, events);
      held.lost.addEventListener('abort', () => void events.close(EVENT_FLUSH_MS), { once: true });
    }
    return events;
  }

  #termOf({ fence, eventFence }: TermFences): { fence: Fence; events: ApiEventRecorder } {
    // Events about a leader's actions may be sent after its term, but only until another term may have begun.
    return { fence, events: this.#recorder(eventFence) };
  }

  #recorder(fence?: Fence): ApiEventRecorder {
    const { clock, connection, logFor, meter = noMeter, random, settings } = this.#options;
    return new ApiEventRecorder({
      ...(random && { random }),
      client: connection.clientFor('chancery-events', fence),
      clock,
      self: selfOf(settings),
      log: logFor({}),
      meter,
    });
  }

  #runner(
    controller: Controller,
    informerFor: (source: Source) => SharedInformer<KubernetesObject>,
  ): ControllerRunner {
    const {
      reconcileMiddleware,
      workOrder,
      clock,
      connection,
      informers,
      logFor,
      meter = noMeter,
      settings,
      keys,
      observer,
      random,
      showsDebug,
      sourcesWithinMs,
    } = this.#options;
    const { client, events } = this.partsFor(controller.name, controller.needsLeaderElection);
    const groups = controller.needsLeaderElection ? this.#options.shards : undefined;
    const shards = groups && this.#shardsFor(controller.name, groups);
    const runObserver = allObservers([
      keys?.observe(controller.name),
      observer?.controller(controller),
    ]);
    return new ControllerRunner({
      ...(shards && { shards }),
      controller,
      informerFor,
      client,
      journal: informers.ownWritesJournal,
      metadataPages: metadataPages({
        listWatchFor: connection.listWatchFor,
        namespaces: settings.namespaces,
      }),
      openSource: (source) => informers.open(source),
      controllers: () => Array.from(this.#runners.values(), (each) => each.controller),
      namespaces: settings.namespaces,
      ...(runObserver && { observer: runObserver }),
      ...(random && { random }),
      clock,
      crdWait: settings.crdWait,
      ...(sourcesWithinMs !== undefined && { sourcesWithinMs }),
      events,
      self: selfOf(settings),
      logFor,
      ...(showsDebug && { showsDebug }),
      meter,
      timeSlice: this.#timeSlice,
      ...(reconcileMiddleware && { reconcileMiddleware }),
      workOrder,
    });
  }
}

/** The Pod of this process, from the settings. */
export function selfOf({ podNamespace, podName }: Settings): Self {
  return { namespace: podNamespace, podName };
}
