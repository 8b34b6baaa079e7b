/**
 * What `explore` finds in operators that are written as people write them. Here within few schedules; the whole, with the time
 * that a user gives it, is `npm run prove -- faults`.
 */
import { describe, expect, test } from 'vitest';
import { ExplorationFailure } from '../../../src/explore/exploration-failure.ts';
import { explore, replaySchedule } from '../../../src/explore/explore.ts';
import type { Scenario } from '../../../src/explore/scenario/scenario.ts';
import { correctedScenario, faultyScenario } from './fault.ts';
import { FAULTS } from './faults.ts';
import { HELD_OUT } from './held-out.ts';

/** Schedules, and no time, are the limit: what is found does not depend on the machine. */
const UNTIL_FOUND = { timeLimitMs: Number.POSITIVE_INFINITY, maxSchedules: 1_000 };
/** Some of the orders with one departure; the command goes through all of them, and further. */
const SOME = { timeLimitMs: Number.POSITIVE_INFINITY, maxSchedules: 15 };

async function failureIn(exploring: Promise<unknown>): Promise<ExplorationFailure> {
  const failure = await exploring.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ExplorationFailure);
  return failure as ExplorationFailure;
}

function findIn(scenario: Scenario): Promise<ExplorationFailure> {
  return failureIn(explore(scenario, UNTIL_FOUND));
}

describe.each(FAULTS)('the known fault: $name', (fault) => {
  test('the known fault does not appear in the usual order of events', async () => {
    const { schedules } = await explore(faultyScenario(fault), { maxDeviations: 0 });

    expect(schedules).toBeGreaterThan(0);
  });

  test('`explore` finds the known fault within few deviations from the usual order', async () => {
    const scenario = faultyScenario(fault);

    const { invariant, deviations, schedule } = await findIn(scenario);

    expect(invariant).toBe(fault.breaks);
    expect(deviations).toBeGreaterThan(0);
    expect(deviations).toBeLessThanOrEqual(fault.deviations);
    const again = await failureIn(replaySchedule(scenario, schedule));
    expect({ invariant: again.invariant, schedule: again.schedule }).toEqual({
      invariant,
      schedule,
    });
  });

  test('`explore` finds nothing once the operator is corrected', async () => {
    const { schedules } = await explore(correctedScenario(fault), SOME);

    expect(schedules).toBeGreaterThan(1);
  });
});

test('every known fault has a unique name and source', () => {
  const all = [...FAULTS, ...HELD_OUT];

  const names = new Set(all.map(({ name }) => name));
  const sources = new Set(all.map(({ source }) => source));

  expect([names.size, sources.size]).toEqual([all.length, all.length]);
});
