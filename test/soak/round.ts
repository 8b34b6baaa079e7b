import { setTimeout as wait } from 'node:timers/promises';
import { FAULTS, type Scene } from './fault-kinds.ts';
import type { Writer } from './writer.ts';

export interface Pace {
  /** Mean time between two writes. */
  readonly writeEveryMs: number;
  /** Time between two faults, at random in [min, max). */
  readonly faultEveryMs: readonly [min: number, max: number];
}

/** Breaks and writes, in rounds: after each, everything is repaired and must come right. */
export class Rounds {
  readonly #scene: Scene;
  readonly #writer: Writer;
  readonly #pace: Pace;
  /** Kinds that are still to come before any comes again. */
  #bag: string[] = [];
  readonly faults = new Map(Object.keys(FAULTS).map((name) => [name, 0]));

  constructor(scene: Scene, writer: Writer, pace: Pace) {
    this.#scene = scene;
    this.#writer = writer;
    this.#pace = pace;
  }

  get faultCount(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How often each kind of fault has come, at least. */
  get faultRounds(): number {
    return Math.min(...this.faults.values());
  }

  /** Writes and breaks for so long; resolves when every fault is repaired. */
  async storm(durationMs: number): Promise<void> {
    const { random, line, gate, subject } = this.#scene;
    const endsAt = performance.now() + durationMs;
    const underway: Promise<void>[] = [];
    let nextFaultAt = performance.now();
    while (performance.now() < endsAt) {
      this.#writer.write();
      if (performance.now() >= nextFaultAt) {
        underway.push(this.#break());
        nextFaultAt = performance.now() + random.between(...this.#pace.faultEveryMs);
      }
      await wait(this.#pace.writeEveryMs * 2 * random.next());
    }
    await Promise.all(underway);
    await line.heal();
    await gate.heal();
    subject.calm();
  }

  /** What is still wrong after `patienceMs`; resolves as soon as nothing is. */
  async settle(patienceMs: number): Promise<readonly string[]> {
    const { server, subject } = this.#scene;
    const givenUpAt = performance.now() + patienceMs;
    const watchesAreOpen = (): boolean => server.openWatches === subject.watchCount;
    while (subject.differences().length > 0 || !watchesAreOpen()) {
      if (performance.now() > givenUpAt) break;
      await wait(50);
    }
    const { openWatches } = server;
    const open = watchesAreOpen() ? [] : [`${openWatches} watches, not ${subject.watchCount}`];
    return [
      ...subject.differences(),
      ...subject.takeViolations(),
      ...subject.bugs.splice(0),
      ...open,
    ];
  }

  async #break(): Promise<void> {
    if (this.#bag.length === 0) this.#bag = this.#scene.random.shuffled(Object.keys(FAULTS));
    const name = this.#bag.pop() ?? '';
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
    await FAULTS[name]?.(this.#scene);
  }
}
