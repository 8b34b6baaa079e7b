/** When the runner tries again after the API server has refused a write. */
import { expect, test } from 'vitest';
import { retryRefused } from '../../operator/controller/errors.ts';
import type { Outcome } from '../../operator/controller/reconciler.ts';
import { ApiError } from '../../operator/model/status.ts';
import { start, things } from './started-runner.ts';

const MINUTE_MS = 60_000;

const INVALID = new ApiError({
  code: 422,
  reason: 'Invalid',
  message: 'Thing "a" is invalid: spec.size: Invalid value: -1',
  details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.size' }] },
});
const DENIED = "ValidatingAdmissionPolicy 'size' with binding 'all' denied request: too small";
const POLICY = new ApiError({
  code: 422,
  reason: 'Invalid',
  message: `things "a" is forbidden: ${DENIED}`,
  details: { causes: [{ message: DENIED }] },
});

/** What a reconciler does with a refusal. */
const WAYS: Readonly<Record<string, (error: unknown) => Outcome>> = {
  'let through': (error) => {
    throw error;
  },
  'told of': retryRefused,
};

/** A thing that is refused with `error`; the minutes between attempts, by numbers of `random`. */
function refuse(error: ApiError, way: (error: unknown) => Outcome, random: () => number) {
  const at: number[] = [];
  const world = { isRefused: true };
  const started = start({
    queue: { backoff: { random } },
    resyncPeriodMs: 0,
    reconcile: async () => {
      at.push(started.clock.monotonic());
      return world.isRefused ? way(error) : undefined;
    },
  });
  started.collection(things).put('a');
  const waitsMs = () => at.slice(1).map((time, index) => time - (at[index] ?? 0));
  return { ...started, at, waitsMs, world };
}

/** Lets `ms` pass in steps, so that each attempt is made at its time. */
async function pass({ clock }: ReturnType<typeof refuse>, ms: number): Promise<void> {
  const until = clock.monotonic() + ms;
  while (clock.monotonic() < until) {
    await clock.advanceAndSettle(Math.min(clock.nextInMs ?? ms, until - clock.monotonic()));
  }
}

test.each(
  Object.entries(WAYS).flatMap(([way, handle]) =>
    [0, 0.5, 0.999].map((random) => ({ way, handle, random })),
  ),
)('[real R-1] [K-49] if the error for an invalid child is $way, it is retried every 60 min ± 10 % (random $random)', async ({
  handle,
  random,
}) => {
  const refused = refuse(INVALID, handle, () => random);
  await refused.run();

  await pass(refused, 3 * 66 * MINUTE_MS);

  const expectedMs = 60 * MINUTE_MS * (0.9 + 0.2 * random);
  expect(refused.at.length).toBeGreaterThanOrEqual(4);
  for (const waitMs of refused.waitsMs()) expect(waitMs).toBeCloseTo(expectedMs, -1);
});

test.each(
  Object.entries(WAYS),
)('[real R-1] [K-49] if the error of a policy is %s, the child is retried with a back-off up to 10 minutes', async (_, handle) => {
  let turn = 0;
  const refused = refuse(POLICY, handle, () => (turn++ % 10) / 10);
  await refused.run();

  await pass(refused, 180 * MINUTE_MS);

  const waitsMs = refused.waitsMs();
  expect(waitsMs[0]).toBeLessThan(10);
  expect(waitsMs.length).toBeLessThan(40);
  expect(Math.max(...waitsMs)).toBeLessThanOrEqual(10 * MINUTE_MS);
  expect(waitsMs.at(-1)).toBeGreaterThan(9 * MINUTE_MS);
});

test('[real R-1] [K-49] a refusal that retryRefused handles is no failure, and a change is reconciled at once', async () => {
  const refused = refuse(INVALID, retryRefused, () => 0.5);
  await refused.run();
  const before = refused.at.length;

  refused.world.isRefused = false;
  refused.collection(things).put('a');
  await refused.clock.advanceAndSettle(1_000);

  expect(refused.at.length).toBeGreaterThan(before);
  expect(refused.lines.filter(({ message }) => message.includes('failed'))).toEqual([]);
  expect(['requeue', 'error', 'success'].map(refused.total)).toEqual([1, 0, 1]);
});

test('[real R-1] [K-49] a retry notices that the refusal has ended, and attempts count from 0 again', async () => {
  const attempts: number[] = [];
  let isRefused = true;
  const started = start({
    reconcile: async (_object, { attempt }) => {
      attempts.push(attempt);
      return isRefused ? retryRefused(POLICY) : { requeueAfterMs: 60 * MINUTE_MS };
    },
  });
  started.collection(things).put('a');
  await started.run();

  await started.clock.advanceAndSettle(1_000);
  isRefused = false;
  await started.clock.advanceAndSettle(11 * MINUTE_MS);
  const atEnd = attempts.length;
  await started.clock.advanceAndSettle(60 * MINUTE_MS);

  expect(atEnd).toBeGreaterThan(2);
  expect(attempts.slice(atEnd)).toEqual([0]);
});

test('[real R-1] [K-49] the shorter of requeueAfterMs and the delay after a refusal is used', async () => {
  const refused = refuse(
    INVALID,
    (error) => ({ ...retryRefused(error), requeueAfterMs: 7 * MINUTE_MS }),
    () => 0.5,
  );
  await refused.run();

  await pass(refused, 22 * MINUTE_MS);

  expect(refused.waitsMs()).toEqual([7, 7, 7].map((minutes) => minutes * MINUTE_MS));
});

test('[real R-1] [K-49] returning a `refusal` that retryRefused did not create is a failure', async () => {
  const { clock, collection, lines, run } = start({
    reconcile: async () => ({ refusal: 'no' }) as unknown as Outcome,
  });
  collection(things).put('a');
  await run();

  await clock.advanceAndSettle(1);

  expect(lines.map(({ message }) => message)).toContain('reconcile failed because of a bug');
});
