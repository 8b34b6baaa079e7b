import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { ReflectorStatus } from '../../watch/reflector-status.ts';
import { type StatusLine, StatusLines } from './status-lines.ts';

interface StatusLogOptions {
  readonly clock: Clock;
  /** Up to where the source has come. */
  readonly resourceVersion: () => string | undefined;
}

/**
 * Writes what a source's status becomes, in at most ten lines in any hour: see `StatusLines`. It must
 * be told of the stop, which ends its timer.
 *
 * @param facts - name the source in every line.
 */
export function statusLog(
  log: Log,
  facts: object,
  { clock, resourceVersion }: StatusLogOptions,
): (status: ReflectorStatus) => void {
  const lines = new StatusLines(clock, ({ status, changes, unsteady }: StatusLine) => {
    const more = { ...(changes > 1 && { changes }), ...(unsteady && { unsteady }) };
    logStatus(log, { ...facts, resourceVersion: resourceVersion(), ...more }, status);
  });
  return (status) => lines.changed(status);
}

/** One line. */
export function logStatus(log: Log, facts: object, status: ReflectorStatus): void {
  const { health, reason, error, retryInMs } = status;
  const why = { ...facts, reason, err: error, retryInMs: Math.round(retryInMs ?? 0) };
  if (health === 'healthy') log.info(facts, 'source is healthy');
  else if (health === 'failing') log.warn(why, 'source is failing, it retries');
  else if (health === 'forbidden') log.error(why, 'source is forbidden, it retries');
  else if (health === 'unserved') log.info(why, 'source is not served, it is looked for');
  else log.debug(facts, health === 'starting' ? 'source starts again' : 'source stopped');
}
