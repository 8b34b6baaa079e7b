import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../operator/queue/work-queue.ts';
import { QueueModel } from './queue-model.ts';

const AGING_LIMIT_MS = 40;

const key = fc.constantFrom(...'abcdefgh');
const ms = fc.integer({ min: -1, max: 30 });
const priority = fc.constantFrom(-100, -100, 0, 0, 7);
const pick = fc.nat({ max: 100 });
const step = fc.oneof(
  { weight: 50, arbitrary: fc.record({ do: fc.constant('add' as const), key, priority }) },
  { weight: 40, arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms, priority }) },
  { weight: 60, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 50, arbitrary: fc.record({ do: fc.constant('done' as const), pick }) },
  { weight: 20, arbitrary: fc.record({ do: fc.constant('retry' as const), pick, ms }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  { weight: 30, arbitrary: fc.record({ do: fc.constant('advance' as const), ms }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drain' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Lets the promises of takers resolve; no timer of the machine is involved. */
async function turn(): Promise<void> {
  for (let microtask = 0; microtask < 6; microtask++) await Promise.resolve();
}

/** The queue beside its model; each step is done to both, and each answer compared. */
class Watched {
  readonly #clock = new FakeClock();
  readonly #queue = new WorkQueue<string>({
    clock: this.#clock,
    backoff: { jitter: 0 },
    agingLimitMs: AGING_LIMIT_MS,
  });
  readonly #model = new QueueModel(AGING_LIMIT_MS);
  readonly #failures = new Map<string, number>();
  readonly #never = new AbortController();
  #takers = 0;
  #shutdowns: Promise<void>[] = [];
  #shutdownsSettled = 0;
  #failure: unknown;

  async do(now: Step): Promise<void> {
    if (now.do === 'add') {
      this.#model.ask(now.key, 0, now.priority);
      this.#queue.add(now.key, { priority: now.priority });
    } else if (now.do === 'addAfter') {
      this.#model.ask(now.key, now.ms, now.priority);
      this.#queue.addAfter(now.key, now.ms, { priority: now.priority });
    } else if (now.do === 'take') this.#take();
    else if (now.do === 'done' || now.do === 'retry') this.#finish(now);
    else if (now.do === 'forget') {
      this.#queue.forget(now.key);
      this.#failures.delete(now.key);
    } else if (now.do === 'advance') await this.#advance(now.ms);
    else this.#shutdown(now.do === 'drain');
    await turn();
    this.#check();
  }

  /** Works off what waits; then nothing may be left of it, neither keys nor promises. */
  async end(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      while (this.#model.ready.length > 0 || this.#model.held.size > 0) {
        if (this.#model.ready.length > 0) await this.do({ do: 'take' });
        while (this.#model.held.size > 0) await this.do({ do: 'done', pick: 0 });
      }
      await this.do({ do: 'advance', ms: 2_000_000 });
    }
    for (const name of this.#failures.keys()) await this.do({ do: 'forget', key: name });
    expect(this.#model.waiting.size).toBe(0);
    await this.do({ do: 'drain' });
    await Promise.all(this.#shutdowns);
    expect(this.#takers).toBe(0);
    expect(this.#clock.pending).toBe(0);
  }

  #take(): void {
    this.#takers++;
    const taken = async (): Promise<void> => {
      const name = await this.#queue.take();
      this.#takers--;
      if (name === undefined) {
        expect(this.#model.isEnded).toBe(true);
        return;
      }
      expect(this.#model.held.has(name)).toBe(false);
      expect(this.#model.take(name)).toContain(name);
      expect(this.#queue.processingPriority(name)).toBe(this.#model.held.get(name));
    };
    taken().catch((error) => {
      this.#failure ??= error;
    });
  }

  #finish(now: { do: 'done' | 'retry'; pick: number; ms?: number }): void {
    const all = [...this.#model.held.keys()];
    const held = all[now.pick % all.length];
    if (held === undefined) return;
    if (now.do === 'retry') {
      const failures = this.#failures.get(held) ?? 0;
      const delayMs = Math.max(Math.min(5 * 2 ** failures, 1_000_000), now.ms ?? 0);
      this.#failures.set(held, failures + 1);
      this.#model.ask(held, delayMs, this.#model.held.get(held) ?? Number.NaN);
      expect(this.#queue.retry(held, now.ms)).toBe(delayMs);
    }
    this.#model.done(held);
    this.#queue.done(held);
  }

  /** From alarm to alarm, so that who waits is served at the time of each. */
  async #advance(byMs: number): Promise<void> {
    for (let leftMs = Math.max(byMs, 0); leftMs > 0; ) {
      const stepMs = Math.min(this.#clock.nextInMs ?? leftMs, leftMs);
      this.#model.advance(stepMs);
      this.#clock.advance(stepMs);
      leftMs -= stepMs;
      await turn();
    }
  }

  #shutdown(drain: boolean): void {
    if (drain) this.#model.drain();
    else this.#model.close();
    const ended = this.#queue.shutdown({ drain, signal: this.#never.signal });
    this.#shutdowns.push(ended.then(() => void this.#shutdownsSettled++));
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    const { held, isEnded, ready, waiting } = this.#model;
    expect(this.#queue.depth).toBe(ready.length);
    expect(this.#queue.waitingCount).toBe(waiting.size);
    expect(this.#queue.processingCount).toBe(held.size);
    expect(this.#queue.failingCount).toBe(this.#failures.size);
    expect(this.#clock.pending).toBeLessThanOrEqual(1);
    if (ready.length > 0 || isEnded) expect(this.#takers).toBe(0);
    const settled = isEnded && held.size === 0 ? this.#shutdowns.length : 0;
    expect(this.#shutdownsSettled).toBe(settled);
  }
}

test('[Q-2] [Q-3] [Q-20] [Q-21] [Q-22] [Q-30] the queue behaves like its model, whatever happens in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 100, size: 'max' }), async (steps) => {
      const watched = new Watched();

      for (const now of steps) await watched.do(now);

      await watched.end();
    }),
  );
});
