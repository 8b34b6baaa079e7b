import {
  AmbassadorError,
  ApiError,
  isApplyConflict,
  isUidMismatch,
  isUndeclaredField,
  ProtocolError,
} from 'chancery';
import type { PatchAction } from './patch-document.ts';

/**
 * True for a failure after which the same document may succeed: a conflict with another write (409
 * `Conflict`), a server that is busy (429) or fails (5xx), and a missing answer.
 *
 * False for a conflict that the document causes itself, by a resourceVersion or by fields of other
 * managers. Only the hook can write a better document.
 */
export function mayPass(error: unknown, action: PatchAction): boolean {
  if (error instanceof AmbassadorError) return error.code !== 'AMBASSADOR_FORBIDDEN';
  if (error instanceof ProtocolError) return true;
  if (!(error instanceof ApiError)) return false;
  const { status, reason } = error;
  if (status === 409) {
    return (
      reason !== 'AlreadyExists' &&
      !isApplyConflict(error) &&
      !isUidMismatch(error) &&
      !namesVersion(action)
    );
  }
  return status === 429 || (status >= 500 && !isUndeclaredField(error));
}

/** True when the document contains the resourceVersion that the object must have. */
function namesVersion(action: PatchAction): boolean {
  switch (action.operation) {
    case 'Apply':
      return action.object.metadata.resourceVersion !== undefined;
    case 'MergePatch': {
      const { metadata } = action.mergePatch as {
        readonly metadata?: { resourceVersion?: unknown };
      };
      return metadata?.resourceVersion !== undefined;
    }
    case 'JSONPatch':
      return action.jsonPatch.some(({ path }) => path === '/metadata/resourceVersion');
    default:
      return false;
  }
}
