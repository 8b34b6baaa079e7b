import type { Log } from '../../controller/reconciler.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import type { GateFinding } from './gate-test.ts';

export interface WatchGateOptions {
  /** Runs one test of the gate. */
  readonly test: (signal: AbortSignal) => Promise<readonly GateFinding[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Milliseconds between two tests while something is wrong: containers of a Pod start and restart within
 * seconds.
 */
const AGAIN_MS = 10_000;

/** Milliseconds between two tests while nothing is wrong. A certificate is valid for days. */
const RELAXED_MS = 3_600_000;

/**
 * Tests the gate until `signal` aborts, and logs its findings. A finding is logged when two tests in a row
 * have it, and logged again only after it has disappeared. Rejects only when aborted.
 */
export async function watchGate(
  { test, clock, log }: WatchGateOptions,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string>();
  const reported = new Set<string>();
  for (let isFirst = true; ; isFirst = false) {
    const findings = await test(signal);
    const messages = new Set(findings.map(({ message }) => message));
    for (const { code, message } of findings) {
      if (!seen.has(message) || reported.has(message)) continue;
      reported.add(message);
      log.error({ code, hint: message }, 'the gate of the webhooks is not configured safely');
    }
    if (findings.length === 0 && (isFirst || seen.size > 0)) {
      log.info({}, 'self-test of the gate is done');
    }
    for (const known of [seen, reported]) {
      for (const message of known) if (!messages.has(message)) known.delete(message);
    }
    for (const message of messages) seen.add(message);
    await sleep(clock, findings.length === 0 ? RELAXED_MS : AGAIN_MS, signal);
  }
}
