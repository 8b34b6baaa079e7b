import type { Log } from '../../controller/reconciler.ts';
import { abortable } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';

/** Between two looks: they cost nothing on a loopback, and what waits is the whole operator. */
const LOOK_EVERY_MS = 250;

/** Sidecars are there in a second, or their image is pulled; after this the sources find out why. */
const PATIENCE_MS = 60_000;

/**
 * Resolves when somebody listens where the ambassador should, or after a minute: then the sources go
 * on trying, and say what is wrong. Two lines at most.
 *
 * @throws `signal.reason` when aborted first.
 */
export async function waitForAmbassador(
  isListening: () => Promise<boolean>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const startedAt = clock.monotonic();
  for (let isFirst = true; !(await abortable(isListening(), signal)); isFirst = false) {
    if (isFirst) log.info({}, 'waiting for the ambassador');
    if (clock.monotonic() - startedAt >= PATIENCE_MS) {
      log.warn({ waitedMs: PATIENCE_MS }, 'no ambassador listens, the sources go on trying');
      return;
    }
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}
