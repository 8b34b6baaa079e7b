/** More replicas than groups. */
import { FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Sharding } from '../../../operator/manager/sharding/sharding.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { LeaseTable } from './lease-table.ts';

const GROUPS = 16;
const REPLICAS = 64;
const PERIOD_MS = 5_000;

test('16 of 64 replicas hold one group each, and each other replica sends at most six requests per lease period', async () => {
  const clock = new FakeClock();
  const table = new LeaseTable(clock);
  const { logFor } = recordingLog();
  const stop = new AbortController();
  const working = new Map<string, Set<number>>();
  const overlaps: string[] = [];
  const replicas = Array.from({ length: REPLICAS }, (_, index) => {
    const member = `replica-${index}`;
    const groups = new Set<number>();
    working.set(member, groups);
    return new Sharding({
      ...{ clock, member, groups: GROUPS, by: 'uid', namespace: 'n', set: 'crowd' },
      client: table.clientOf(member),
      identity: `${member}_1`,
      timing: { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: PERIOD_MS },
      drainMs: 8_000,
      log: logFor({}),
      work: {
        open: async () => {},
        dispatch: (group) => {
          for (const [other, has] of working) {
            if (has.has(group)) overlaps.push(`group ${group}: ${other} and ${member}`);
          }
          groups.add(group);
        },
        drain: async (group) => void groups.delete(group),
        drop: () => {},
      },
    });
  });
  const running = replicas.map((replica) => replica.run(stop.signal));
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'));
    await clock.advanceAndSettle(60_000);
    await Promise.all(running);
  });

  await clock.advanceAndSettle(60_000);
  const held = (): readonly number[] => [...working.values()].map(({ size }) => size);
  const before = table.requests.length;
  const owners = new Map([...working].map(([member, groups]) => [member, [...groups]]));
  const periods = 12;
  await clock.advanceAndSettle(periods * PERIOD_MS);

  expect(held().filter((size) => size === 1)).toHaveLength(GROUPS);
  expect(held().filter((size) => size === 0)).toHaveLength(REPLICAS - GROUPS);
  expect(overlaps).toEqual([]);
  // Nothing moves any more.
  expect(new Map([...working].map(([member, groups]) => [member, [...groups]]))).toEqual(owners);
  const requests = Map.groupBy(table.requests.slice(before), ({ who }) => who);
  const idle = [...working].filter(([, { size }]) => size === 0).map(([member]) => member);
  const most = Math.max(...idle.map((member) => requests.get(member)?.length ?? 0));
  // Its own Lease, the list, and at most two writes and two reads of the Lease that all hold. A round comes a tenth early.
  expect(most).toBeLessThanOrEqual((6 * periods) / 0.9);
});
