import { OperatorError } from '../../core/errors.ts';
import { AWAIT_CHANGE, type Result } from '../reconciler.ts';

/** A reconciler returned what is no Result: a bug in it, which types would have found. */
export class NonsenseResultError extends OperatorError {
  override readonly name = 'NonsenseResultError';

  constructor(returned: string) {
    super(
      `reconcile returned ${returned}: return AWAIT_CHANGE, or { requeueAfterMs } in milliseconds`,
      {
        code: 'USER_CODE',
        layer: 'user-code',
        context: { returned },
      },
    );
  }
}

/**
 * What a reconciler returned, as a Result; nothing, which JavaScript returns by itself, is AWAIT_CHANGE.
 *
 * @throws NonsenseResultError `USER_CODE` that says what it is instead.
 */
export function checkedResult(returned: unknown): Result {
  if (returned === undefined) return AWAIT_CHANGE;
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    throw new NonsenseResultError(describe(returned));
  }
  const { requeueAfterMs, priority, refusal, ...unknown } = returned as Record<string, unknown>;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new NonsenseResultError(`an object with a field ${name}`);
  if (requeueAfterMs !== undefined && !isDelay(requeueAfterMs)) {
    throw new NonsenseResultError(`requeueAfterMs: ${describe(requeueAfterMs)}`);
  }
  if (refusal !== undefined && !isRefusal(refusal)) {
    throw new NonsenseResultError(
      `refusal: ${describe(refusal)}, which \`retryRefused\` has not made`,
    );
  }
  if (priority !== undefined && !Number.isSafeInteger(priority)) {
    throw new NonsenseResultError(`priority: ${describe(priority)}, which is no whole number`);
  }
  return returned as Result;
}

/** Infinity is a long time: never. */
function isDelay(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function isRefusal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Without what is in it: a reconciler may have returned a Secret. */
function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
