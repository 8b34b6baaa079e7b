import { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject, ObjectMeta } from './object.ts';

/** What tells one object, and one state of it, from another. */
export interface HeldIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * An object that came as text and was not read yet: a burst of events costs the reading of those that
 * somebody looks at. It stands in place of the object where only its identity counts, between the wire
 * and the handlers; whoever hands it on calls `readObject`.
 *
 * Of `metadata` it has name, namespace, uid and resourceVersion, and nothing else.
 */
export class HeldObject implements KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** Undefined once it was read: then the object is kept, and not both. */
  #text: string | undefined;
  #object: KubernetesObject | undefined;
  #prepare: (object: KubernetesObject) => void = () => {};

  constructor(identity: HeldIdentity, text: string) {
    const { apiVersion, kind, name, namespace, uid, resourceVersion } = identity;
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.metadata = { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion };
    this.#text = text;
  }

  /** Characters that are held; 0 once it was read. */
  get textLength(): number {
    return this.#text?.length ?? 0;
  }

  /** Something to be done with the object before anybody sees it; at once, when somebody has. */
  whenRead(prepare: (object: KubernetesObject) => void): void {
    if (this.#object === undefined) this.#prepare = prepare;
    else prepare(this.#object);
  }

  /**
   * The object, the same one each time.
   *
   * @throws ProtocolError `DECODE` when the text is no JSON. Its context has the length, and no content.
   */
  read(): KubernetesObject {
    if (this.#object === undefined) {
      this.#object = parsed(this.#text ?? '');
      this.#prepare(this.#object);
      this.#text = undefined;
    }
    return this.#object;
  }
}

/** `object` itself, or what a `HeldObject` in its place holds. */
export function readObject<T extends KubernetesObject>(object: T): T {
  // Whoever made it from the text of a T says so.
  return object instanceof HeldObject ? (object.read() as T) : object;
}

function parsed(text: string): KubernetesObject {
  try {
    return JSON.parse(text) as KubernetesObject;
  } catch {
    // No cause: the message of a SyntaxError quotes the text, which may be a Secret's.
    throw new ProtocolError('an object of a watch is not JSON', {
      code: 'DECODE',
      context: { textLength: text.length },
    });
  }
}
