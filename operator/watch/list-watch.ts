import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';

/** How old the state of the collection in a list may be. */
export type ListConsistency =
  /** The newest state: no resourceVersion is sent. */
  | { readonly kind: 'latest' }
  /** The state of the server's cache, which may be older than a state that the client received before. */
  | { readonly kind: 'any' }
  /** A state of the server's cache that is not older than this resourceVersion. */
  | { readonly kind: 'not-older-than'; readonly resourceVersion: string };

/** Selectors for one request, which replace the selectors of the source. */
export interface RequestSelectors {
  readonly labelSelector?: string | undefined;
  readonly shardSelector?: string | undefined;
}

/** Options that make a list or a watch omit objects, or fields of objects. */
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
  /** Objects per page; 0 for everything at once. */
  readonly limit: number;
  /**
   * The token from the previous page. If set, `consistency` is not sent, because the token already determines
   * the state.
   */
  readonly continueToken?: string;
  /**
   * Returns the cached entry for a key. If the server's list contains the same state of the object, the
   * resulting page contains the cached entry itself. Default: every entry is new.
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
   * The `shardSelector` that the server has applied, according to its answer. Undefined if the server does
   * not report it. kube-apiserver 1.36 reports it only in lists of whole built-in objects. It also applies
   * the selector to custom resources and lists of metadata, but does not report that.
   */
  readonly shardSelector?: string | undefined;
  /** Size of the items in bytes, as JSON in the answer. Undefined when it was not measured. */
  readonly itemBytes?: number | undefined;
}

export interface WatchRequest extends EntriesRequest {
  /**
   * The watch delivers events after this resourceVersion. Never empty and never `0`, except with initial
   * events.
   */
  readonly resourceVersion: string;
  /**
   * If true, the watch begins with ADDED events for the existing objects, followed by a bookmark. The state
   * of these objects is not older than `resourceVersion`. If `resourceVersion` is empty, it is the newest
   * state.
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds: number;
  /**
   * Called for every chunk of the answer's body, even if the chunk does not complete a line, because each
   * chunk proves that the connection is alive.
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
   * events in the order in which the server sent them. The iterator ends when the server ends the watch
   * normally. It throws the errors of `stream/decode.ts`, and an AmbassadorError `CONNECTION_LOST` when the
   * answer breaks off. If the reader leaves its loop, or `signal` aborts, the connection is closed.
   */
  watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /** Finds out whether the resource is served. If omitted, a list is requested to find out. */
  readonly discovery?: Discovery | undefined;
}

/**
 * Requests by which a client finds out whether a resource is served, after a list or a watch was answered
 * with a 404. A reflector uses them to wait for the resource.
 */
export interface Discovery {
  /**
   * The client that sends the requests. Sources with the same client object, group and version share their
   * requests.
   */
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
  /** Called when the server has answered a request, even one that another source sent. */
  readonly onAnswer?: () => void;
}
