import { type Interceptor, isRead } from '../../client/call.ts';
import type { Target } from '../../client/client.ts';
import { objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';

/** Names one object of the cluster, to compare the objects of writes with those of changes. */
export function objectName(resource: Resource, { namespace, name }: Target): string {
  return `${resourceName(resource)} ${objectKey(namespace, name)}`;
}

export interface WriteObserver {
  /** The version of an object that is known before it is written; undefined when none is. */
  readonly known: (resource: Resource, target: Target) => string | undefined;
  /** The server accepted a write that changed `object`, see `objectName`. */
  readonly wrote: (object: string) => void;
}

/**
 * Tells `wrote` of writes and deletes that changed something. The API server answers a write that changes
 * nothing with the version that was known before: such a write is left out, as is a dry run.
 */
export function observeWrites({ known, wrote }: WriteObserver): Interceptor {
  return (next) => async (call) => {
    if (isRead(call) || call.verb === 'evict') return next(call);
    if (call.verb === 'delete') {
      await next(call);
      if (call.options.dryRun !== true) wrote(objectName(call.resource, call.target));
      return undefined;
    }
    const target = 'object' in call ? call.object.metadata : call.target;
    const before = call.verb === 'create' ? undefined : known(call.resource, target);
    const answer = await next(call);
    const isNoOp = before !== undefined && before === answer.metadata.resourceVersion;
    if (call.options.dryRun !== true && !isNoOp) wrote(objectName(call.resource, answer.metadata));
    return answer;
  };
}
