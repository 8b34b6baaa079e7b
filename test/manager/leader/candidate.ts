import type { FakeClock } from '@chancery/testing';
import { RecordingMeter } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import {
  LeaderElector,
  type LeaderElectorOptions,
} from '../../../operator/manager/leader/leader-elector.ts';
import { type LogLine, recordingLog } from '../../support/recording-log.ts';
import type { FakeLeaseStore } from './fake-lease-store.ts';

export interface Candidate {
  readonly elector: LeaderElector;
  readonly lines: readonly LogLine[];
  readonly meter: RecordingMeter;
  /** The leaders that it was told of. */
  readonly leaders: readonly string[];
  /** Aborts what it does when the test ends, or before. */
  readonly stop: AbortController;
}

/** A process that stands for leadership of the store's Lease, with no jitter and the usual times. */
export function candidate(
  identity: string,
  store: FakeLeaseStore,
  clock: FakeClock,
  options: Partial<LeaderElectorOptions> = {},
): Candidate {
  const { lines, logFor } = recordingLog();
  const meter = new RecordingMeter();
  const leaders: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const elector = new LeaderElector({
    client: store.clientOf(identity),
    clock,
    identity,
    lease: { namespace: 'demo', name: 'operator' },
    log: logFor({}),
    meter,
    random: () => 0,
    onNewLeader: (leader) => leaders.push(leader),
    ...options,
  });
  return { elector, lines, meter, leaders, stop };
}

/** What a promise has come to so far: `pending`, `resolved`, or what it was rejected with. */
export function watched(promise: Promise<unknown>): { outcome: unknown } {
  const state: { outcome: unknown } = { outcome: 'pending' };
  promise.then(
    () => {
      state.outcome = 'resolved';
    },
    (error: unknown) => {
      state.outcome = error;
    },
  );
  return state;
}

/** A candidate that leads, at the clock's present time. */
export async function leader(
  identity: string,
  store: FakeLeaseStore,
  clock: FakeClock,
  options: Partial<LeaderElectorOptions> = {},
): Promise<Candidate> {
  const elected = candidate(identity, store, clock, options);
  await elected.elector.acquire(elected.stop.signal);
  return elected;
}
