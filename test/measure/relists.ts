/**
 * What the spread of relists saves an API server, and what it costs: `npm run measure -- relists`. Every
 * watch of several processes ends at once with 410 Gone, as after a compaction, and every source must
 * list again. The sources are real reflectors behind real limiters; time is a fake clock, so that the
 * figures are the same on every machine.
 */
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '@chancery/testing';
import { sleep } from '../../operator/core/clock.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';
import { type LimitedSource, ListLimiter } from '../../operator/watch/policy/list-limiter.ts';
import { Reflector, type ReflectorSink } from '../../operator/watch/reflector.ts';

interface Fleet {
  readonly processes: number;
  /** Of each process. */
  readonly sources: number;
  /** How long the API server takes for a list. */
  readonly listMs: number;
}

const FLEETS: readonly Fleet[] = [
  { processes: 1, sources: 20, listMs: 50 },
  { processes: 20, sources: 5, listMs: 50 },
  { processes: 20, sources: 20, listMs: 50 },
  { processes: 20, sources: 20, listMs: 400 },
];
const STEP_MS = 5;
const WINDOW_MS = 100;

/** A limiter without the spread: four lists at a time, and nothing else. */
class PlainLimiter extends ListLimiter {
  override join(): LimitedSource {
    return { ...super.join(), needsRelist: () => 0, relistDelayMs: () => 0 };
  }
}

/** Counts the lists of all sources; `end` ends every open watch. */
class CountingServer {
  readonly #clock: FakeClock;
  readonly #listMs: number;
  #watches: (() => void)[] = [];
  #underWay = 0;
  peak = 0;
  startedAt: number[] = [];
  doneAt: number[] = [];

  constructor(clock: FakeClock, listMs: number) {
    this.#clock = clock;
    this.#listMs = listMs;
  }

  end(): void {
    this.peak = 0;
    this.startedAt = [];
    this.doneAt = [];
    for (const end of this.#watches.splice(0)) end();
  }

  source(): ListWatch<KubernetesObject> {
    return {
      listPage: async ({ signal }) => {
        this.peak = Math.max(this.peak, ++this.#underWay);
        this.startedAt.push(this.#clock.monotonic());
        await sleep(this.#clock, this.#listMs, signal).finally(() => this.#underWay--);
        this.doneAt.push(this.#clock.monotonic());
        return { items: [], resourceVersion: '100', continueToken: undefined };
      },
      watch: async ({ signal }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#watches.push(resolve);
        signal.addEventListener('abort', () => resolve());
        return gone(promise, signal);
      },
    };
  }
}

/** A watch that answers nothing, and then that its history is gone. */
function gone(ended: Promise<void>, signal: AbortSignal): AsyncIterable<never> {
  const next = async (): Promise<never> => {
    await ended;
    signal.throwIfAborted();
    throw new ApiError({ code: 410, reason: 'Expired', message: 'too old' });
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

const SINK: ReflectorSink<KubernetesObject> = {
  known: () => undefined,
  keys: () => [],
  replace: () => {},
  apply: () => {},
  statusChanged: () => {},
  verified: () => {},
};

async function measure(fleet: Fleet, Limiter: typeof ListLimiter): Promise<string> {
  const { processes, sources, listMs } = fleet;
  const clock = new FakeClock();
  const random = seeded();
  const server = new CountingServer(clock, listMs);
  const stop = new AbortController();
  for (let nth = 0; nth < processes; nth++) {
    const limiter = new Limiter({ clock, random });
    for (let source = 0; source < sources; source++) {
      const options = { clock, random, relistIntervalMs: 0, limiter };
      void new Reflector(server.source(), SINK, options).run(stop.signal).catch(() => {});
    }
  }
  const settledMs = 5_000 + sources * listMs;
  await advance(clock, settledMs);
  const endedAt = clock.monotonic();
  server.end();
  await advance(clock, settledMs);
  stop.abort();
  const done = server.doneAt.map((at) => at - endedAt).sort((a, b) => a - b);
  const windows = Map.groupBy(server.startedAt, (at) => Math.floor((at - endedAt) / WINDOW_MS));
  const busiest = Math.max(...[...windows.values()].map(({ length }) => length));
  return [server.peak, busiest, done[done.length >> 1], done.at(-1)].join(' | ');
}

async function advance(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await turn();
    clock.advance(STEP_MS);
    await turn();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The same numbers in each run: a linear congruential generator with the constants of ANSI C. */
function seeded(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

print(
  `| fleet | spread | lists under way at most | begun in ${WINDOW_MS} ms | median ms | last ms |`,
);
print('|---|---|---|---|---|---|');
for (const fleet of FLEETS) {
  const name = `${fleet.processes} × ${fleet.sources} sources, ${fleet.listMs} ms a list`;
  print(`| ${name} | yes | ${await measure(fleet, ListLimiter)} |`);
  print(`| ${name} | no | ${await measure(fleet, PlainLimiter)} |`);
}
process.exit(0);
