import { type ErrorContext, OperatorError, ProtocolError } from '../core/errors.ts';
import {
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  objectKey,
  splitKey,
} from './object.ts';

/** What tells an object, and a state of it, from others. */
export interface EntryIdentity {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The cache that has an entry. */
export interface EntryObserver {
  /** Called when something of the entry's text was parsed, which `release` lets go of. */
  releasable(entry: Entry): void;
  /** The entry's text cannot be parsed. Called once for each entry. */
  unreadable(error: ProtocolError): void;
}

/**
 * One object of a source: its identity, and its JSON, which is parsed when `metadata` or `object` is
 * asked for.
 *
 * What is parsed is shared by all readers of one turn of the event loop, and by all readers of a store.
 * Afterwards it may be parsed again: two reads then give equal objects, not the same one.
 */
export class Entry<T extends KubernetesObject = KubernetesObject> {
  #key: ObjectKey;
  #uid: string;
  readonly #resourceVersion: string;
  /** The JSON of the object; empty when the object is kept in its place. */
  #text: string;
  /** Where in the text the brace stands that closes `metadata`. */
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

  /** An object that was parsed before. With it a test calls an index function, a mapping or a predicate. */
  static of<T extends KubernetesObject>(object: T): Entry<T> {
    const entry = new Entry<T>(identityOf(object), '', 0);
    entry.#object = object;
    return entry;
  }

  /**
   * An object as JSON, of which nothing but its identity was looked at.
   *
   * @param metadataEnd - where in the text the brace stands that closes `metadata`.
   */
  static ofText<T extends KubernetesObject>(
    identity: EntryIdentity,
    text: string,
    metadataEnd: number,
  ): Entry<T> {
    return new Entry<T>(identity, text, metadataEnd);
  }

  /**
   * Stands for an object whose transform failed: `object` throws `failure`. `metadata` is what arrived,
   * without `managedFields`, so that selectors, owners and indices find the object.
   */
  static withheld<T extends KubernetesObject>(object: T, failure: OperatorError): Entry<T> {
    const { apiVersion, kind } = object;
    const { managedFields: _, ...metadata } = object.metadata;
    // Without the metadata, which JSON.stringify may fail on: they are nested too deeply, or the transform
    // has put them in themselves.
    const text = JSON.stringify({ apiVersion, kind, metadata: {} });
    const entry = new Entry<T>(identityOf(object), text, text.length - '}}'.length);
    entry.#object = failure;
    entry.#metadata = metadata;
    return entry;
  }

  /** `namespace/name`, or the name alone of a cluster-scoped object. */
  get key(): ObjectKey {
    return this.#key;
  }

  /** Empty for an object without one. */
  get uid(): string {
    return this.#uid;
  }

  /** Empty for an object without one. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Characters of JSON that are kept; 0 where the object is kept in their place. */
  get textLength(): number {
    return this.#text.length;
  }

  /** The text was found to be no JSON, or the transform has failed. */
  get isUnreadable(): boolean {
    return this.#object instanceof OperatorError;
  }

