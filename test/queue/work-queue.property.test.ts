import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../operator/queue/work-queue.ts';
import { FakeClock } from '../../operator/testing/fake-clock.ts';

const key = fc.constantFrom('a', 'b', 'c');
const ms = fc.integer({ min: 0, max: 30 });
const step = fc.oneof(
  { weight: 40, arbitrary: fc.record({ do: fc.constant('add' as const), key }) },
  { weight: 40, arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms }) },
  { weight: 60, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 40, arbitrary: fc.record({ do: fc.constant('done' as const), pick: fc.nat() }) },
  { weight: 20, arbitrary: fc.record({ do: fc.constant('retry' as const), pick: fc.nat(), ms }) },
  { weight: 30, arbitrary: fc.record({ do: fc.constant('advance' as const), ms }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Lets the promises of takers resolve; no timer of the machine is involved. */
async function turn(): Promise<void> {
  for (let microtask = 0; microtask < 5; microtask++) await Promise.resolve();
}

/**
 * The queue, and what is owed by it: for each key the earliest time at which somebody asked for it
 * since it was taken last.
 */
class Watched {
  readonly clock = new FakeClock();
  readonly queue = new WorkQueue<string>({ clock: this.clock, backoff: { jitter: 0 } });
  readonly held: string[] = [];
  readonly #owedFrom = new Map<string, number>();
  #takers = 0;
  #failure: unknown;
  #closed = false;

  async do(now: Step): Promise<void> {
    if (now.do === 'add') this.#ask(now.key, 0, () => this.queue.add(now.key));
    else if (now.do === 'addAfter') {
      this.#ask(now.key, now.ms, () => this.queue.addAfter(now.key, now.ms));
    } else if (now.do === 'take') {
      this.#take().catch((error) => {
        this.#failure ??= error;
      });
    } else if (now.do === 'advance') this.clock.advance(now.ms);
    else if (now.do === 'close') this.#close();
    else if (this.held.length > 0) {
      const held = this.held[now.pick % this.held.length] ?? '';
      if (now.do === 'retry') {
        const delayMs = Math.max(Math.min(5 * 2 ** this.queue.failures(held), 1_000_000), now.ms);
        this.#ask(held, delayMs, () => expect(this.queue.retry(held, now.ms)).toBe(delayMs));
      }
      this.held.splice(this.held.indexOf(held), 1);
      this.queue.done(held);
    }
    await turn();
    this.#check();
  }

  /** Works off everything that is owed; then nothing may be left. */
  async settle(): Promise<void> {
    if (this.#closed) return;
    for (let round = 0; round < 20 && (this.#owedFrom.size > 0 || this.held.length > 0); round++) {
      for (let at = 0; at < 3; at++) await this.do({ do: 'take' });
      while (this.held.length > 0) await this.do({ do: 'done', pick: 0 });
      await this.do({ do: 'advance', ms: 2_000_000 });
    }
    await this.do({ do: 'advance', ms: 2_000_000 }); // an alarm may be left whose key was taken early
    expect(this.#owedFrom).toEqual(new Map());
    expect(this.queue.depth).toBe(0);
    expect(this.clock.pending).toBe(0);
  }

  async close(): Promise<void> {
    this.#close();
    await turn();
    this.#check();
    expect(this.#takers).toBe(0);
  }

  #ask(name: string, delayMs: number, ask: () => void): void {
    if (!this.#closed) {
      const at = this.clock.monotonic() + delayMs;
      this.#owedFrom.set(name, Math.min(this.#owedFrom.get(name) ?? at, at));
    }
    ask();
  }

  async #take(): Promise<void> {
    this.#takers++;
    const taken = await this.queue.take();
    this.#takers--;
    if (taken === undefined) {
      expect(this.#closed).toBe(true);
      return;
    }
    expect(this.#closed).toBe(false);
    expect(this.held).not.toContain(taken);
    const from = this.#owedFrom.get(taken);
    expect(from).toBeLessThanOrEqual(this.clock.monotonic()); // asked for, and not before its time
    this.#owedFrom.delete(taken);
    this.held.push(taken);
  }

  /** While somebody waits, no key that is due and free may wait as well. */
  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    expect(this.clock.pending).toBeLessThanOrEqual(1);
    if (this.#closed || this.#takers === 0) return;
    const nowMs = this.clock.monotonic();
    const due = [...this.#owedFrom].filter(
      ([name, at]) => at <= nowMs && !this.held.includes(name),
    );
    expect(due).toEqual([]);
  }

  #close(): void {
    this.#closed = true;
    this.queue.close();
    expect(this.clock.pending).toBe(0);
  }
}

test('whatever happens in whatever order: no key is held twice, early or for nothing, none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const watched = new Watched();

      for (const now of steps) await watched.do(now);

      await watched.settle();
      await watched.close();
    }),
    { numRuns: 300 },
  );
});
