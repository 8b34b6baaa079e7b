import { type Clock, systemClock } from '../core/clock.ts';
import { OperatorError, ProtocolError } from '../core/errors.ts';
import { customResourceDefinitions } from '../model/builtin.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import {
  dropManagedFields,
  type Prepare,
  type Transform,
  transformedEntry,
} from '../model/entry.ts';
import { isNotFound, isUnserved } from '../model/not-found.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import {
  apiVersionOf,
  isBuiltInGroup,
  objectPath,
  type Resource,
  resourceName,
} from '../model/resource.ts';
import { ApiError } from '../model/status.ts';
import { type DecodeOptions, decodeEvents } from '../stream/decode.ts';
import type { Transport } from '../transport/transport.ts';
import type {
  Discovery,
  ListPage,
  ListPageRequest,
  ListWatch,
  WatchRequest,
} from '../watch/list-watch.ts';
import { readAnswer, requireSuccess } from './answer.ts';
import { fetchResources } from './discovery-documents.ts';
import { formOf, METADATA_FORM } from './list-answer.ts';
import { readList } from './list-reader.ts';
import { pathOfCollection, type QueryParameters, withQuery } from './rest-request.ts';

/** The objects of a resource that are listed and watched. */
export interface Scope {
  /** Default: all namespaces, or the resource is cluster-scoped. */
  readonly namespace?: string | undefined;
  /** A label selector, not URL-encoded. */
  readonly labelSelector?: string | undefined;
  /** A field selector, not URL-encoded. */
  readonly fieldSelector?: string | undefined;
  /**
   * Ranges of hashes for the query parameter `shardSelector`, not URL-encoded. A server without the feature
   * `ShardedListAndWatch` ignores it and sends every object. Default: all objects.
   */
  readonly shardSelector?: string | undefined;
  /**
   * If true, the server sends only `metadata`, as `PartialObjectMetadata` of `meta.k8s.io/v1`, so that there
   * is less to send, decode and keep. The returned objects have the `apiVersion` and `kind` of the resource,
   * because an owner reference needs them. Default false.
   */
  readonly metadataOnly?: boolean | undefined;
}

/** Options of `listWatch`. */
export interface ListWatchOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Called for every watch event that is omitted because its object is of another kind. */
  readonly onSkipped?: DecodeOptions['onSkipped'];
}

/**
 * A resource that can be listed page by page and watched through `transport`. See `ListWatch` for its
 * guarantees. Sends nothing before it is used, and retries nothing.
 *
 * @throws ConfigurationError `CONFIG` when `scope` does not fit the resource.
 */
export function listWatch<T extends KubernetesObject>(
  transport: Transport,
  resource: Resource<T>,
  scope: Scope = {},
  { clock = systemClock, onSkipped }: ListWatchOptions = {},
): ListWatch<T> {
  const { namespace, metadataOnly = false, ...selectors } = scope;
  const path = pathOfCollection(resource, namespace);
  const asked = { method: 'GET', path } as const;
  const own = formOf(resource);

  return {
    discovery: resourceDiscovery(transport, resource, clock),

    async listPage(request: ListPageRequest<T>): Promise<ListPage<T>> {
      const response = await transport.send({
        ...asked,
        path: withQuery(path, { ...selectors, ...request.selectors, ...pageParameters(request) }),
        headers: { accept: metadataOnly ? ACCEPT_METADATA_LIST : 'application/json' },
        purpose: 'call',
        signal: request.signal,
      });
      const { known, dropManagedFields } = request;
      const reading = { asked, resource, known, dropManagedFields };
      const page = await readList(response, clock, {
        ...reading,
        ...(metadataOnly && { expected: METADATA_FORM }),
      });
      requireResourceVersion(page.resourceVersion, resource);
      for (const { uid } of page.items) requireUid(uid, resource);
      return page;
    },

    async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
      if (request.sendInitialEvents !== true) {
        requireResourceVersion(request.resourceVersion, resource);
      }
      const response = await transport.send({
        ...asked,
        path: withQuery(path, { ...selectors, ...request.selectors, ...watchParameters(request) }),
        headers: { accept: metadataOnly ? ACCEPT_METADATA : 'application/json' },
        purpose: 'watch',
        signal: request.signal,
      });
      await requireSuccess(response, clock, asked);
      return decodeEvents<T>(response.body, {
        expected: metadataOnly ? METADATA_FORM : own,
        ...(metadataOnly && { form: own }),
        dropManagedFields: request.dropManagedFields,
        onChunk: () => request.onActivity?.(),
        onSkipped: (found) => {
          request.onSkipped?.();
          onSkipped?.(found);
        },
      });
    },
  };
}

