import { type Interceptor, isRead } from '../../client/call.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { AcceptedWrite } from '../policies/key-policy.ts';

export interface WriteObserver {
  /** What the caches have under a name. */
  readonly cached: (
    resource: Resource,
    namespace: string | undefined,
    name: string,
  ) => readonly KubernetesObject[];
  /** Called with each write that the API server has accepted. */
  readonly wrote: (write: AcceptedWrite) => void;
}

/**
 * Tells `wrote` of writes and deletes, evictions and dry runs apart. The API server answers a write that
 * changes nothing with the version that was known before: such a write has not `hasChanged`.
 */
export function observeWrites({ cached, wrote }: WriteObserver): Interceptor {
  return (next) => async (call) => {
    if (isRead(call) || call.verb === 'evict' || call.options.dryRun === true) return next(call);
    const { resource } = call;
    const { namespace, name = '' } = 'object' in call ? call.object.metadata : call.target;
    const before = name === '' ? [] : cached(resource, namespace, name);
    if (call.verb === 'delete') {
      await next(call);
      const given = { resource, namespace, name, before, answer: undefined };
      wrote({ ...given, isDelete: true, hasChanged: true });
      return undefined;
    }
    const answer = await next(call);
    const { metadata } = answer;
    const [known] = call.verb === 'create' ? [] : before;
    const isNoOp =
      known !== undefined && known.metadata.resourceVersion === metadata.resourceVersion;
    const { subresource } = call.options;
    const isObject = subresource === undefined || subresource === 'status';
    wrote({
      resource,
      namespace: metadata.namespace,
      name: metadata.name,
      isDelete: false,
      hasChanged: !isNoOp,
      before,
      answer: isObject ? answer : undefined,
    });
    return answer;
  };
}
