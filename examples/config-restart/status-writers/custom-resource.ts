import { isDeepStrictEqual } from 'node:util';
import { isConflict, isNotFound, type ReconcileContext, type Resource } from 'chancery';
import type { WatcherObject } from '../front-ends/custom-resource.ts';
import type { Memory } from '../memory.ts';
import { type Facts, nextStatus } from '../status.ts';

/**
 * Brings the status of a custom resource up to date. Writes nothing that does not differ, and reads
 * before it writes, because the cache may be behind our last write.
 *
 * A definition without status is tolerated: the state that counts is kept elsewhere.
 */
export async function writeCustomStatus(
  resource: Resource<WatcherObject>,
  facts: Facts,
  { withoutStatus }: Pick<Memory, 'withoutStatus'>,
  { client, clock, log, signal }: Pick<ReconcileContext, 'client' | 'clock' | 'log' | 'signal'>,
): Promise<void> {
  const cached: WatcherObject = facts.watcher.declaredBy;
  const { namespace, name, uid } = cached.metadata;
  if (isUpToDate(cached)) return;
  const live = await client.find(resource, { namespace, name }, { signal });
  if (live === undefined || live.metadata.uid !== uid || isUpToDate(live)) return;
  const body = { metadata: { uid }, status: statusFor(live) };
  try {
    await client.patch(
      resource,
      { namespace, name },
      { type: 'merge', body },
      { subresource: 'status', signal },
    );
  } catch (error) {
    if (isConflict(error)) return; // another object has its name now, and an event of its own
    if (!isNotFound(error)) throw error;
    if (withoutStatus.has(facts.watcher.frontEnd)) return;
    withoutStatus.add(facts.watcher.frontEnd);
    log.info({ resource: facts.watcher.frontEnd }, 'status is not served, so that none is written');
  }

  function statusFor(object: WatcherObject): object {
    return nextStatus(object.status ?? {}, facts, clock.now());
  }

  function isUpToDate(object: WatcherObject): boolean {
    return isDeepStrictEqual(statusFor(object), object.status);
  }
}
