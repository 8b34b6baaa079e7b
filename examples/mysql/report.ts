import {
  AlreadyOwnedError,
  ApiError,
  type Condition,
  findCondition,
  messageOf,
  READY,
  type ReconcileContext,
  type Result,
} from 'chancery';

/** What the condition `Ready` says, and whether that is worth an Event. */
export interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly event?: 'Normal' | 'Warning';
}

/** Somebody else has the name. Nothing tells when that changes. */
export const LOOK_AGAIN: Result = { requeueAfterMs: 300_000 };

/** Records an Event when the condition says something else than it did. */
export function announce(
  { event }: Pick<ReconcileContext, 'event'>,
  conditions: readonly Condition[] | undefined,
  { event: type, status, reason, message }: Verdict,
): void {
  const before = findCondition(conditions, READY);
  const isSame = before?.status === status && before.reason === reason;
  if (type !== undefined && !(isSame && before.message === message)) event(type, reason, message);
}

/** An object of that name is not ours. */
export class NotOwnedError extends Error {
  override readonly name = 'NotOwnedError';
}

/**
 * What trying again would not change: the name is somebody else's, or the API server finds the spec
 * unusable. Undefined for any other failure, which is to be thrown on.
 */
export function refusalOf(error: unknown): Verdict | undefined {
  const refused = { status: 'False', message: messageOf(error), event: 'Warning' } as const;
  if (error instanceof AlreadyOwnedError || error instanceof NotOwnedError) {
    return { ...refused, reason: 'NotOwned' };
  }
  const isInvalid = error instanceof ApiError && error.status === 422;
  return isInvalid ? { ...refused, reason: 'Invalid' } : undefined;
}