const ACCEPT_METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const ACCEPT_METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Only the first page has a `resourceVersion`, because the server refuses it together with a token. */
function pageParameters({ consistency, limit, continueToken }: ListPageRequest): QueryParameters {
  const paging = { limit: limit === 0 ? undefined : limit, continue: continueToken };
  if (continueToken !== undefined || consistency.kind === 'latest') return paging;
  return {
    ...paging,
    resourceVersion: consistency.kind === 'any' ? '0' : consistency.resourceVersion,
    resourceVersionMatch: 'NotOlderThan',
  };
}

function watchParameters({
  resourceVersion,
  sendInitialEvents = false,
  timeoutSeconds,
}: WatchRequest): QueryParameters {
  return {
    watch: 1,
    resourceVersion,
    sendInitialEvents,
    resourceVersionMatch: sendInitialEvents ? 'NotOlderThan' : undefined,
    allowWatchBookmarks: true,
    timeoutSeconds,
  };
}

function requireResourceVersion(resourceVersion: string, resource: Resource): void {
  if (resourceVersion !== '' && resourceVersion !== '0') return;
  throw new ProtocolError('a resourceVersion that a watch cannot start from', {
    code: 'DECODE',
    context: { resource: resourceName(resource), got: resourceVersion },
  });
}

/** Without a uid, an object that was deleted and created again would look like a changed object. */
function requireUid(uid: string, resource: Resource): void {
  if (uid !== '') return;
  throw new ProtocolError('an item of a list has no uid', {
    code: 'DECODE',
    context: { resource: resourceName(resource) },
  });
}

/** Receives the result of each transform. Its methods must not throw. */
export interface TransformObserver {
  /** The transform of an object failed. The error contains the key of the object, and no other data of it. */
  failed(key: ObjectKey, error: OperatorError): void;
  /** Called when the transform of an object has succeeded, or the object is gone. */
  settled(key: ObjectKey): void;
}

const UNOBSERVED: TransformObserver = { failed: () => {}, settled: () => {} };

/**
 * `source` with all of its objects transformed.
 *
 * If the transform throws, returns no object, or changes the object's name, namespace, uid or
 * resourceVersion, the object is withheld (see `Entry.withheld`). The cache keeps its metadata, and reading
 * the object, or a list that includes it, throws an OperatorError `USER_CODE`. The object never looks as if
 * it were deleted. Other objects are not affected, and no new list is made. The next state of the object is
 * transformed again, and so is the object in the next list.
 */
export function transformed<T extends KubernetesObject>(
  source: ListWatch<T>,
  transform: Transform<T>,
  observer: TransformObserver = UNOBSERVED,
): ListWatch<T> {
  // This transform does not need to be called: the source itself drops managedFields before it makes entries.
  if ((transform as unknown) === dropManagedFields) return withoutManagedFields(source);
  const one = (entry: Entry<T>): Entry<T> => observed(entry, transform, observer);
  const event = (received: WatchEvent<T>): WatchEvent<T> => {
    if (received.type === 'BOOKMARK') return received;
    const entry = one(received.entry);
    if (received.type === 'DELETED') observer.settled(entry.key);
    return { ...received, entry };
  };
  return {
    discovery: source.discovery,
    async listPage({ known: _, ...request }: ListPageRequest<T>): Promise<ListPage<T>> {
      const page = await source.listPage(request);
      return { ...page, items: page.items.map(one) };
    },
    async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
      return mapBatches(await source.watch(request), event);
    },
  };
}

function withoutManagedFields<T extends KubernetesObject>(source: ListWatch<T>): ListWatch<T> {
  return {
    discovery: source.discovery,
    listPage: (request) => source.listPage({ ...request, dropManagedFields: true }),
    watch: (request) => source.watch({ ...request, dropManagedFields: true }),
  };
}

/**
 * @throws ProtocolError `DECODE` for invalid JSON. The list or watch then fails, as it does for a bad line.
 */
function observed<T extends KubernetesObject>(
  entry: Entry<T>,
  transform: Transform<T>,
  observer: TransformObserver,
): Entry<T> {
  let failed = false;
  const result = transformedEntry(entry.object, transform, (error) => {
    failed = true;
    observer.failed(entry.key, error);
  });
  if (!failed) observer.settled(entry.key);
  return result;
}

