import { type KubernetesObject, objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { PendingWrite, WriteJournal, WriteTarget } from '../model/write-journal.ts';
import type { OwnWrites } from './own-writes.ts';

interface Member {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly ownWrites: OwnWrites<KubernetesObject>;
}

/** The ownWritesJournal of all sources of a process: each hears of every write to what it shows. */
export class OwnWritesJournal implements WriteJournal {
  readonly #members = new Set<Member>();

  /** Until the answer is called. @param namespace - undefined for all namespaces. */
  add(
    resource: Resource,
    namespace: string | undefined,
    ownWrites: OwnWrites<KubernetesObject>,
  ): () => void {
    const member = { resource: identityOf(resource), namespace, ownWrites };
    this.#members.add(member);
    return () => this.#members.delete(member);
  }

  /** Forgets all that was written, for when somebody else may have written since. */
  clear(): void {
    for (const { ownWrites } of this.#members) ownWrites.clear();
  }

  /**
   * A write that is about to be sent. What an ownWrites forgets before the answer it is not told of:
   * the answer may be about another world.
   */
  begin(resource: Resource, { namespace, name }: WriteTarget): PendingWrite {
    const begun = new Map<OwnWrites<KubernetesObject>, number>();
    const key = objectKey(namespace, name ?? '');
    const uids = new Set<string>();
    for (const ownWrites of this.#of(resource, namespace)) {
      begun.set(ownWrites, ownWrites.epoch);
      for (const uid of ownWrites.uidsOf(key)) uids.add(uid);
    }
    // A source that came meanwhile may have listed before the write.
    const told = (): OwnWrites<KubernetesObject>[] =>
      this.#of(resource, namespace).filter(
        (ownWrites) => (begun.get(ownWrites) ?? ownWrites.epoch) === ownWrites.epoch,
      );
    return {
      wrote: (object) => {
        for (const ownWrites of told()) ownWrites.wrote(object);
      },
      deleted: (uid) => {
        // Whatever stood under the key before is gone as well, be it that another was there by then.
        if (uid !== undefined) uids.add(uid);
        for (const ownWrites of told()) ownWrites.deleted(key, uids);
      },
    };
  }

  #of(resource: Resource, namespace: string | undefined): OwnWrites<KubernetesObject>[] {
    const wanted = identityOf(resource);
    return [...this.#members]
      .filter((member) => member.resource === wanted)
      .filter((member) => member.namespace === undefined || member.namespace === namespace)
      .map(({ ownWrites }) => ownWrites);
  }
}

/** Of another version the objects look different, though their resourceVersions are the same. */
function identityOf(resource: Resource): string {
  return `${resource.version} ${resourceName(resource)}`;
}
