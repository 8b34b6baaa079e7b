import type { Cluster } from '../../cluster/cluster.ts';
import { allConvertedFromStored } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { badRequest } from '../../failures/failure.ts';
import { expired, tooLargeResourceVersion } from '../../failures/request-failures.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored, type ServedResource } from '../../registry/served-resource.ts';
import type { ListOptions } from '../../request/list-options.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts';

/** One page of a list. */
export interface ObjectList {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  /** The continue token of the next page; empty on the last page. */
  readonly continue: string;
  /** The number of objects after this page. Known only for a list without label and field selectors. */
  readonly remainingItemCount: number | undefined;
  /** The ranges of hashes that were applied. */
  readonly shardSelector: string | undefined;
}

/**
 * Lists the objects that the options select, in the served version. Does not wait for a resourceVersion or
 * the watch cache, unlike `listWhenFresh`.
 *
 * @throws ApiError 410 when the requested revision is compacted, 504 when it is in the future.
 */
export function* listObjects(
  cluster: Cluster,
  served: ServedResource,
  options: ListOptions,
): Steps<ObjectList> {
  const { revision, objects, limited } = stateOf(cluster, served, options);
  const { selection } = options;
  const below = selection.namespace === undefined ? '' : `${selection.namespace}/`;
  const limit = limited ? options.limit : 0;
  const items: StoredObject[] = [];
  let seen = 0;
  const { everything, shards } = selection;
  const most = limit > 0 && everything && shards === undefined ? limit : objects.length;
  for (const stored of yield* allConvertedFromStored(served, objects.slice(0, most))) {
    seen++;
    const object = fromStored(served, stored);
    if (selection.matches(object)) items.push(object);
    if (limit > 0 && items.length === limit) break;
  }
  // As on a real server, there is a further page if any objects are left, even if the selectors match none of
  // them.
  const last = items.at(-1);
  const more = objects.length > seen && last !== undefined;
  const isCached = cluster.watchCache.caches(served.storedAs);
  return {
    items,
    resourceVersion: String(revision),
    continue: more ? encodeContinue(revision, pathOf(last).slice(below.length)) : '',
    remainingItemCount:
      more && everything ? remaining(objects.length, seen, limit, isCached) : undefined,
    shardSelector: shards?.text,
  };
}

/**
 * The maximum number of objects that the server requests from etcd at once (`maxLimit` in
 * pkg/storage/etcd3/store.go).
 */
const ETCD_PART = 10_000;

/**
 * The number of objects that the server reports as remaining after a page: the objects from the position
 * where it began to read, minus the limit. Without a shard selector this number is correct. With a shard
 * selector it is too large, because the page also skipped objects of other shards. From etcd the server reads
 * in chunks, each twice as large as the previous chunk, and counts from the beginning of the last chunk.
 */
function remaining(total: number, seen: number, limit: number, isCached: boolean): number {
  let from = 0;
  for (let part = limit; !isCached && from + part < seen; part = Math.min(part * 2, ETCD_PART)) {
    from += part;
  }
  return total - from - limit;
}

function pathOf({ metadata }: StoredObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

/** The state whose objects a page lists. */
interface State {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  readonly limited: boolean;
}

function stateOf(cluster: Cluster, served: ServedResource, options: ListOptions): State {
  if (options.continue !== '') return continued(cluster, served, options);
  const { resourceVersion } = options;
  if (resourceVersion === undefined) return latest(cluster, served, options);
  if (typeof resourceVersion === 'bigint') {
    throw tooLargeResourceVersion(resourceVersion, cluster.storage.revision);
  }
  if (!isExact(options)) return fromCache(cluster, served, options, resourceVersion);
  const objects = stateAt(cluster, served, options, resourceVersion);
  if (objects === undefined) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  return { revision: resourceVersion, objects, limited: true };
}

/**
 * True for a list of the state at exactly one resourceVersion. If the request has a limit and no
 * `resourceVersionMatch`, the state must be exact too.
 */
export function isExact({ resourceVersion = 0, match, limit }: ListOptions): boolean {
  return match === 'Exact' || (match === '' && limit > 0 && resourceVersion > 0);
}

function latest({ storage }: Cluster, served: ServedResource, options: ListOptions): State {
  const objects = storage.list(served.storedAs, options.selection.namespace);
  return { revision: storage.revision, objects, limited: true };
}

/** The state in the watch cache. It may be old, but not older than the revision `atLeast`. */
function fromCache(
  cluster: Cluster,
  served: ServedResource,
  options: ListOptions,
  atLeast: number,
): State {
  const { storage, watchCache } = cluster;
  const { storedAs } = served;
  if (!watchCache.caches(storedAs)) {
    if (atLeast > storage.revision) throw tooLargeResourceVersion(atLeast, storage.revision);
    return latest(cluster, served, options);
  }
  if (atLeast > watchCache.revision) throw tooLargeResourceVersion(atLeast, watchCache.revision);
  const revision = Math.max(watchCache.revisionOf(storedAs), atLeast);
  const objects = watchCache.lags
    ? storage.listAt(storedAs, revision, options.selection.namespace)
    : undefined;
  return {
    revision,
    objects: objects ?? storage.list(storedAs, options.selection.namespace),
    // The cache ignores the limit of a request that accepts any state.
    limited: atLeast > 0 || options.match !== '',
  };
}

function stateAt(
  { storage }: Cluster,
  served: ServedResource,
  { selection }: ListOptions,
  revision: number,
): readonly StoredObject[] | undefined {
  if (revision > storage.revision) throw tooLargeResourceVersion(revision, storage.revision);
  return storage.listAt(served.storedAs, revision, selection.namespace);
}

const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function continued(cluster: Cluster, served: ServedResource, options: ListOptions): State {
  const token = decodeContinue(options.continue);
  if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (token.revision < 0 || cluster.behaviour.pages === 'moving') {
    const state = latest(cluster, served, options);
    return { ...state, objects: after(token, state.objects, options) };
  }
  const objects = stateAt(cluster, served, options, token.revision);
  if (objects === undefined) throw expired(CONTINUE_TOO_OLD, encodeContinue(-1, token.last));
  return { revision: token.revision, objects: after(token, objects, options), limited: true };
}

/** The sorted objects, beginning with the first object that can be on the page. */
function after(
  { start }: ContinueToken,
  objects: readonly StoredObject[],
  { selection }: ListOptions,
): readonly StoredObject[] {
  const first = selection.namespace === undefined ? start : `${selection.namespace}/${start}`;
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const object = objects[middle];
    if (object !== undefined && pathOf(object) < first) low = middle + 1;
    else high = middle;
  }
  return objects.slice(low);
}
