import type { Clock } from '../core/clock.ts';
import type { Discovery } from './discovery.ts';
import { lookFor } from './shared-look.ts';

interface UntilServedOptions {
  readonly clock: Clock;
  /** The time to the next look, if it is this source that starts it. */
  readonly delayMs: () => number;
  /** Whether it matters now that the definition is gone. */
  readonly clears: () => boolean;
  /** The definition is gone. */
  readonly gone: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Resolves when it is time to list a resource that was not served: when discovery lists it, or cannot
 * tell.
 *
 * @throws `signal.reason` when aborted first.
 */
export async function untilServed(
  discovery: Discovery,
  { clock, delayMs, clears, gone, signal }: UntilServedOptions,
): Promise<void> {
  for (;;) {
    const confirmsGone = clears();
    const finding = await lookFor(discovery, { clock, delayMs: delayMs(), confirmsGone, signal });
    if (finding === 'served' || finding === 'unknown') return;
    if (finding === 'gone') await gone();
  }
}
