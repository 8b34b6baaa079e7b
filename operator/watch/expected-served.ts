import { linkedAbort } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';

/**
 * How long, and how often, a resource is looked for whose definition was established a moment ago: a
 * server behind a load balancer may learn of it some seconds later (apiextensions-apiserver lets five
 * pass before it says so where there are several).
 */
const EXPECTED = { forMs: 5_000, everyMs: 250 } as const;

interface Expectation {
  untilAt: number;
  /** Each has one wait for a look end at once. */
  readonly hurry: Set<() => void>;
}

/** By the clock, which is one for a process, and by group and version. */
const expectations = new WeakMap<Clock, Map<string, Expectation>>();

/**
 * Whoever waits for a resource of `groupVersion` to be served, in this process, looks at once, and soon
 * again: its definition was seen to be established.
 */
export function expectServed(clock: Clock, groupVersion: string): void {
  const expectation = expectationOf(clock, groupVersion);
  expectation.untilAt = clock.monotonic() + EXPECTED.forMs;
  for (const hurry of [...expectation.hurry]) hurry();
}

/**
 * Resolves when it is time to look whether `groupVersion` is served: after `delayMs`, or earlier when
 * that is expected.
 *
 * @throws `signal.reason` when aborted.
 */
export async function untilLook(
  clock: Clock,
  groupVersion: string,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { hurry, untilAt } = expectationOf(clock, groupVersion);
  const isExpected = clock.monotonic() < untilAt;
  using wait = linkedAbort(signal);
  let isHurried = false;
  const hurried = (): void => {
    isHurried = true;
    wait.abort();
  };
  hurry.add(hurried);
  try {
    await sleep(clock, isExpected ? Math.min(delayMs, EXPECTED.everyMs) : delayMs, wait.signal);
  } catch (error) {
    if (signal.aborted || !isHurried) throw error;
  } finally {
    hurry.delete(hurried);
  }
}

function expectationOf(clock: Clock, groupVersion: string): Expectation {
  const ofClock = expectations.get(clock) ?? new Map<string, Expectation>();
  expectations.set(clock, ofClock);
  const known = ofClock.get(groupVersion) ?? {
    untilAt: Number.NEGATIVE_INFINITY,
    hurry: new Set<() => void>(),
  };
  ofClock.set(groupVersion, known);
  return known;
}
