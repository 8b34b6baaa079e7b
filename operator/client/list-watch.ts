import { type Clock, systemClock } from '../core/clock.ts';
import { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { type DecodeOptions, decodeEvents } from '../stream/decode.ts';
import type { Transport } from '../transport/transport.ts';
import type { ListPage, ListPageRequest, ListWatch, WatchRequest } from '../watch/list-watch.ts';
import { requireSuccess } from './answer.ts';
import { formOf, METADATA_FORM } from './list-answer.ts';
import { readList } from './list-reader.ts';
import { withQuery } from './query.ts';
import { resourceDiscovery } from './resource-discovery.ts';
import { pathOfCollection } from './scope.ts';

/** The part of a resource to list and watch. */
export interface Scope {
  /** Left out: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string | undefined;
  /** Text form, not yet URL-encoded. */
  readonly labelSelector?: string | undefined;
  /** Text form, not yet URL-encoded. */
  readonly fieldSelector?: string | undefined;
  /**
   * Only `metadata` is sent, as `PartialObjectMetadata` of `meta.k8s.io/v1`: less to send, to decode
   * and to keep. What is handed on carries the resource's own `apiVersion` and `kind`, as an owner
   * reference to it needs them. Default false.
   */
  readonly metadataOnly?: boolean | undefined;
}

/** How a source reads watches. */
export interface ListWatchOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Called for every watch event about objects of another kind, which is left out. */
  readonly onSkipped?: DecodeOptions['onSkipped'];
}

/**
 * A resource, listable page by page and watchable through `transport`. See `ListWatch` for what it
 * promises; nothing is sent before it is used, and nothing is retried.
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
        path: withQuery(path, { ...selectors, ...pageParameters(request) }),
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
      const { resourceVersion, sendInitialEvents = false, timeoutSeconds, signal } = request;
      if (!sendInitialEvents) requireResourceVersion(resourceVersion, resource);
      const response = await transport.send({
        ...asked,
        path: withQuery(path, {
          ...selectors,
          watch: 1,
          resourceVersion,
          sendInitialEvents,
          resourceVersionMatch: sendInitialEvents ? 'NotOlderThan' : undefined,
          allowWatchBookmarks: true,
          timeoutSeconds,
        }),
        headers: { accept: metadataOnly ? ACCEPT_METADATA : 'application/json' },
        purpose: 'watch',
        signal,
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

/** A page after the first takes no resourceVersion: the server refuses it beside a token. */
function pageParameters({
  consistency,
  limit,
  continueToken,
}: ListPageRequest): Record<string, string | number | undefined> {
  const paging = { limit: limit === 0 ? undefined : limit, continue: continueToken };
  if (continueToken !== undefined || consistency.kind === 'latest') return paging;
  return {
    ...paging,
    resourceVersion: consistency.kind === 'any' ? '0' : consistency.resourceVersion,
    resourceVersionMatch: 'NotOlderThan',
  };
}

function requireResourceVersion(resourceVersion: string, resource: Resource): void {
  if (resourceVersion !== '' && resourceVersion !== '0') return;
  throw new ProtocolError('a resourceVersion that a watch cannot start from', {
    code: 'DECODE',
    context: { resource: resourceName(resource), got: resourceVersion },
  });
}

/** Without a uid, an object that was deleted and made anew could not be told from a changed one. */
function requireUid(uid: string, resource: Resource): void {
  if (uid !== '') return;
  throw new ProtocolError('an item of a list has no uid', {
    code: 'DECODE',
    context: { resource: resourceName(resource) },
  });
}
