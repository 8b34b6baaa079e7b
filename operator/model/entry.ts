import { type ErrorContext, OperatorError, ProtocolError } from '../core/errors.ts';
import { lazyObject } from './lazy-object.ts';
import {
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  objectKey,
  splitKey,
} from './object.ts';

/** Identifies an object and one of its states. */
export interface EntryIdentity {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The cache that holds an entry. */
export interface EntryObserver {
  /**
   * Called when some of the entry's JSON was parsed. The method `release` of the entry frees the parsed data.
   */
  releasable(entry: Entry): void;
  /** Called at most once for each entry, when its JSON cannot be parsed. */
  unreadable(error: ProtocolError): void;
}

/**
 * One object of a source: its identity and its JSON. The JSON is parsed when `metadata` or `object` is
 * read.
 *
 * The parsed object is shared by all readers in one turn of the event loop, and by all readers of a store. It
 * may be parsed again later, so two reads may return two different objects that are equal.
 */
export class Entry<T extends KubernetesObject = KubernetesObject> {
  #key: ObjectKey;
  #uid: string;
  readonly #resourceVersion: string;
  /** The JSON of the object; empty when the parsed object is kept instead. */
  #text: string;
  /** Position in the JSON of the brace that closes `metadata`. */
  readonly #metadataEnd: number;
  #metadata: ObjectMeta | undefined;
  #keepsMetadata = false;
  #object: T | OperatorError | undefined;
  #observer: EntryObserver | undefined;

  private constructor(
    { key, uid, resourceVersion }: EntryIdentity,
    text: string,
    metadataEnd: number,
  ) {
    this.#key = key;
    this.#uid = uid;
    this.#resourceVersion = resourceVersion;
    this.#text = text;
    this.#metadataEnd = metadataEnd;
  }

  /** An entry of an object that is already parsed. */
  static of<T extends KubernetesObject>(object: T): Entry<T> {
    const entry = new Entry<T>(identityOf(object), '', 0);
    entry.#object = object;
    return entry;
  }

  /**
   * An entry for an object as JSON. Only its identity has been read.
   *
   * @param metadataEnd - position in the JSON of the brace that closes `metadata`.
   */
  static ofText<T extends KubernetesObject>(
    identity: EntryIdentity,
    text: string,
    metadataEnd: number,
  ): Entry<T> {
    return new Entry<T>(identity, text, metadataEnd);
  }

  /**
   * An entry for an object whose transform failed: reading `object` throws `failure`. `metadata` is as
   * received, without `managedFields`, so that selectors, owners and indices still find the object.
   */
  static withheld<T extends KubernetesObject>(object: T, failure: OperatorError): Entry<T> {
    const { apiVersion, kind } = object;
    const { managedFields: _, ...metadata } = object.metadata;
    // The metadata are not written as JSON, because JSON.stringify may fail: they may be nested too deeply,
    // or the transform may have changed them so that they contain themselves.
    const text = JSON.stringify({ apiVersion, kind, metadata: {} });
    const entry = new Entry<T>(identityOf(object), text, text.length - '}}'.length);
    entry.#object = failure;
    entry.#metadata = metadata;
    return entry;
  }

  /** `namespace/name`, or only the name if the object is cluster-scoped. */
  get key(): ObjectKey {
    return this.#key;
  }

  /** Empty when the object has no uid. */
  get uid(): string {
    return this.#uid;
  }

  /** Empty when the object has no resourceVersion. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Length of the JSON that is kept; 0 when the parsed object is kept instead. */
  get textLength(): number {
    return this.#text.length;
  }

  /** True when the JSON is invalid, or the transform failed. */
  get isUnreadable(): boolean {
    return this.#object instanceof OperatorError;
  }

