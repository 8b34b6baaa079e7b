/** `explore` and `replaySchedule`: what they find, what they say, and that they say the same each time. */
import { ExplorationFailure, explore, replaySchedule } from '@chancery/testing';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { createsOnce, createsTwice } from './operators.ts';

async function failureOf(run: Promise<unknown>): Promise<ExplorationFailure> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ExplorationFailure);
  return error as ExplorationFailure;
}

test('`explore` finds an order in which a stale cache creates a child twice, and prints a short story', async () => {
  const failure = await failureOf(explore(createsTwice));

  expect(failure.invariant).toBe('nothing is created twice');
  expect(failure.deviations).toBe(1);
  expect(failure.story).toMatch(/watch secrets/);
  expect(failure.story.split('\n').length).toBeLessThanOrEqual(12);
});

test('replaying the schedule of a failure fails again with the same events', async () => {
  const failure = await failureOf(explore(createsTwice));

  const again = await failureOf(replaySchedule(createsTwice, failure.schedule));

  expect(again.trace).toBe(failure.trace);
  expect(again.invariant).toBe(failure.invariant);
});

test('replaying the schedule of a failure passes with the corrected operator', async () => {
  const failure = await failureOf(explore(createsTwice));

  await expect(replaySchedule(createsOnce, failure.schedule)).resolves.toBeUndefined();
});

test('the generated test file replays the schedule of the failure', async () => {
  const failure = await failureOf(explore(createsTwice));

  const text = failure.testFile('./scenario.ts');

  expect(text).toContain("import { scenario } from './scenario.ts';");
  expect(text).toContain(`await replaySchedule(scenario, '${failure.schedule}');`);
});

test('an exploration without a failure reports what it covered', async () => {
  const { restarts: _, ...once } = { ...createsOnce, restarts: 1 };

  const exploration = await explore(once, { maxDeviations: 1 });

  expect(exploration).toMatchObject({ endedBy: 'complete', deviations: 1, findings: [] });
  expect(exploration.schedules).toBeGreaterThan(20);
  expect(exploration.cutShort).toBeGreaterThan(0);
  expect(exploration.leftOut).toBeGreaterThan(0);
});

test('an exploration with the same seed is the same each time', async () => {
  const run = async (): Promise<string> =>
    (await failureOf(explore(createsTwice, { seed: 7 }))).trace;
  const first = await run();

  const { numRuns } = propertyRuns(0.1);
  for (let times = 0; times < numRuns; times++) expect(await run()).toBe(first);
});
