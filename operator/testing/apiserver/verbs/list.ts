import type { Cluster } from '../cluster.ts';
import type { StoredObject } from '../cluster-access.ts';
import { badRequest, expired, tooLargeResourceVersion } from '../failures.ts';
import { fromStored, type ServedResource } from '../registry/served-resource.ts';
import type { ListOptions } from '../request/list-options.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';

/** One page of a list. */
export interface ObjectList {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continue: string;
  /** Known only where nothing is selected. */
  readonly remainingItemCount: number | undefined;
}

/**
 * The objects that the options ask for, as the served version shows them.
 *
 * @throws ApiError 410 where the state asked for is forgotten, 504 where it is in the future.
 */
export function listObjects(
  cluster: Cluster,
  served: ServedResource,
  options: ListOptions,
): ObjectList {
  const start = startOf(cluster, served, options);
  const { selection } = options;
  const named = selection.namespace === undefined ? '' : `${selection.namespace}/`;
  const found: StoredObject[] = [];
  for (const stored of start.objects) {
    if (start.after !== undefined && pathOf(stored).slice(named.length) < start.after) continue;
    const object = fromStored(served, stored);
    if (selection.matches(object)) found.push(object);
  }
  const limit = start.limited ? options.limit : 0;
  const items = limit > 0 ? found.slice(0, limit) : found;
  const last = items.at(-1);
  const more = items.length < found.length && last !== undefined;
  return {
    items,
    resourceVersion: String(start.revision),
    continue: more ? encodeContinue(start.revision, pathOf(last).slice(named.length)) : '',
    remainingItemCount: more && selection.everything ? found.length - items.length : undefined,
  };
}

function pathOf({ metadata }: StoredObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}

interface Start {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** The smallest path that belongs to the page. */
  readonly after?: string;
  readonly limited: boolean;
}

function startOf({ storage }: Cluster, served: ServedResource, options: ListOptions): Start {
  const { namespace } = options.selection;
  const now = (): Start => ({
    revision: storage.revision,
    objects: storage.list(served.storedAs, namespace),
    limited: true,
  });
  if (options.continue !== '') return continued(storage, served, options, now);
  const { resourceVersion, match, limit } = options;
  if (resourceVersion === undefined) return now();
  if (resourceVersion > storage.revision) {
    throw tooLargeResourceVersion(resourceVersion, storage.revision);
  }
  // From the cache of a real server, which ignores a limit there.
  if (resourceVersion === 0) return { ...now(), limited: match !== '' };
  const exact = match === 'Exact' || (match === '' && limit > 0);
  if (!exact) return now();
  const objects = storage.listAt(served.storedAs, resourceVersion, namespace);
  if (objects === undefined) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  return { revision: resourceVersion, objects, limited: true };
}

const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function continued(
  storage: Cluster['storage'],
  served: ServedResource,
  options: ListOptions,
  now: () => Start,
): Start {
  if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const token = decodeContinue(options.continue);
  if (token.revision < 0) return { ...now(), after: token.start };
  const objects = storage.listAt(served.storedAs, token.revision, options.selection.namespace);
  if (objects === undefined) throw expired(CONTINUE_TOO_OLD, encodeContinue(-1, token.last));
  return { revision: token.revision, objects, after: token.start, limited: true };
}
