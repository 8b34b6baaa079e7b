import type { KubernetesObject } from 'chancery';
import { ConfigurationError } from 'chancery/internal-objects';
import { inWorld, replaceGlobals } from 'chancery/internal-testing';
import { ApiServer } from '../../apiserver/api-server.ts';
import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import { Checks, type Reference } from '../invariants/checks.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Schedule } from '../scenario/schedule.ts';
import type { SimulationResult } from '../simulation/run-result.ts';
import { scenarioClock } from '../simulation/scenario-clock.ts';
import { Simulation } from '../simulation/simulation.ts';

/** Runs schedules of one scenario, one at a time. */
export class Player implements Disposable {
  readonly scenario: Scenario;
  readonly #base: StorageSnapshot;
  readonly #restoreGlobals: () => void;
  readonly #restoreListeners: () => void;
  #running: Simulation | undefined;

  private constructor(scenario: Scenario, base: StorageSnapshot) {
    this.scenario = scenario;
    this.#base = base;
    this.#restoreGlobals = replaceGlobals();
    this.#restoreListeners = this.#catchRejections();
  }

  /** @throws ConfigurationError `CONFIG` when the objects of the scenario cannot be stored. */
  static async of(scenario: Scenario): Promise<Player> {
    return new Player(scenario, await baseOf(scenario));
  }

  /** Runs the usual order. Returns the result, and the reference to which other orders are compared. */
  async usual(
    seed: number,
  ): Promise<{ result: SimulationResult; reference: Reference | undefined }> {
    const checks = new Checks(this.scenario, undefined);
    const result = await this.#play({ seed, deviations: [] }, checks);
    return { result, reference: result.end && checks.reference(result.end) };
  }

  play(
    schedule: Schedule,
    reference: Reference,
    isKnown?: (digest: string) => boolean,
  ): Promise<SimulationResult> {
    return this.#play(schedule, new Checks(this.scenario, reference), isKnown);
  }

  [Symbol.dispose](): void {
    this.#restoreListeners();
    this.#restoreGlobals();
  }

  async #play(
    schedule: Schedule,
    checks: Checks,
    isKnown?: (digest: string) => boolean,
  ): Promise<SimulationResult> {
    const { scenario } = this;
    const simulation = new Simulation({
      scenario,
      base: this.#base,
      schedule,
      checks,
      ...(isKnown && { isKnown }),
    });
    this.#running = simulation;
    try {
      return await simulation.play();
    } finally {
      this.#running = undefined;
    }
  }

  /** Records unhandled rejections as findings of the run, so that they do not end the test's process. */
  #catchRejections(): () => void {
    const others = process.listeners('unhandledRejection');
    const heard = (error: unknown, promise: Promise<unknown>): void => {
      if (this.#running !== undefined) this.#running.unhandled(error);
      else for (const other of others) other(error, promise);
    };
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', heard);
    return () => {
      process.off('unhandledRejection', heard);
      for (const other of others) process.on('unhandledRejection', other);
    };
  }
}

/** The stored objects before the operator starts. */
async function baseOf({ name, objects = [] }: Scenario): Promise<StorageSnapshot> {
  const restore = replaceGlobals();
  const clock = scenarioClock();
  let drawn = 0;
  // Random values must be the same in every exploration, so that uids are equal.
  const world = {
    clock,
    random: () => (drawn = (drawn + 0.618_033_988_749_895) % 1),
    uses: () => {},
    immediates: 0,
  };
  try {
    return await inWorld(world, async () => {
      const server = await ApiServer.inMemory({ clock: clock.of('server') });
      try {
        if (typeof objects === 'string') server.applyManifest(objects);
        else for (const object of objects) server.create(placed(object));
        return server.snapshot();
      } finally {
        await server.close();
      }
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(`the objects of the scenario ${name} cannot be stored: ${why}`, {
      cause,
    });
  } finally {
    restore();
  }
}

/** A copy of an object, because scenarios share objects between runs. */
function placed(object: KubernetesObject): KubernetesObject {
  return structuredClone(object);
}