  /**
   * The object, read-only: others are given the same one.
   *
   * @throws ProtocolError `DECODE` when the text is no JSON, or is another object than its beginning
   *   said. The error has the length of the text, and no content.
   * @throws OperatorError `USER_CODE` when the transform of the object failed.
   */
  get object(): T {
    if (this.#object === undefined) {
      this.#object = this.#parsed();
      this.#metadata = undefined; // from now on they are the object's
      this.#observer?.releasable(this);
    }
    if (this.#object instanceof OperatorError) throw this.#object;
    return this.#object;
  }

  /**
   * The object's whole `metadata`. Of an object that was not parsed nothing else is.
   *
   * @throws ProtocolError as `object` does.
   */
  get metadata(): ObjectMeta {
    if (this.#metadata !== undefined) return this.#metadata;
    if (this.#object !== undefined) return this.object.metadata;
    this.#metadata = this.#decoded(() => this.#head().metadata);
    if (!this.#keepsMetadata) this.#observer?.releasable(this);
    return this.#metadata;
  }

  /** The same, which is kept from now on beside the text: for those who look at it again and again. */
  keepMetadata(): ObjectMeta {
    this.#keepsMetadata = true;
    return this.metadata;
  }

  /**
   * The JSON as it came, with all digits of its numbers, however deeply it is nested; undefined where
   * the object is kept in its place.
   *
   * @throws ProtocolError as `object` does.
   */
  get text(): string | undefined {
    if (this.#object instanceof OperatorError) throw this.#object;
    if (this.#text === '') return undefined;
    if (this.#object === undefined) this.#parsed();
    return this.#text;
  }

  /** The object, which is kept from now on, in place of its text: for those who read it again and again. */
  keep(): T {
    const { object } = this;
    this.#text = '';
    this.#metadata = undefined;
    return object;
  }

  /** Lets go of what was parsed. It is parsed again when it is asked for; see `keep`. */
  release(): void {
    if (this.#text === '' || this.#object instanceof OperatorError) return;
    this.#object = undefined;
    if (!this.#keepsMetadata) this.#metadata = undefined;
  }

  /** What can be told of an object that is unreadable: its names and versions. */
  nameAlone(): Entry<T> {
    const { namespace, name } = splitKey(this.#key);
    const { apiVersion, kind } = this.#formOrEmpty();
    const metadata = {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: this.#uid,
      resourceVersion: this.#resourceVersion,
    };
    return Entry.of({ apiVersion, kind, metadata } as T); // of which nobody is promised more
  }

  /** Tells `observer` from now on what becomes of the text. */
  observedBy(observer: EntryObserver): void {
    this.#observer = observer;
  }

  /** This is the next state of `before`: they share the texts that are the same. */
  follow(before: Entry<T>): void {
    this.#key = before.#key;
    if (this.#uid === before.#uid) this.#uid = before.#uid;
  }

  /** The object up to its metadata. */
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
      // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
      throw this.#failed('an object is not JSON');
    }
  }

  #failed(message: string): ProtocolError {
    const context = { textLength: this.#text.length };
    const failure = new ProtocolError(message, { code: 'DECODE', context });
    this.#object = failure;
    this.#metadata = undefined; // of a text that is no object, nothing is to be believed
    this.#observer?.unreadable(failure);
    return failure;
  }
}

/** @param object - came from outside: `metadata` may be missing, and its members may be anything. */
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

/** One decoded line of a watch. A wire `ERROR` is not among them: it is thrown as an ApiError. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry<T> }
  | {
      readonly type: 'BOOKMARK';
      /** Undefined when a server sent a bookmark without one: then it says nothing. */
      readonly resourceVersion: string | undefined;
      /** True for the bookmark that ends the initial events of a streaming list. */
      readonly initialEventsEnd: boolean;
    };

/** The annotation of the bookmark that ends the initial events of a streaming list. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Decides which parts of an object are kept. It is called once for every object that a list or a watch
 * brings, before the object is compared, cached or shown to a handler. It may change the object in place
 * or return another one, but name, namespace, uid and resourceVersion must stay.
 *
 * If it throws, only that object is affected: see `transformed` in `client/source.ts`.
 * The type of a method, so that a source of Pods is a source.
 */
export type Transform<T extends KubernetesObject = KubernetesObject> = {
  transform(object: T): T;
}['transform'];

/** Drops `metadata.managedFields`, often half of an object, which no cache's reader needs. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * What `transform` makes of an object; where it fails, what stands for the object.
 *
 * @param failed - called with the failure. Default: does nothing.
 */
export function transformedEntry<T extends KubernetesObject>(
  object: T,
  transform: Transform<T>,
  failed: (error: OperatorError) => void = () => {},
): Entry<T> {
  // A transform that changes it in place may have taken members away before it throws.
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
  return Entry.withheld<T>({ apiVersion, kind, metadata } as T, failure); // its object cannot be asked for
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

/** No cause, and no message of it: what a transform throws may quote the object, which may be a Secret. */
function failureAt(metadata: ObjectMeta, message: string, thrown?: unknown): OperatorError {
  const context = { key: keyOf({ metadata }), ...(thrown !== undefined && placeOf(thrown)) };
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}

/** The class of what was thrown, and the first frame of its stack. */
function placeOf(thrown: unknown): ErrorContext {
  if (!(thrown instanceof Error)) return { thrown: typeof thrown };
  const { message, stack = '' } = thrown;
  const begin = stack.indexOf(message);
  // Frames stand behind the message, which may look like one.
  const frames = begin < 0 ? '' : stack.slice(begin + message.length);
  const at = /^ {4}at .{1,300}$/m.exec(frames)?.[0].trim();
  return { thrown: thrown.constructor.name, ...(at !== undefined && { at }) };
}
