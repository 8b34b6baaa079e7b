import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';

/** The state of the collection that a list may show. */
export type ListConsistency =
  /** The newest state: no resourceVersion is sent. */
  | { readonly kind: 'latest' }
  /** The state of the server's cache, which may be older than a state that was seen before. */
  | { readonly kind: 'any' }
  /** A state of the server's cache that is not older than this resourceVersion. */
  | { readonly kind: 'not-older-than'; readonly resourceVersion: string };

/** Selectors for one request, instead of those of the source. */
export interface RequestSelectors {
  readonly labelSelector?: string | undefined;
  readonly shardSelector?: string | undefined;
}

/** What a list or a watch omits: whole objects, or fields of objects. */
interface EntriesRequest {
  /** Default: the selectors of the source. */
  readonly selectors?: RequestSelectors | undefined;
  /** If true, objects come without `metadata.managedFields`. Default false. */
  readonly dropManagedFields?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface ListPageRequest<T extends KubernetesObject = KubernetesObject>
  extends EntriesRequest {
  readonly consistency: ListConsistency;
  /** Objects per page; 0 asks for everything at once. */
  readonly limit: number;
  /** Token from the previous page. If set, `consistency` is not sent, because the token implies it. */
  readonly continueToken?: string;
  /**
   * Returns the cached entry for a key. If the list shows the same state of the object, the list contains
   * this entry itself. Default: every entry is new.
   */
  readonly known?: ((key: ObjectKey) => Entry<T> | undefined) | undefined;
}

export interface ListPage<T extends KubernetesObject> {
  /** Complete objects: `apiVersion` and `kind` are filled in where the server omitted them. */
  readonly items: readonly Entry<T>[];
  readonly resourceVersion: string;
  /** Undefined on the last page. */
  readonly continueToken: string | undefined;
  /**
   * The `shardSelector` that the server reports as applied. Undefined if the server does not report it.
   * kube-apiserver 1.36 reports it only in lists of whole built-in objects. It also applies the selector to
   * custom resources and lists of metadata, but does not report that.
   */
  readonly shardSelector?: string | undefined;
  /** Size of the items as JSON on the wire, in bytes. Undefined when it was not measured. */
  readonly itemBytes?: number | undefined;
}

export interface WatchRequest extends EntriesRequest {
  /**
   * The watch delivers events after this resourceVersion. Never empty and never `0`, except with initial
   * events.
   */
  readonly resourceVersion: string;
  /**
   * True: the watch begins with the existing objects, as ADDED events, followed by a bookmark. Their state is
   * not older than `resourceVersion`; if that is empty, it is the newest state.
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number;
  /**
   * Called for every chunk of the answer's body, even if it does not complete a line, because it shows that
   * the connection is alive.
   */
  readonly onActivity?: () => void;
  /** Called for every event that is omitted because its object is of another kind. */
  readonly onSkipped?: () => void;
}

/** One resource that can be listed page by page and watched: the interface that a reflector needs. */
export interface ListWatch<T extends KubernetesObject> {
  /**
   * One page of the list.
   *
   * @throws ApiError, AmbassadorError or ProtocolError; `signal.reason` when aborted. If the resourceVersion
   *   of the page is empty or `0`, or an item has no uid, this is a ProtocolError `DECODE`.
   */
  listPage(request: ListPageRequest<T>): Promise<ListPage<T>>;
  /**
   * Resolves when the server has accepted the watch (the headers of its answer have arrived), with batches of
   * events in wire order. The iterator ends when the server ends the watch normally. It throws the errors of
   * `stream/decode.ts`, and an AmbassadorError `CONNECTION_LOST` when the answer breaks off. Leaving the
   * loop, or aborting, closes the connection.
   */
  watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /** Finds out if the resource is served. If omitted, the resource is listed to find out. */
  readonly discovery?: Discovery | undefined;
}

/**
 * What a client can find out about a resource that a list or a watch did not find. A reflector uses this to
 * wait for the resource.
 */
export interface Discovery {
  /** Sources of the same client, group and version share their requests. Compared by identity. */
  readonly client: object;
  /** For example `v1` or `example.com/v1`. */
  readonly groupVersion: string;
  readonly plural: string;
  /**
   * The plural names that the server lists under the group and version. Empty when the server does
   * not know them.
   *
   * @throws ApiError, AmbassadorError or ProtocolError; `signal.reason` when aborted.
   */
  served(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * True when the API server itself has said that this resource has no CustomResourceDefinition.
   * False for a built-in resource of Kubernetes, and whenever the answer is not certain.
   *
   * @throws `signal.reason` when aborted, and nothing else.
   */
  isDefinitionGone(signal: AbortSignal): Promise<boolean>;
  /** Called when the server has answered a request, which another source may have sent. */
  readonly onAnswer?: () => void;
}
