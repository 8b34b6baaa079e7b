import { type KubernetesObject, keyOf } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { isOlder } from '../../model/resource-version.ts';
import { digestOf, shownFields } from './shown-fields.ts';

/** What was applied to one object last, and what the server made of it. Digests: bodies may be large. */
interface Applied {
  readonly uid: string;
  readonly statedDigest: string;
  /** Of the object after the apply. */
  readonly resourceVersion: string;
  readonly shownDigest: string;
  /** After `create` there may be fields that only the creation wants. */
  readonly by: 'create' | 'apply';
}

/** Objects that are remembered. One that is forgotten is applied once more, without effect. */
const MAX_OBJECTS = 10_000;

/**
 * What this process has applied, so that it need not be applied again.
 *
 * A cached object alone does not tell: the server adds defaults and writes values in its own form, and
 * a field that is not stated any more, and must go, looks like anybody's. So an apply is without effect
 * when it states what the last one did, and the object still has, in the fields concerned, what that
 * one has led to. A process that remembers nothing, after a restart, applies once.
 */
export class AppliedMemory {
  readonly #applied = new Map<string, Applied>();

  /** True when applying `stated` to `known`, as a cache or the server shows it, changes nothing. */
  isApplied(
    resource: Resource,
    known: KubernetesObject,
    stated: KubernetesObject,
    subresource: string = '',
  ): boolean {
    const name = nameOf(resource, known, subresource);
    const applied = this.#applied.get(name);
    const { uid, resourceVersion = '' } = known.metadata;
    if (applied === undefined || applied.uid !== uid) return false;
    if (applied.statedDigest !== digestOf(stated)) return false;
    // A cache that is behind our own write shows what was before it.
    if (isOlder(resourceVersion, applied.resourceVersion)) return true;
    const shownDigest = shownDigestOf(known, stated);
    if (resourceVersion === applied.resourceVersion) {
      // The same object, in the form in which it is cached: fields may be dropped there.
      this.#set(name, { ...applied, shownDigest });
      return true;
    }
    return shownDigest === applied.shownDigest;
  }

  /** True when `known`, as a cache shows it, is from before what was applied to it last. */
  isBehind(resource: Resource, known: KubernetesObject, subresource: string = ''): boolean {
    const applied = this.#applied.get(nameOf(resource, known, subresource));
    const { uid, resourceVersion = '' } = known.metadata;
    return applied?.uid === uid && isOlder(resourceVersion, applied?.resourceVersion ?? '');
  }

  /** @param answer - the object after `stated` was applied. */
  remember(
    resource: Resource,
    answer: KubernetesObject,
    stated: KubernetesObject,
    subresource: string = '',
  ): void {
    this.#set(nameOf(resource, answer, subresource), appliedOf(answer, stated, 'apply'));
  }

  /** @param answer - the object as `stated` has created it. */
  rememberCreation(resource: Resource, answer: KubernetesObject, stated: KubernetesObject): void {
    this.#set(nameOf(resource, answer, ''), appliedOf(answer, stated, 'create'));
  }

  /** How this process has written to this very object last; undefined when it knows of nothing. */
  lastWrite(resource: Resource, object: KubernetesObject): Applied['by'] | undefined {
    const applied = this.#applied.get(nameOf(resource, object, ''));
    return applied?.uid === object.metadata.uid ? applied?.by : undefined;
  }

  #set(name: string, applied: Applied): void {
    this.#applied.delete(name);
    this.#applied.set(name, applied);
    if (this.#applied.size <= MAX_OBJECTS) return;
    for (const oldest of this.#applied.keys()) {
      this.#applied.delete(oldest);
      return;
    }
  }
}

function appliedOf(answer: KubernetesObject, stated: KubernetesObject, by: Applied['by']): Applied {
  const { uid = '', resourceVersion = '' } = answer.metadata;
  const statedDigest = digestOf(stated);
  return { uid, resourceVersion, statedDigest, shownDigest: shownDigestOf(answer, stated), by };
}

function nameOf(resource: Resource, object: KubernetesObject, subresource: string): string {
  return `${resourceName(resource)} ${keyOf(object)} ${subresource}`;
}

/** What names the object is no content; of some versions a cache keeps less than an answer has. */
function shownDigestOf(object: KubernetesObject, stated: KubernetesObject): string {
  const { apiVersion: _, kind: __, ...fields } = stated;
  const { uid: ___, ...metadata } = stated.metadata;
  return digestOf(shownFields(object, { ...fields, metadata }));
}
