import type { Predicate } from '../controller/predicate.ts';
import type { Trigger } from '../controller/trigger.ts';
import { aborted } from '../core/abort.ts';
import {
  controllerOf,
  isOlder,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
} from '../model/object.ts';

/** The versions that the last call of the function for a parent has read. */
interface Seen {
  readonly uid: string;
  readonly version: string;
  /** Versions of the children, keyed by uid. */
  readonly children: ReadonlyMap<string, string>;
}

/**
 * Drops changes that the last call for a parent has already taken into account. A call can read a change from
 * the cache shortly before the change is delivered, and writes of this process even before the watch delivers
 * them. Without this filter, the function would be called again with the same input.
 */
export class SeenVersions {
  readonly #byKey = new Map<ObjectKey, Seen>();
  readonly #keys = new Map<string, ObjectKey>();
  #isRunning = false;

  /**
   * Forgets everything when the controller ends, because it may run again with the next term as leader. At
   * that time every object is delivered again. None of these deliveries may be dropped, because the retries
   * and delays of the last run are lost.
   */
  readonly life: Trigger = {
    run: async (_enqueue, { signal }) => {
      this.#isRunning = true;
      await aborted(signal);
      this.#isRunning = false;
      this.#byKey.clear();
      this.#keys.clear();
    },
  };

  /** Remembers what a call reads. If the call fails, the key is retried without a change. */
  note(parent: KubernetesObject, children: Iterable<KubernetesObject>): void {
    if (!this.#isRunning) return;
    const { uid = '', resourceVersion = '' } = parent.metadata;
    const versions = new Map<string, string>();
    for (const { metadata } of children) {
      versions.set(metadata.uid ?? '', metadata.resourceVersion ?? '');
    }
    const key = keyOf(parent);
    this.forget(key);
    this.#byKey.set(key, { uid, version: resourceVersion, children: versions });
    this.#keys.set(uid, key);
  }

  forget(key: ObjectKey): void {
    const seen = this.#byKey.get(key);
    if (seen === undefined) return;
    this.#byKey.delete(key);
    this.#keys.delete(seen.uid);
  }

  /**
   * The predicate for changes of parents. An object that is new to the cache always passes. After a process
   * has ended without notice, for example because a test killed it, nothing else would call the function
   * again.
   */
  readonly newParent: Predicate = ({ type, metadata }) =>
    type !== 'update' || !isSeen(this.#of(metadata.uid)?.version, metadata);

  /** The predicate for changes of children. */
  readonly newChild: Predicate = ({ type, metadata }) => {
    if (passes(type)) return true;
    const seen = this.#of(controllerOf({ metadata })?.uid);
    return !isSeen(seen?.children.get(metadata.uid ?? ''), metadata);
  };

  #of(uid: string | undefined): Seen | undefined {
    const key = this.#keys.get(uid ?? '');
    return key === undefined ? undefined : this.#byKey.get(key);
  }
}

/** True for a deletion, and for a delivery that is not a change. */
function passes(type: string): boolean {
  return type === 'delete' || type === 'generic';
}

function isSeen(version: string | undefined, { resourceVersion = '' }: ObjectMeta): boolean {
  if (version === undefined || resourceVersion === '') return false;
  return version === resourceVersion || isOlder(resourceVersion, version);
}
