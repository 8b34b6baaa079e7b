import { metadataOf } from '../model/held-object.ts';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';

/** The `apiVersion` and `kind` of all objects of a resource. */
export interface Form {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * What `chancery watch` keeps of an object whose line was made: its `metadata` without `managedFields`,
 * and nothing else of it.
 */
export class PrintedObject implements KubernetesObject {
  readonly #form: Form;
  readonly #name: string;
  readonly #namespace: string | undefined;
  readonly #uid: string | undefined;
  #resourceVersion: string | undefined;
  /** The other members of the metadata, as JSON: it takes a third of the memory of an object. */
  #rest: string;

  private constructor(form: Form, metadata: ObjectMeta) {
    const { name, namespace, uid, resourceVersion } = metadata;
    this.#form = form;
    this.#name = name;
    this.#namespace = namespace;
    this.#uid = uid;
    this.#resourceVersion = resourceVersion;
    this.#rest = restOf(metadata);
  }

  /**
   * @param form - shared by all objects of the resource.
   * @throws ProtocolError `DECODE` for an object that came as text and is no JSON.
   */
  static of(object: KubernetesObject, form: Form): PrintedObject {
    return new PrintedObject(form, metadataOf(object));
  }

  /**
   * Takes the metadata of the next state of the same object: where all objects change, no second
   * collection comes into being beside this one.
   *
   * @throws ProtocolError as `of` does; then nothing was taken.
   */
  become(next: KubernetesObject): void {
    const metadata = metadataOf(next);
    const rest = restOf(metadata);
    this.#resourceVersion = metadata.resourceVersion;
    if (rest !== this.#rest) this.#rest = rest;
  }

  get apiVersion(): string {
    return this.#form.apiVersion;
  }

  get kind(): string {
    return this.#form.kind;
  }

  /** Name, namespace, uid and resourceVersion, and nothing else. */
  get metadata(): ObjectMeta {
    return {
      name: this.#name,
      ...(this.#namespace !== undefined && { namespace: this.#namespace }),
      ...(this.#uid !== undefined && { uid: this.#uid }),
      ...(this.#resourceVersion !== undefined && { resourceVersion: this.#resourceVersion }),
    };
  }

  /** The object with `apiVersion`, `kind` and all of its kept `metadata`. */
  get json(): string {
    const { apiVersion, kind, metadata } = this;
    const identity = JSON.stringify({ apiVersion, kind, metadata });
    return this.#rest === '{}' ? identity : `${identity.slice(0, -2)},${this.#rest.slice(1)}}`;
  }
}

function restOf(metadata: ObjectMeta): string {
  const { name, namespace, uid, resourceVersion, managedFields, ...rest } = metadata;
  try {
    return JSON.stringify(rest);
  } catch {
    return '{}'; // A RangeError: it is nested too deeply.
  }
}
