import { OperatorError, ProtocolError } from '../core/errors.ts';
import type { KubernetesObject, ObjectMeta } from './object.ts';
import { type Predecessor, readAfter } from './read-after.ts';

/** What tells one object, and one state of it, from another. */
interface HeldIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The JSON of an object, in two parts: most changes leave members of the second as they were. */
export interface HeldText {
  /** From the object's opening brace to the last member of `metadata`. */
  readonly head: string;
  /** The rest, from the brace that closes `metadata`. */
  readonly tail: string;
}

/** Who keeps an object in a cache. */
export interface HeldObjectKeeper {
  /** Something to be done with the object before anybody sees it. */
  prepare(object: KubernetesObject): void;
  /** Somebody has tried to read it, and it cannot be read. Told once for each object. */
  unreadable(error: ProtocolError): void;
}

/**
 * An object that came as text and was not read yet: a burst of events costs the reading of those that
 * somebody looks at. It stands in place of the object where only its identity counts, between the wire
 * and the handlers; whoever hands it on calls `readObject`.
 *
 * Of `metadata` it promises name, namespace, uid and resourceVersion, and nothing else: see `metadataOf`.
 */
export class HeldObject implements KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  #identity: ObjectMeta;
  /** Both are empty once it was read. */
  #head: string;
  #tail: string;
  #metadata: ObjectMeta | undefined;
  /** What came of reading it. */
  #read: KubernetesObject | OperatorError | undefined;
  #keeper: HeldObjectKeeper | undefined;
  /** Of the state before it that was read last; of this one once it was read. */
  #predecessor: Predecessor | undefined;

  constructor(identity: HeldIdentity, { head, tail }: HeldText) {
    const { apiVersion, kind, name, namespace, uid, resourceVersion } = identity;
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.#identity =
      namespace === '' ? { name, uid, resourceVersion } : { name, namespace, uid, resourceVersion };
    this.#head = head;
    this.#tail = tail;
  }

  /**
   * Stands in a cache for `object`, which arrived whole and which nobody may read, because what was to be
   * made of it before could not be made. Every `read` throws `failure`; `readMetadata` gives the metadata
   * that arrived, without `managedFields`, so that selectors, owners and indices of metadata find it.
   */
  static withheld(object: KubernetesObject, failure: OperatorError): HeldObject {
    const { apiVersion, kind } = object;
    const { managedFields: _, ...metadata } = object.metadata;
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
    const identity = { apiVersion, kind, name, namespace, uid, resourceVersion };
    const held = new HeldObject(identity, { head: '', tail: '' });
    held.#read = failure;
    held.#metadata = metadata;
    return held;
  }

  get metadata(): ObjectMeta {
    return this.#identity;
  }

  /** Characters that are held; 0 once it was read, and where it is withheld. */
  get textLength(): number {
    return this.#head.length + this.#tail.length;
  }

  /** Characters of the state that was read last, kept to see what the next has in common with it. */
  get keptLength(): number {
    return typeof this.#predecessor === 'object' ? this.#predecessor.tail.length : 0;
  }

  /** True when reading it has failed, and when it is withheld. */
  get isUnreadable(): boolean {
    return this.#read instanceof OperatorError;
  }

  /** Names who keeps it from now on. What is to be done with the object is done at once if it was read. */
  keptBy(keeper: HeldObjectKeeper): void {
    this.#keeper = keeper;
    if (this.#read === undefined || this.#read instanceof OperatorError) return;
    keeper.prepare(this.#read);
  }

  /**
   * Says that this is the next state of `before`: what has not changed since that was read is not read
   * again.
   */
  follow(before: HeldObject): void {
    if (this.#read !== undefined) return;
    // Where one state was read, the next will be: from now on it is worth keeping the text.
    const wasRead = before.textLength === 0;
    this.#predecessor = before.#predecessor ?? (wasRead ? 'forgotten' : undefined);
  }

  /**
   * The object, the same one each time.
   *
   * @throws ProtocolError `DECODE` when the text is no JSON, or is another object than its beginning
   *   said. Its context has the length, and no content.
   * @throws OperatorError what it is withheld for.
   */
  read(): KubernetesObject {
    if (this.#read !== undefined) return given(this.#read);
    const { object, leaves } = this.#decoded(() =>
      readAfter(this.#head, this.#tail, this.#predecessor),
    );
    const read = object as KubernetesObject;
    if (!isSame(read, this)) throw this.#failed('an object is another than its beginning said');
    this.#read = read;
    this.#predecessor = leaves;
    // The texts of its identity may be parts of the whole text, and keep it.
    this.#identity = read.metadata;
    this.#head = '';
    this.#tail = '';
    this.#metadata = undefined;
    this.#keeper?.prepare(read);
    return read;
  }

  /**
   * The JSON of the object as it came, which is kept: with all digits of its numbers, however deeply it
   * is nested. Undefined once `read` has let the text go.
   *
   * @throws ProtocolError as `read` does.
   */
  readText(): string | undefined {
    if (this.#read !== undefined) return void given(this.#read);
    const text = this.#head + this.#tail;
    const read = this.#decoded(() => JSON.parse(text) as KubernetesObject);
    if (!isSame(read, this)) throw this.#failed('an object is another than its beginning said');
    return text;
  }

  /**
   * Its whole `metadata`, at a fraction of what reading it costs.
   *
   * @throws ProtocolError as `read` does, for text that cannot be read.
   */
  readMetadata(): ObjectMeta {
    if (this.#metadata !== undefined) return this.#metadata;
    if (this.#read !== undefined) return given(this.#read).metadata;
    this.#metadata = this.#decoded(() => metadataIn(this.#head));
    return this.#metadata;
  }

  #decoded<T>(decode: () => T): T {
    try {
      return decode();
    } catch {
      // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
      throw this.#failed('an object is not JSON');
    }
  }

  #failed(message: string): ProtocolError {
    const context = { textLength: this.textLength };
    const failure = new ProtocolError(message, { code: 'DECODE', context });
    this.#read = failure;
    this.#metadata = undefined; // of a text that is no object, nothing is to be believed
    this.#keeper?.unreadable(failure);
    return failure;
  }
}

/** @throws OperatorError when that is what came of reading. */
function given(read: KubernetesObject | OperatorError): KubernetesObject {
  if (read instanceof OperatorError) throw read;
  return read;
}

function metadataIn(head: string): ObjectMeta {
  return (JSON.parse(`${head}}}`) as KubernetesObject).metadata;
}

/** `object` itself, or what a `HeldObject` in its place holds. */
export function readObject<T extends KubernetesObject>(object: T): T {
  // Whoever made it from the text of a T says so.
  return object instanceof HeldObject ? (object.read() as T) : object;
}

/** All of an object's metadata, without reading the rest of one that is held. */
export function metadataOf(object: KubernetesObject): ObjectMeta {
  return object instanceof HeldObject ? object.readMetadata() : object.metadata;
}

/** Nobody can tell what it was. */
export function isUnreadable(object: KubernetesObject): boolean {
  return object instanceof HeldObject && object.isUnreadable;
}

/** A member that comes twice counts the last time, and was seen the first. */
function isSame(read: KubernetesObject, said: KubernetesObject): boolean {
  // The second time, it may be anything.
  const { name, namespace, uid, resourceVersion } = (read.metadata ?? {}) as Partial<ObjectMeta>;
  const { metadata } = said;
  return (
    read.kind === said.kind &&
    read.apiVersion === said.apiVersion &&
    name === metadata.name &&
    namespace === metadata.namespace &&
    uid === metadata.uid &&
    resourceVersion === metadata.resourceVersion
  );
}