  /**
   * The object. It is shared and read-only.
   *
   * @throws ProtocolError `DECODE` when the JSON is invalid, or when the key, uid or resourceVersion of the
   *   parsed object differs from the values that were read from the beginning of the JSON. The error contains
   *   the length of the JSON, and nothing else about it.
   * @throws OperatorError `USER_CODE` when the transform of the object failed.
   */
  get object(): T {
    if (this.#object === undefined) {
      this.#object = this.#parsed();
      this.#metadata = undefined; // from now on, the object contains the metadata
      this.#observer?.releasable(this);
    }
    if (this.#object instanceof OperatorError) throw this.#object;
    return this.#object;
  }

  /**
   * The object that mappings and indices get. It is parsed when one of them reads a field: see `lazyObject`.
   * This method itself throws nothing.
   */
  lazy(): T {
    const object = this.#object;
    return object === undefined || object instanceof OperatorError ? lazyObject(this) : object;
  }

  /**
   * The complete `metadata`. If the object is not parsed yet, only its beginning up to the end of `metadata`
   * is parsed.
   *
   * @throws ProtocolError in the same cases as `object`.
   */
  get metadata(): ObjectMeta {
    if (this.#metadata !== undefined) return this.#metadata;
    if (this.#object !== undefined) return this.object.metadata;
    this.#metadata = this.#decoded(() => this.#head().metadata);
    if (!this.#keepsMetadata) this.#observer?.releasable(this);
    return this.#metadata;
  }

  /**
   * Returns `metadata`, and from now on keeps it in addition to the JSON, for readers that need it
   * repeatedly.
   */
  keepMetadata(): ObjectMeta {
    this.#keepsMetadata = true;
    return this.metadata;
  }

  /**
   * The JSON as received, with all digits of its numbers and at any depth of nesting; undefined when the
   * parsed object is kept instead.
   *
   * @throws ProtocolError in the same cases as `object`.
   */
  get text(): string | undefined {
    if (this.#object instanceof OperatorError) throw this.#object;
    if (this.#text === '') return undefined;
    if (this.#object === undefined) this.#parsed();
    return this.#text;
  }

  /**
   * Returns the object, and from now on keeps it instead of its JSON, for readers that need it repeatedly.
   */
  keep(): T {
    const { object } = this;
    this.#text = '';
    this.#metadata = undefined;
    return object;
  }

  /** Frees the parsed object and metadata. The next read parses them again; see `keep`. */
  release(): void {
    if (this.#text === '' || this.#object instanceof OperatorError) return;
    this.#object = undefined;
    if (!this.#keepsMetadata) this.#metadata = undefined;
  }

  /** An entry with only the identity, apiVersion and kind of this object, which is unreadable. */
  nameAlone(): Entry<T> {
    const { namespace, name } = splitKey(this.#key);
    const { apiVersion, kind } = this.#formOrEmpty();
    const metadata = {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: this.#uid,
      resourceVersion: this.#resourceVersion,
    };
    return Entry.of({ apiVersion, kind, metadata } as T); // the only fields that are known
  }

  /**
   * Sets the observer, which is called when the JSON is parsed or turns out to be unreadable. If the JSON was
   * parsed before, the observer is called at once.
   */
  observedBy(observer: EntryObserver): void {
    this.#observer = observer;
    const isParsed =
      this.#object !== undefined || (this.#metadata !== undefined && !this.#keepsMetadata);
    if (this.#text !== '' && isParsed && !this.isUnreadable) observer.releasable(this);
  }

  /**
   * Uses the key and the uid of `before`, the previous state of this object, if they are equal. Both entries
   * then share the memory of these strings.
   */
  follow(before: Entry<T>): void {
    this.#key = before.#key;
    if (this.#uid === before.#uid) this.#uid = before.#uid;
  }

  /** The beginning of the object, up to and including its metadata. */
  #head(): T {
    return JSON.parse(`${this.#text.slice(0, this.#metadataEnd)}}}`) as T;
  }

  #formOrEmpty(): Pick<KubernetesObject, 'apiVersion' | 'kind'> {
    try {
      const { apiVersion = '', kind = '' } = this.#head();
      return { apiVersion, kind };
    } catch {
      return { apiVersion: '', kind: '' };
    }
  }

  #parsed(): T {
    const object = this.#decoded(() => JSON.parse(this.#text) as T);
    if (!isSame(identityOf(object), this)) {
      throw this.#failed('an object is another than its beginning said');
    }
    return object;
  }

  #decoded<R>(decode: () => R): R {
    try {
      return decode();
    } catch {
      // The error has no cause, because the message of a SyntaxError quotes the JSON, which may be a
      // Secret's.
      throw this.#failed('an object is not JSON');
    }
  }

  #failed(message: string): ProtocolError {
    const context = { textLength: this.#text.length };
    const failure = new ProtocolError(message, { code: 'DECODE', context });
    this.#object = failure;
    this.#metadata = undefined; // metadata from an invalid text is not reliable
    this.#observer?.unreadable(failure);
    return failure;
  }
}

/** @param object - external data: `metadata` may be missing, and its members may have any type. */
function identityOf(object: KubernetesObject): EntryIdentity {
  const metadata: Partial<Record<keyof ObjectMeta, unknown>> = object.metadata ?? {};
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    key: objectKey(textOf(namespace), textOf(name)),
    uid: textOf(uid),
    resourceVersion: textOf(resourceVersion),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isSame(a: EntryIdentity, b: EntryIdentity): boolean {
  return a.resourceVersion === b.resourceVersion && a.uid === b.uid && a.key === b.key;
}

/** One decoded line of a watch. An `ERROR` line is not included, because it is thrown as an ApiError. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry<T> }
  | {
      readonly type: 'BOOKMARK';
      /**
       * Undefined when the server sent a bookmark without a resourceVersion. Such a bookmark has no meaning.
       */
      readonly resourceVersion: string | undefined;
      /** True for the bookmark that ends the initial events of a streaming list. */
      readonly initialEventsEnd: boolean;
    };

/** The annotation of the bookmark that ends the initial events of a streaming list. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Decides what is kept of an object. It is called once for every object that a list or a watch returns,
 * before the object is compared, cached or shown to a handler. It may change the object in place or return
 * another object, but must not change the name, namespace, uid or resourceVersion.
 *
 * If it throws, only that object is affected: see `transformed` in `client/source.ts`. Its type is declared
 * as a method, so that a source of Pods can be used as a source of any object.
 */
export type Transform<T extends KubernetesObject = KubernetesObject> = {
  transform(object: T): T;
}['transform'];

/**
 * Replaces entries before they are cached: the result has one entry for each of `entries`, in the same order
 * and with the same identity.
 *
 * @throws `signal.reason` when aborted.
 */
export type Prepare = (entries: readonly Entry[], signal: AbortSignal) => Promise<readonly Entry[]>;

/** Drops `metadata.managedFields`. It is often half of an object, and no reader of a cache needs it. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * The result of `transform` as an entry. If `transform` fails, the result is a withheld entry of the object.
 *
 * @param failed - called with the failure. Default: does nothing.
 */
export function transformedEntry<T extends KubernetesObject>(
  object: T,
  transform: Transform<T>,
  failed: (error: OperatorError) => void = () => {},
): Entry<T> {
  // The identity is copied first, because a transform may remove members from the object before it throws.
  const { apiVersion, kind } = object;
  const metadata = { ...object.metadata };
  let failure: OperatorError;
  try {
    const result = transform(object);
    if (hasIdentity(result, metadata)) return Entry.of(result);
    failure = failureAt(metadata, 'the transform of a source changed the identity of an object');
  } catch (error) {
    const problem = 'the transform of a source threw, or returned no object';
    failure = failureAt(metadata, problem, error);
  }
  failed(failure);
  return Entry.withheld<T>({ apiVersion, kind, metadata } as T, failure); // reading `object` throws
}

function hasIdentity({ metadata }: KubernetesObject, before: ObjectMeta): boolean {
  const { name, namespace, uid, resourceVersion } = before;
  return (
    metadata.name === name &&
    metadata.namespace === namespace &&
    metadata.uid === uid &&
    metadata.resourceVersion === resourceVersion
  );
}

/**
 * The error contains neither the thrown error as its cause nor the message of the thrown error, because both
 * may quote the object, which may be a Secret.
 */
function failureAt(metadata: ObjectMeta, message: string, thrown?: unknown): OperatorError {
  const context = { key: keyOf({ metadata }), ...(thrown !== undefined && placeOf(thrown)) };
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}

/** The class of the thrown error, and the first frame of its stack. */
function placeOf(thrown: unknown): ErrorContext {
  if (!(thrown instanceof Error)) return { thrown: typeof thrown };
  const { message, stack = '' } = thrown;
  const begin = stack.indexOf(message);
  // In `stack`, the frames follow the message. The message is skipped, because a part of it may look like a
  // frame.
  const frames = begin < 0 ? '' : stack.slice(begin + message.length);
  const at = /^ {4}at .{1,300}$/m.exec(frames)?.[0].trim();
  return { thrown: thrown.constructor.name, ...(at !== undefined && { at }) };
}
