import {
  AlreadyOwnedError,
  type DesiredStatus,
  isInvalid,
  type KubernetesObject,
  messageOf,
  type Outcome,
  READY,
  type ReconcileContext,
  retryRefused,
} from 'chancery';

/** What the condition `Ready` says, and of which type the Event is that tells of it, if any. */
export interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly event?: 'Normal' | 'Warning';
  /** When to try again what was refused. Default: after a change. */
  readonly next?: Outcome;
}

/** What a person has to do something about. */
export function refused(reason: string, message: string): Verdict {
  return { status: 'False', reason, message, event: 'Warning' };
}

/** An object of that name is not ours. */
export class NotOwnedError extends Error {
  override readonly name = 'NotOwnedError';
}

/**
 * What `work` comes to. A name that is somebody else's and a write that the API server refuses are
 * verdicts, too. Any other failure is thrown on, to be tried again.
 */
export async function verdictOf<V extends Verdict>(work: Promise<V>): Promise<V | Verdict> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AlreadyOwnedError || error instanceof NotOwnedError) {
      return refused('NotOwned', messageOf(error));
    }
    const next = retryRefused(error);
    return { ...refused(isInvalid(error) ? 'Invalid' : 'Refused', messageOf(error)), next };
  }
}

/** States the status, and tells of it by an Event when that has changed. */
export async function report<T extends KubernetesObject>(
  { event: type, status, reason, message }: Verdict,
  rest: DesiredStatus<T>,
  { event, setStatus }: Pick<ReconcileContext<T>, 'event' | 'setStatus'>,
): Promise<void> {
  const conditions = [{ type: READY, status, reason, message }];
  const isNews = await setStatus({ ...rest, conditions });
  if (isNews && type !== undefined) event(type, reason, message);
}
