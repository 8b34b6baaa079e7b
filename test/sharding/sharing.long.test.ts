/** Replicas that share the work, as processes: what `npm run prove -- sharding` does for longer. */
import { expect, test, vi } from 'vitest';
import { Random } from '../convergence/random.ts';
import { frozenSharer } from './frozen-sharer.ts';
import { storm } from './storm.ts';

/** Processes take seconds to start where others use the machine, and leases seconds to expire. */
vi.setConfig({ testTimeout: 240_000 });

test('[sharding 5] if replicas are killed, frozen and cut off, no object has two writers, and no change is missed', async () => {
  const report = await storm({
    replicas: 4,
    objects: 150,
    groups: 8,
    seconds: 40,
    everySeconds: 5,
    random: new Random(5),
  });

  const { ended, missed, overlaps, stepsBack, strangers } = report;
  expect({ ended, missed, overlaps, stepsBack, strangers }).toEqual({
    ended: [],
    missed: [],
    overlaps: [],
    stepsBack: [],
    strangers: [],
  });
  // Two replicas are left alone at any time, so that two faults come at once, and others when these have healed.
  expect(Object.values(report.faults).reduce((sum, count) => sum + count)).toBeGreaterThan(1);
  expect(report.handOvers).toBeGreaterThan(0);
  expect(report.writes).toBeGreaterThan(150);
});

test('[sharding 6] a replica that was frozen for two lease durations writes nothing when it wakes, until it has a group again', async () => {
  const report = await frozenSharer();

  expect(report.writesBefore).toBeGreaterThan(20);
  expect(report.writesMeanwhile).toBeGreaterThan(20);
  expect(report.writesAfter).toEqual([]);
  expect(report.writesAgain).toBeGreaterThan(20);
  expect(report).toMatchObject({ overlaps: [], strangers: [], stepsBack: [] });
});
