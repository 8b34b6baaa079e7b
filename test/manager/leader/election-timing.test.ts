import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../operator/core/errors.ts';
import {
  electionTiming,
  leaderIdentity,
} from '../../../operator/manager/leader/election-timing.ts';

test('[LE-2] the election timing is 15, 10 and 2 s by default', () => {
  expect(electionTiming({})).toEqual({
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  });
});

test.each([
  ['a lease that is not longer than the renew deadline', { leaseDurationMs: 10_000 }],
  ['a lease that ends less than a second after the renew deadline', { renewDeadlineMs: 14_001 }],
  ['a renew deadline that leaves no time for a second attempt', { renewDeadlineMs: 2_400 }],
  ['a retry period below a second', { retryPeriodMs: 999 }],
  ['a lease with a fraction of a second', { leaseDurationMs: 15_500 }],
  ['a lease that is too long for its field', { leaseDurationMs: 2 ** 31 * 1_000 }],
  ['a time that is not a number', { renewDeadlineMs: Number.NaN }],
  ['an infinite time', { retryPeriodMs: Number.POSITIVE_INFINITY }],
])('[LE-2] the election timing refuses %s', (_what, timing) => {
  expect(() => electionTiming(timing)).toThrow(ConfigurationError);
});

test('[LE-2] the election timing accepts its shortest values', () => {
  const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 1_000 };

  expect(electionTiming(timing)).toEqual(timing);
});

test('[LE-3] the identities of two processes on one host differ, and begin with the name of the host', () => {
  const first = leaderIdentity('node-a');
  const second = leaderIdentity('node-a');

  expect(first).not.toBe(second);
  expect(first).toMatch(/^node-a_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