/**
 * This is a plain iterator of promises, because a generator would delay each batch by several turns. If
 * `change` throws, the events before the failed event are delivered first.
 */
function mapBatches<E>(
  batches: AsyncIterable<readonly E[]>,
  change: (event: E) => E,
): AsyncIterable<readonly E[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      let failure: { readonly error: unknown } | undefined;
      return {
        async next() {
          if (failure !== undefined) throw failure.error;
          const { done, value } = await iterator.next();
          if (done === true) return { done, value };
          const changed: E[] = [];
          try {
            for (const event of value) changed.push(change(event));
          } catch (error) {
            if (changed.length === 0) throw error;
            failure = { error };
          }
          return { done: false, value: changed };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/**
 * `source` with all of its objects prepared, see `Prepare`. Reading pauses while objects are being prepared.
 *
 * @throws OperatorError `USER_CODE`, from the lists and watches, when `prepare` throws an error that is not
 *   an OperatorError, or returns other objects than it received.
 */
export function prepared<T extends KubernetesObject>(
  source: ListWatch<T>,
  prepare: Prepare,
): ListWatch<T> {
  return {
    discovery: source.discovery,
    async listPage({ known: _, ...request }: ListPageRequest<T>): Promise<ListPage<T>> {
      const page = await source.listPage(request);
      return { ...page, items: await preparedEntries(page.items, prepare, request.signal) };
    },
    async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
      return preparedEvents(await source.watch(request), prepare, request.signal);
    },
  };
}

/** A generator is acceptable here although it delays batches, because `prepare` has to be awaited anyway. */
async function* preparedEvents<T extends KubernetesObject>(
  batches: AsyncIterable<readonly WatchEvent<T>[]>,
  prepare: Prepare,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  for await (const batch of batches) {
    const entries = batch.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.entry]));
    const done = (await preparedEntries(entries, prepare, signal)).values();
    yield batch.map((event) => {
      if (event.type === 'BOOKMARK') return event;
      return { ...event, entry: done.next().value ?? event.entry };
    });
  }
}

async function preparedEntries<T extends KubernetesObject>(
  entries: readonly Entry<T>[],
  prepare: Prepare,
  signal: AbortSignal,
): Promise<readonly Entry<T>[]> {
  if (entries.length === 0) return entries;
  let done: readonly Entry[];
  try {
    done = await prepare(entries as readonly unknown[] as readonly Entry[], signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof OperatorError
      ? error
      : unprepared('prepare of a source failed', { cause: error });
  }
  const isSame = entries.every(({ key, uid, resourceVersion }, index) => {
    const other = done[index];
    return other?.key === key && other.uid === uid && other.resourceVersion === resourceVersion;
  });
  if (isSame && done.length === entries.length) {
    return done as readonly unknown[] as readonly Entry<T>[];
  }
  throw unprepared('prepare of a source answered other objects than it got');
}

function unprepared(message: string, options: ErrorOptions = {}): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', ...options });
}

/** Checks through `transport` if a resource is served, and if its definition exists. */
export function resourceDiscovery(
  transport: Transport,
  resource: Resource,
  clock: Clock,
): Discovery {
  return {
    client: transport,
    groupVersion: apiVersionOf(resource),
    plural: resource.plural,

    async served(signal: AbortSignal): Promise<readonly string[]> {
      try {
        const resources = await fetchResources({ transport, clock, signal }, resource);
        return resources.map(({ plural }) => plural);
      } catch (error) {
        if (isUnserved(error)) return [];
        throw error;
      }
    },

    async isDefinitionGone(signal: AbortSignal): Promise<boolean> {
      if (isBuiltInGroup(resource)) return false;
      const name = resourceName(resource);
      try {
        const asked = {
          method: 'GET',
          path: objectPath(customResourceDefinitions, { name }),
        } as const;
        const response = await transport.send({
          ...asked,
          headers: { accept: 'application/json' },
          purpose: 'call',
          signal,
        });
        await readAnswer(response, clock, { asked });
        return false;
      } catch (error) {
        signal.throwIfAborted();
        return isAbsenceOf(name, error);
      }
    },
  };
}

/** True for a 404 whose Status contains the name of the definition. Any other 404 proves nothing. */
function isAbsenceOf(name: string, error: unknown): boolean {
  return error instanceof ApiError && isNotFound(error) && error.details.name === name;
}
