import type { Connection, Fence } from '../client/connection.ts';
import { ApiEventRecorder } from '../controller/api-event-recorder.ts';
import type { AroundAttempt } from '../controller/attempt.ts';
import type { Controller } from '../controller/controller.ts';
import type { Log, Self } from '../controller/reconciler.ts';
import { type ControllerActivity, ControllerRunner } from '../controller/runner.ts';
import type { Clock } from '../core/clock.ts';
import { type Meter, noMeter } from '../core/metrics.ts';
import { TurnLimit } from '../core/turns.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { Informers } from './informers.ts';
import { metadataPages } from './metadata-pages.ts';
import type { Scope } from './scope.ts';
import type { Settings } from './settings.ts';
import { countWrites } from './status-page/count-writes.ts';
import type { MinuteCounts } from './status-page/minute-counts.ts';
import type { Task } from './tasks.ts';

export interface ControllerHostOptions {
  readonly settings: Settings;
  readonly connection: Pick<Connection, 'clientFor'> & {
    readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  };
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  readonly meter?: Meter;
  /** What the writes of controllers that need leadership must pass. Default: nothing. */
  readonly fence?: Fence;
  /** What Events must pass. Default: nothing. */
  readonly eventFence?: Fence;
  readonly aroundAttempt?: AroundAttempt;
  /** See `ManagerOptions`. */
  readonly sourcesWithinMs?: number;
  /** Counts what controllers write. Default: nothing does. */
  readonly writes?: MinuteCounts;
}

/** Puts controllers to work: each has a client of its own, and all have one Event recorder. */
export class ControllerHost {
  readonly #options: ControllerHostOptions;
  readonly #runners = new Map<string, ControllerRunner>();
  /** One for the process: who aggregates and limits must see all. */
  readonly #events: ApiEventRecorder;
  /** One for the process: many controllers that take 10 ms each would stop it for seconds. */
  readonly #turn: TurnLimit;

  constructor(options: ControllerHostOptions) {
    this.#options = options;
    const { clock, connection, logFor, meter = noMeter, settings } = options;
    this.#turn = new TurnLimit(clock);
    this.#events = new ApiEventRecorder({
      // What a leader did may be told when it leads no more, but not when another may have begun.
      client: connection.clientFor('chancery-events', options.eventFence),
      clock,
      self: selfOf(settings),
      log: logFor({}),
      meter,
    });
  }

  /** True while a reconcile takes longer than its controller allows. */
  get stuck(): boolean {
    return [...this.#runners.values()].some(({ stuck }) => stuck);
  }

  /** What each controller is doing. */
  *activities(): Generator<ControllerActivity, void, undefined> {
    for (const { activity } of this.#runners.values()) yield activity;
  }

  /** True when every controller has looked at everything that its sources hold. */
  get idle(): boolean {
    return [...this.#runners.values()].every(({ idle }) => idle);
  }

  /** Lists and watches its sources from now on, or from the run of the informers; again does nothing. */
  attach(controller: Controller): ControllerRunner {
    const known = this.#runners.get(controller.name);
    if (known !== undefined) return known;
    const runner = this.#runner(controller);
    this.#runners.set(controller.name, runner);
    runner.attach();
    return runner;
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
    await this.#events.close(limitMs);
  }

  #runner(controller: Controller): ControllerRunner {
    const {
      aroundAttempt,
      clock,
      connection,
      fence,
      informers,
      logFor,
      meter = noMeter,
      settings,
      sourcesWithinMs,
      writes,
    } = this.#options;
    const bare = connection.clientFor(
      controller.name,
      controller.needsLeaderElection ? fence : undefined,
    );
    const client = writes === undefined ? bare : countWrites(bare, writes);
    return new ControllerRunner({
      controller,
      informerFor: (source) => informers.of(source),
      client,
      journal: informers.overlays,
      metadataPages: metadataPages({
        listWatchFor: connection.listWatchFor,
        namespaces: settings.namespaces,
      }),
      clock,
      crdWait: settings.crdWait,
      ...(sourcesWithinMs !== undefined && { sourcesWithinMs }),
      events: this.#events.for(controller.name),
      self: selfOf(settings),
      logFor,
      meter,
      turn: this.#turn,
      ...(aroundAttempt && { aroundAttempt }),
    });
  }
}

function selfOf({ podNamespace, podName }: Settings): Self {
  return { namespace: podNamespace, podName };
}
