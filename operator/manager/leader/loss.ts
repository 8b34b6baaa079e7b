import { LeadershipLostError, OperatorError } from '../../core/errors.ts';
import type { Deprived } from './renew.ts';
import type { TenureEnd } from './tenure.ts';

/** A timer so late was not merely behind others: the process did not run. */
const STALLED_MS = 1_000;

/**
 * Why a tenure ended by itself.
 *
 * @param failure - what the last renewal failed with; undefined when none did.
 */
export function lossOfTenure(
  end: TenureEnd,
  failure: unknown,
  { renewDeadlineMs }: { readonly renewDeadlineMs: number },
): LeadershipLostError {
  if (end.kind === 'suspended') {
    return new LeadershipLostError('the machine was suspended, another may lead by now', {
      layer: 'process',
      context: { suspendedMs: Math.round(end.forMs) },
    });
  }
  if (end.lateMs > STALLED_MS) {
    return new LeadershipLostError(
      'the process did not run for so long that another may lead by now: its event loop was blocked, or it was stopped',
      { layer: 'process', context: { lateMs: Math.round(end.lateMs) } },
    );
  }
  const layer = failure instanceof OperatorError ? failure.layer : 'ambassador';
  return new LeadershipLostError('the Lease could not be renewed in time', {
    layer,
    cause: failure ?? new Error('the last renewal was not answered'),
    context: { renewDeadlineMs },
  });
}

/** Why a tenure ended by what the Lease says. */
export function lossToAnother({ by, how }: Deprived): LeadershipLostError {
  const message =
    how === 'preferred'
      ? 'the Lease names another process that should lead'
      : by === undefined
        ? 'somebody has taken the holder out of the Lease'
        : 'another process holds the Lease';
  return new LeadershipLostError(message, { context: { holder: by ?? '' } });
}
