import { type KubernetesObject, objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { Overlay } from './overlay.ts';

/** The name of what is written, as far as it is known before the write. */
interface WriteTarget {
  readonly namespace?: string | undefined;
  /** Undefined for an object whose name the server makes up. */
  readonly name?: string | undefined;
}

/** A write under way, which is told once how it ended well. */
export interface PendingWrite {
  /** It was answered with the whole object. */
  wrote(object: KubernetesObject): void;
  /** The object was told to go. @param uid - the one that was meant, where one was named. */
  deleted(uid?: string): void;
}

/** Who is told of writes: before they are sent, and when they have succeeded. */
interface WriteJournal {
  begin(resource: Resource, target: WriteTarget): PendingWrite;
}

interface Member {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly overlay: Overlay<KubernetesObject>;
}

/** The overlays of all sources of a process: each hears of every write to what it shows. */
export class Overlays implements WriteJournal {
  readonly #members = new Set<Member>();

  /** Until the answer is called. @param namespace - undefined for all namespaces. */
  add(
    resource: Resource,
    namespace: string | undefined,
    overlay: Overlay<KubernetesObject>,
  ): () => void {
    const member = { resource: identityOf(resource), namespace, overlay };
    this.#members.add(member);
    return () => this.#members.delete(member);
  }

  /** Forgets all that was written, for when somebody else may have written since. */
  clear(): void {
    for (const { overlay } of this.#members) overlay.clear();
  }

  /**
   * A write that is about to be sent. What an overlay forgets before the answer it is not told of:
   * the answer may be about another world.
   */
  begin(resource: Resource, { namespace, name }: WriteTarget): PendingWrite {
    const begun = new Map<Overlay<KubernetesObject>, number>();
    const key = objectKey(namespace, name ?? '');
    const uids = new Set<string>();
    for (const overlay of this.#of(resource, namespace)) {
      begun.set(overlay, overlay.epoch);
      for (const uid of overlay.uidsOf(key)) uids.add(uid);
    }
    // A source that came meanwhile may have listed before the write.
    const told = (): Overlay<KubernetesObject>[] =>
      this.#of(resource, namespace).filter(
        (overlay) => (begun.get(overlay) ?? overlay.epoch) === overlay.epoch,
      );
    return {
      wrote: (object) => {
        for (const overlay of told()) overlay.wrote(object);
      },
      deleted: (uid) => {
        // Whatever stood under the key before is gone as well, be it that another was there by then.
        if (uid !== undefined) uids.add(uid);
        for (const overlay of told()) overlay.deleted(key, uids);
      },
    };
  }

  #of(resource: Resource, namespace: string | undefined): Overlay<KubernetesObject>[] {
    const wanted = identityOf(resource);
    return [...this.#members]
      .filter((member) => member.resource === wanted)
      .filter((member) => member.namespace === undefined || member.namespace === namespace)
      .map(({ overlay }) => overlay);
  }
}

/** Of another version the objects look different, though their resourceVersions are the same. */
function identityOf(resource: Resource): string {
  return `${resource.version} ${resourceName(resource)}`;
}
