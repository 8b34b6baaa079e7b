import { expect, test } from 'vitest';
import { frozenLeader } from '../leadership/frozen-leader.ts';

test('LE-9 LE-11 D-5 a leader frozen past its lease writes nothing when it wakes, and ends with 3', async () => {
  const report = await frozenLeader(0.5);

  expect(report.writesBefore).toBeGreaterThan(50);
  expect(report.writesMeanwhile).toBeGreaterThan(20);
  expect(report.writesAfter).toEqual([]);
  expect(report.exit).toBe(3);
  expect(report.loss).toMatchObject({ code: 'LEADERSHIP_LOST', layer: 'process' });
});
