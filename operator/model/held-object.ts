import { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject, ObjectMeta } from './object.ts';

/** What tells one object, and one state of it, from another. */
export interface HeldIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
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
  /** Undefined once it was read: then the object is kept, and not both. */
  #text: string | undefined;
  readonly #metadataFrom: number;
  readonly #metadataTo: number;
  #metadata: ObjectMeta | undefined;
  #object: KubernetesObject | undefined;
  #failure: ProtocolError | undefined;
  #keeper: HeldObjectKeeper | undefined;

  /**
   * @param metadataFrom - where in the text the value of `metadata` begins; 0 where that is not known,
   *   and they cannot be read alone.
   * @param metadataTo - where it ends.
   */
  constructor(
    identity: HeldIdentity,
    text: string,
    metadataFrom: number = 0,
    metadataTo: number = 0,
  ) {
    const { apiVersion, kind, name, namespace, uid, resourceVersion } = identity;
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.#identity =
      namespace === '' ? { name, uid, resourceVersion } : { name, namespace, uid, resourceVersion };
    this.#text = text;
    this.#metadataFrom = metadataFrom;
    this.#metadataTo = metadataTo;
  }

  get metadata(): ObjectMeta {
    return this.#identity;
  }

  /** Characters that are held; 0 once it was read. */
  get textLength(): number {
    return this.#text?.length ?? 0;
  }

  /** Somebody has tried to read it, in vain. */
  get isUnreadable(): boolean {
    return this.#failure !== undefined;
  }

  /** Names who keeps it from now on. What is to be done with the object is done at once if it was read. */
  keptBy(keeper: HeldObjectKeeper): void {
    this.#keeper = keeper;
    if (this.#object !== undefined) keeper.prepare(this.#object);
  }

  /**
   * The object, the same one each time.
   *
   * @throws ProtocolError `DECODE` when the text is no JSON, or is another object than its beginning
   *   said. Its context has the length, and no content.
   */
  read(): KubernetesObject {
    if (this.#object !== undefined) return this.#object;
    if (this.#failure !== undefined) throw this.#failure;
    const object = this.#parsed(this.#text ?? '') as KubernetesObject;
    if (!isSame(object, this)) throw this.#failed('an object is another than its beginning said');
    this.#object = object;
    // The texts of its identity may be parts of the whole text, and keep it.
    this.#identity = object.metadata;
    this.#text = undefined;
    this.#metadata = undefined;
    this.#keeper?.prepare(object);
    return object;
  }

  /**
   * Its whole `metadata`, at a fraction of what reading it costs.
   *
   * @throws ProtocolError as `read` does.
   */
  readMetadata(): ObjectMeta {
    if (this.#object !== undefined || this.#metadataFrom === 0) return this.read().metadata;
    if (this.#failure !== undefined) throw this.#failure;
    const text = this.#text ?? '';
    this.#metadata ??= this.#parsed(text.slice(this.#metadataFrom, this.#metadataTo)) as ObjectMeta;
    return this.#metadata;
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
      throw this.#failed('an object is not JSON');
    }
  }

  #failed(message: string): ProtocolError {
    const context = { textLength: this.textLength };
    this.#failure = new ProtocolError(message, { code: 'DECODE', context });
    this.#keeper?.unreadable(this.#failure);
    return this.#failure;
  }
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
