import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';

/** Which state of the collection a list may show. */
export type ListConsistency =
  /** The newest: resourceVersion left out. */
  | { readonly kind: 'latest' }
  /** Whatever the server's cache holds, which may be older than what was seen before. */
  | { readonly kind: 'any' }
  /** Anything not older than this resourceVersion, served from the server's cache. */
  | { readonly kind: 'not-older-than'; readonly resourceVersion: string };

/** What a list or a watch leaves out of its objects. */
interface EntriesRequest {
  /** Objects come without `metadata.managedFields`. Default false. */
  readonly dropManagedFields?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface ListPageRequest<T extends KubernetesObject = KubernetesObject>
  extends EntriesRequest {
  readonly consistency: ListConsistency;
  /** Objects in a page; 0 asks for everything at once. */
  readonly limit: number;
  /** Token of the page before. Then `consistency` is not sent: the token implies it. */
  readonly continueToken?: string;
  /**
   * The entry that is cached under a key. Where the list shows the same state of the object, it is handed
   * on again. Default: every entry is a new one.
   */
  readonly known?: ((key: ObjectKey) => Entry<T> | undefined) | undefined;
}

export interface ListPage<T extends KubernetesObject> {
  /** Complete objects: `apiVersion` and `kind` are filled in where the server left them out. */
  readonly items: readonly Entry<T>[];
  readonly resourceVersion: string;
  /** Undefined on the last page. */
  readonly continueToken: string | undefined;
  /** Bytes of JSON that the items were on the wire. Left out: nobody has counted. */
  readonly itemBytes?: number | undefined;
}

export interface WatchRequest extends EntriesRequest {
  /** Events after this resourceVersion. Never empty and never `0`, but for initial events. */
  readonly resourceVersion: string;
  /**
   * Begin with what exists, as ADDED events up to a bookmark that ends them. It is then not older
   * than `resourceVersion`, and the newest state when that is empty.
   */
  readonly sendInitialEvents?: boolean;
  /** After so long the server ends the watch. */
  readonly timeoutSeconds: number;
  /** Called for every piece of the answer's body, complete lines or not: the line is alive. */
  readonly onActivity?: () => void;
  /** Called for every event that is left out because it is about an object of another kind. */
  readonly onSkipped?: () => void;
}

/** One resource, listable page by page and watchable. What a reflector needs from a client. */
export interface ListWatch<T extends KubernetesObject> {
  /**
   * One page of the list.
   *
   * @throws ApiError, AmbassadorError or ProtocolError; `signal.reason` when aborted. A page whose
   *   resourceVersion is empty or `0`, and one with an item without a uid, is a ProtocolError
   *   `DECODE`.
   */
  listPage(request: ListPageRequest<T>): Promise<ListPage<T>>;
  /**
   * Resolves when the server has accepted the watch (its answer's head arrived), to batches of
   * events in the order of the wire. The iterator ends when the server ends the watch in order,
   * throws what `stream/decode.ts` throws, and an AmbassadorError `CONNECTION_LOST` when the answer
   * breaks off. Leaving the loop, or aborting, closes the connection.
   */
  watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /** How to learn whether the resource is served. Left out: it is listed to find out. */
  readonly discovery?: Discovery | undefined;
}

/**
 * What a client can learn about a resource that a list or a watch did not find: what a reflector
 * needs to wait for it.
 */
export interface Discovery {
  /** Sources of the same client, group and version share their requests; compared by identity. */
  readonly client: object;
  /** `v1`, `example.com/v1`. */
  readonly groupVersion: string;
  readonly plural: string;
  /**
   * The plural names that the server lists under the group and version; none where it does not know
   * them.
   *
   * @throws ApiError, AmbassadorError or ProtocolError; `signal.reason` when aborted.
   */
  served(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * True when the API server itself has said that there is no CustomResourceDefinition of this
   * resource. False for a resource of Kubernetes itself, and whenever that is not certain.
   *
   * @throws `signal.reason` when aborted, and nothing else.
   */
  isDefinitionGone(signal: AbortSignal): Promise<boolean>;
  /** Called when the server has answered a request that this source may not have sent itself. */
  readonly onAnswer?: () => void;
}
