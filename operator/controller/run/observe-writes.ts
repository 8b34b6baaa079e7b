import {
  type Call,
  type Interceptor,
  isRead,
  type Next,
  type ReadCall,
  type WriteCall,
} from '../../client/call.ts';
import type { KubernetesObject, Target } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { AcceptedWrite, WrittenObject } from '../policies/key-gate.ts';

/** The call that made a write. */
export type WrittenCall = Exclude<Call, ReadCall>;

export interface WriteObserver {
  /** Returns the cached objects with the given name. */
  readonly cached: (
    resource: Resource,
    namespace: string | undefined,
    name: string,
  ) => readonly KubernetesObject[];
  /** See `KeyGate.asksForLive`. Default: never. */
  readonly asksForLive?: (target: WrittenObject) => boolean;
  /** Called with each write that the API server has accepted. */
  readonly wrote: (write: AcceptedWrite, call: WrittenCall) => void;
}

/**
 * An interceptor that reports writes and deletes to `wrote`, except evictions and dry runs. If a write
 * changes nothing, the API server answers with the known version, and the write is reported with `hasChanged:
 * false`.
 */
export function observeWrites({ asksForLive, cached, wrote }: WriteObserver): Interceptor {
  return (next) => async (call) => {
    if (isRead(call) || call.verb === 'evict' || call.options.dryRun === true) return next(call);
    const { resource } = call;
    const { namespace, name = '' } = 'object' in call ? call.object.metadata : call.target;
    const before = name === '' ? [] : cached(resource, namespace, name);
    const isAsked = asksForLive?.({ resource, namespace, name }) === true;
    const live = isAsked ? await liveObject(next, call, { namespace, name }) : undefined;
    if (call.verb === 'delete') {
      await next(call);
      const removed = { resource, namespace, name, before, answer: undefined, live };
      wrote({ ...removed, isDelete: true, hasChanged: true }, call);
      return undefined;
    }
    const answer = await next(call);
    const { metadata } = answer;
    const [known] = call.verb === 'create' ? [] : before;
    const isNoOp =
      known !== undefined && known.metadata.resourceVersion === metadata.resourceVersion;
    const { subresource } = call.options;
    const isObject = subresource === undefined || subresource === 'status';
    const write = {
      resource,
      namespace: metadata.namespace,
      name: metadata.name,
      isDelete: false,
      hasChanged: !isNoOp,
      before,
      answer: isObject ? answer : undefined,
      stated: statedBy(call),
      fieldManager: call.options.fieldManager,
      live,
    };
    wrote(write, call);
    return answer;
  };
}

function statedBy(call: WriteCall): object | undefined {
  if (call.verb !== 'patch') return call.object;
  return call.patch.type === 'json' ? undefined : call.patch.body;
}

/**
 * The live object with its managedFields, which caches drop. Undefined if it cannot be read; the write is
 * made nevertheless.
 */
async function liveObject(
  next: Next,
  { resource, options: { signal } }: WrittenCall,
  target: Target,
): Promise<KubernetesObject | undefined> {
  try {
    return await next({ verb: 'find', resource, target, options: { ...(signal && { signal }) } });
  } catch {
    return undefined;
  }
}
