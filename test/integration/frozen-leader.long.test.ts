/** A leader that is frozen for longer than its lease, as a process. In a file of its own: a minute is long. */
import { expect, test, vi } from 'vitest';
import { frozenLeader } from '../leadership/frozen-leader.ts';
import { frozenStandby } from '../leadership/frozen-standby.ts';

/** Processes take seconds to start where others use the machine, and leases seconds to expire. */
vi.setConfig({ testTimeout: 120_000 });

/** The writers leave the cores to other tests. */
const CALM = { environment: { WRITER_PAUSE_MS: '40' } };

test('[LE-9] [LE-11] [D-5] a leader that was frozen past the end of its lease writes nothing when it wakes, and exits with 3', async () => {
  const report = await frozenLeader(0.5, CALM);

  expect(report.writesBefore).toBeGreaterThan(20);
  expect(report.writesMeanwhile).toBeGreaterThan(20);
  expect(report.writesAfter).toEqual([]);
  expect(report.exit).toBe(3);
  expect(report.loss).toMatchObject({ code: 'LEADERSHIP_LOST', layer: 'process' });
});

test('[real R-4] [LE-12] with the standby setting, a leader that was frozen past its lease writes nothing, leads again, and exits with 0', async () => {
  const report = await frozenStandby('writing', 0.5, CALM);

  expect(report.writesBefore).toBeGreaterThan(20);
  expect(report.writesMeanwhile).toBeGreaterThan(20);
  expect(report.writesAfter).toEqual([]);
  expect(report.ledAgain).toBe(true);
  expect(report.exit).toBe(0);
  expect(report.loss).toMatchObject({ code: 'LEADERSHIP_LOST', layer: 'process' });
});
