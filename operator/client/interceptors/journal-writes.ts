import type { WriteJournal } from '../../model/write-journal.ts';
import { type Call, type Interceptor, isRead, type RemoveCall, type WriteCall } from '../call.ts';

/**
 * Reports writes to `journal`, before they are sent and when they have succeeded. The following writes are
 * not reported:
 *
 * - a dry run, because it stores nothing;
 * - a subresource other than `status`, because its answer, such as a Scale, is not the object;
 * - an eviction, because the Pod still exists for its grace period.
 */
export function journalWrites(journal: WriteJournal): Interceptor {
  return (next) => async (call) => {
    if (!isJournalled(call)) return next(call);
    const target = 'object' in call ? call.object.metadata : call.target;
    const pending = journal.begin(call.resource, target);
    if (call.verb === 'delete') {
      await next(call);
      pending.deleted(call.options.preconditions?.uid);
      return undefined;
    }
    const answer = await next(call);
    pending.wrote(answer);
    return answer;
  };
}

function isJournalled(
  call: Call,
): call is WriteCall | Extract<RemoveCall, { readonly verb: 'delete' }> {
  if (isRead(call) || call.verb === 'evict' || call.options.dryRun === true) return false;
  if (call.verb === 'delete') return true;
  const { subresource } = call.options;
  return subresource === undefined || subresource === 'status';
}
