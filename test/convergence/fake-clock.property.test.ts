/**
 * Whatever happens between an operator and its objects, in whatever order: once it is over, cache,
 * handlers and reconciles show what the server has. Reflector, cache, queue and runner are real; the
 * server and the clock are not, so that hours pass in milliseconds.
 */

import { settle } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AmbassadorError, ProtocolError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { expired } from '../support/fake-collection.ts';
import { Random } from './random.ts';
import { World, type WorldOptions } from './world.ts';

const MINUTE_MS = 60_000;

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
const name = fc.constantFrom(...NAMES);

const FAILURES = {
  cut: () => new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' }),
  refused: () =>
    new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' }),
  upstream: () => new AmbassadorError('dial', { code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' }),
  filtered: () => new AmbassadorError('no', { code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' }),
  garbage: () => new ProtocolError('not JSON', { code: 'DECODE' }),
  html: () => new ProtocolError('a login page', { code: 'NOT_KUBERNETES' }),
  expired,
  tooMany: () => new ApiError({ code: 429, reason: 'TooManyRequests', message: 'slowly' }),
  unavailable: () => new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'later' }),
  internal: () => new ApiError({ code: 500, reason: 'InternalError', message: 'oh' }),
  forbidden: () => new ApiError({ code: 403, reason: 'Forbidden', message: 'no' }),
  unserved: () => new ApiError({ code: 404, reason: 'NotFound', message: 'no such resource' }),
} as const;
const failure = fc.constantFrom(...(Object.keys(FAILURES) as (keyof typeof FAILURES)[]));

type Act = (world: World) => void | Promise<void>;

/** One step, with what a failing run prints of it. */
interface Step {
  readonly says: string;
  readonly act: Act;
}

function step(says: string, act: Act): Step & { toString(): string } {
  return { says, act, toString: () => says };
}

const write = fc.oneof(
  { weight: 5, arbitrary: name.map((n) => step(`put ${n}`, (w) => void w.collection.put(n))) },
  { weight: 2, arbitrary: name.map((n) => step(`remove ${n}`, (w) => w.collection.remove(n))) },
  {
    weight: 2,
    arbitrary: name.map((n) =>
      step(`recreate ${n}`, ({ collection }) => {
        collection.remove(n);
        collection.put(n);
      }),
    ),
  },
);

const time = fc.oneof(
  fc.constantFrom(1, 20, 300, 2_000).map((ms) => pass(ms)),
  fc.constantFrom(35_000, 100_000, 700_000, 2_400_000).map((ms) => pass(ms)),
  fc.constant(step('settle', settle)),
);

function pass(ms: number): Step {
  return step(`pass ${ms} ms`, (world) => world.clock.advanceAndSettle(ms));
}

const fault = fc.oneof(
  fc.constant(step('end the watch', ({ collection }) => collection.openWatches.at(-1)?.end())),
  failure.map((why) =>
    step(`fail the watch: ${why}`, ({ collection }) =>
      collection.openWatches.at(-1)?.fail(FAILURES[why]()),
    ),
  ),
  failure.map((why) =>
    step(`fail the next open: ${why}`, ({ collection }) => collection.failWatches(FAILURES[why]())),
  ),
  failure.map((why) =>
    step(`fail the next page: ${why}`, ({ collection }) => collection.failLists(FAILURES[why]())),
  ),
  fc.constant(step('compact', ({ collection }) => collection.compact())),
  fc.constant(step('bookmark', ({ collection }) => collection.bookmark())),
  fc
    .integer({ min: 1, max: 4 })
    .map((count) => step(`replay ${count}`, ({ collection }) => collection.replay(count))),
  fc.array(write, { maxLength: 4 }).map((writes) =>
    step(`between pages: ${writes.map(({ says }) => says).join(', ')}`, (world) => {
      world.collection.betweenPages = () => {
        for (const { act } of writes) void act(world);
      };
    }),
  ),
  fc.constant(step('restart the operator', (world) => world.restart())),
  fc
    .tuple(
      fc.constantFrom('expired' as const, 'cut' as const, 'tooMany' as const),
      fc.array(write, { maxLength: 4 }),
    )
    .map(([why, writes]) =>
      step(
        `restart, and fail the second page: ${why}, after ${writes.map(({ says }) => says)}`,
        async (world) => {
          world.collection.betweenPages = () => {
            world.collection.betweenPages = () => {};
            for (const { act } of writes) void act(world);
            world.collection.failLists(FAILURES[why]());
          };
          await world.restart();
        },
      ),
    ),
  fc.nat({ max: 6 }).map((count) =>
    step(`fail ${count} reconciles`, (world) => {
      world.failures = count;
    }),
  ),
  fc.constantFrom(0, 50, 5_000).map((ms) =>
    step(`handlers take ${ms} ms`, (world) => {
      world.slowMs = ms;
    }),
  ),
);

/** What a server does that no watch can show: its own cache, or its disk, has lost something. */
const lie = fc.oneof(
  fc.constant(
    step('lose the next event', ({ collection }) => {
      collection.loseNextEvent = true;
    }),
  ),
  fc
    .subarray([...NAMES])
    .map((names) =>
      step(`restore a backup of ${names}`, ({ collection }) =>
        collection.restore(Math.max(100, Number(collection.revision) - 15), ...names),
      ),
    ),
);

function runs(...faults: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<readonly Step[]> {
  const any = fc.oneof(
    { weight: 6, arbitrary: write },
    { weight: 3, arbitrary: fc.oneof(...faults) },
    { weight: 3, arbitrary: time },
  );
  return fc.array(any, { maxLength: 80, size: 'max' });
}

/** Everything that is wrong after these steps. */
async function play(
  steps: readonly Step[],
  seed: number,
  options: Omit<WorldOptions, 'list'>,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const world = new World(() => random.next(), {
    ...options,
    list: random.pick(['paged', 'stream']),
  });
  for (const name of random.shuffled(NAMES).slice(random.between(0, NAMES.length))) {
    world.collection.put(name);
  }
  for (const { act } of steps) await act(world);
  return [...(await world.quiesce()), ...(await world.end())];
}

test('[T-5] after any faults, restarts and writes the cache converges, even without periodic lists', async () => {
  const options = { relistIntervalMs: 0, quiesceMs: 20 * MINUTE_MS };

  await fc.assert(
    fc.asyncProperty(runs(fault), fc.nat(), async (steps, seed) => {
      expect(await play(steps, seed, options)).toEqual([]);
    }),
  );
});

test('[T-5] [T-2] periodic lists correct the cache even if the server omitted watch events', async () => {
  const options = { relistIntervalMs: 30 * MINUTE_MS, quiesceMs: 90 * MINUTE_MS };

  await fc.assert(
    fc.asyncProperty(runs(fault, lie), fc.nat(), async (steps, seed) => {
      expect(await play(steps, seed, options)).toEqual([]);
    }),
  );
});
