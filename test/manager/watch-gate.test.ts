/** What an operator says of its gate, on a clock of its own. */
import { FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { GateFinding } from '../../operator/manager/safety/gate-test.ts';
import { watchGate } from '../../operator/manager/safety/watch-gate.ts';
import { recordingLog } from '../support/recording-log.ts';

const EXPIRED: GateFinding = { code: 'GATE_CERTIFICATE', message: 'it has expired' };
const AWAY: GateFinding = { code: 'GATE_UNREACHABLE', message: 'no gate listens' };

/** Watches a gate whose tests find these things, one after another; the last again and again. */
function watched(...results: readonly (readonly GateFinding[])[]) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const { lines, logFor } = recordingLog();
  let tests = 0;
  const test = async () => results[Math.min(tests++, results.length - 1)] ?? [];
  watchGate({ test, clock, log: logFor({}) }, stop.signal).catch(() => {});
  onTestFinished(() => stop.abort());
  return {
    /** Each line, as a finding's message or a text. */
    said: () => lines.map(({ fields, message }) => String(fields.hint ?? message)),
    tests: () => tests,
    pass: async (ms: number) => {
      await settle();
      clock.advance(ms);
      await settle();
    },
  };
}

test('a correct gate is logged once, and tested again after an hour', async () => {
  const { said, tests, pass } = watched([]);

  await pass(3_599_999);
  expect(tests()).toBe(1);
  await pass(1);

  expect(tests()).toBe(2);
  expect(said()).toEqual(['self-test of the gate is done']);
});

test('a problem is logged once, after a second test has confirmed it', async () => {
  const { said, pass } = watched([EXPIRED]);

  await pass(0);
  expect(said()).toEqual([]);
  for (let at = 0; at < 5; at++) await pass(10_000);

  expect(said()).toEqual(['it has expired']);
});

test('a gate that starts a little later than the operator is not reported', async () => {
  const { said, pass } = watched([AWAY], []);

  await pass(10_000);
  await pass(10_000);

  expect(said()).toEqual(['self-test of the gate is done']);
});

test('a problem that returns after it was gone is logged again', async () => {
  const { said, pass } = watched([EXPIRED], [EXPIRED], [], [EXPIRED], [EXPIRED]);

  await pass(10_000);
  await pass(10_000);
  await pass(3_600_000);
  await pass(10_000);

  expect(said()).toEqual(['it has expired', 'self-test of the gate is done', 'it has expired']);
});
