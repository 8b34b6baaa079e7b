import { sleep } from 'chancery/internal-objects';
import type { Cluster } from '../../cluster/cluster.ts';
import { runSteps } from '../../cluster/steps.ts';
import { notFound } from '../../failures/object-failures.ts';
import {
  lateCache,
  tooLargeResourceVersion,
  unreadyCache,
} from '../../failures/request-failures.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { ListOptions } from '../../request/list-options.ts';
import { keyOfTarget, requireStored, type Target } from '../target.ts';
import { decodeContinue } from './continue-token.ts';
import { isExact, listObjects, type ObjectList } from './list.ts';

/** The interval in milliseconds at which a waiting request checks whether a cache is filled. */
const READY_POLL_MS = 100;

/**
 * Like `listObjects`, but if the requested resourceVersion is higher than the current one, or the watch cache
 * lags behind, waits for some time, as a real server does.
 *
 * @throws ApiError in the same cases as `listObjects`. Also 429 while the watch cache is being filled, and,
 * with the feature gate `ConsistentListFromCacheSkipTimeoutFallback`, if the cache does not catch up.
 */
export async function listWhenFresh(
  cluster: Cluster,
  served: ServedResource,
  options: ListOptions,
  signal: AbortSignal,
): Promise<ObjectList> {
  const { storage, watchCache, behaviour } = cluster;
  const { storedAs } = served;
  if (!watchCache.caches(storedAs)) return runSteps(listObjects(cluster, served, options));
  if (!isServedByEtcd(cluster, options)) await requireReady(cluster, served, signal);
  const needed = neededRevision(cluster, options);
  const consistent = options.resourceVersion === undefined && options.continue === '';
  if (await reached(cluster, served, needed, signal))
    return runSteps(listObjects(cluster, served, options));
  const known = behaviour.gates.consistentListFromCache ? watchCache.revision : storage.revision;
  if (!consistent) throw tooLargeResourceVersion(needed, known);
  if (behaviour.featureGates.ConsistentListFromCacheSkipTimeoutFallback) {
    throw lateCache(needed, known);
  }
  // If the cache does not catch up, a list of the latest state is read from etcd.
  return runSteps(listObjects(cluster, served, options));
}

/**
 * Reads an object for a GET, which may have a `resourceVersion`. Without one, the object is read from etcd.
 */
export async function getWhenFresh(
  cluster: Cluster,
  target: Target,
  resourceVersion: number | bigint | undefined,
  signal: AbortSignal,
): Promise<StoredObject> {
  const { storage, watchCache } = cluster;
  const { served } = target;
  if (resourceVersion === undefined) return requireStored(cluster, target);
  if (!(await reached(cluster, served, resourceVersion, signal))) {
    throw tooLargeResourceVersion(resourceVersion, watchCache.revision);
  }
  if (!watchCache.lags || !watchCache.caches(served.storedAs))
    return requireStored(cluster, target);
  const then = storage.getAt(served.storedAs, watchCache.revision, keyOfTarget(target));
  if (then === undefined) throw notFound(served, target.name);
  return then;
}

/** @throws ApiError 429 while the resource's watch cache is being filled. */
export async function requireReady(
  { watchCache, behaviour, clock }: Cluster,
  { storedAs }: ServedResource,
  signal: AbortSignal,
): Promise<void> {
  while (!watchCache.isReady(storedAs)) {
    if (behaviour.gates.refusesUnreadyCache) throw unreadyCache();
    await sleep(clock, READY_POLL_MS, signal);
  }
}

/**
 * True for lists that do not need the watch cache: a page without selectors, a further page, and a list of an
 * exact state (pkg/storage/cacher/delegator.go). Before 1.31, a list of the latest state did not need the
 * cache either.
 */
function isServedByEtcd({ behaviour }: Cluster, options: ListOptions): boolean {
  if (options.selection.everything && options.limit > 0) return true;
  if (options.continue !== '' || isExact(options)) return true;
  return options.resourceVersion === undefined && !behaviour.gates.consistentListFromCache;
}

function neededRevision({ storage, behaviour }: Cluster, options: ListOptions): number | bigint {
  if (options.continue !== '') return Math.max(decodeContinue(options.continue).revision, 0);
  if (options.resourceVersion !== undefined) return options.resourceVersion;
  return behaviour.gates.consistentListFromCache ? storage.revision : 0;
}

/** @returns whether the cache reached the revision within the time that a read may wait. */
async function reached(
  { storage, watchCache, behaviour }: Cluster,
  { storedAs }: ServedResource,
  revision: number | bigint,
  signal: AbortSignal,
): Promise<boolean> {
  if (!watchCache.caches(storedAs)) return revision <= storage.revision;
  if (revision === 0) return true;
  return new Promise((resolve, reject) => {
    const cancel = watchCache.whenReached(
      storedAs,
      Number(revision),
      behaviour.futureVersionWaitMs,
      (found) => {
        signal.removeEventListener('abort', onAbort);
        resolve(found);
      },
    );
    function onAbort(): void {
      cancel();
      reject(signal.reason);
    }
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
