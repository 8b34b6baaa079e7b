import type { ProtocolError } from '../../core/errors.ts';
import { runInSlices } from '../../core/time-slice.ts';
import type { WatchEvent } from '../../model/entry.ts';
import { Entry, type EntryObserver } from '../../model/entry.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../../model/object.ts';
import { Cache } from '../../store/cache.ts';
import { type Change, Deleted } from '../../store/change.ts';
import { estimateBytes } from '../../store/estimate-bytes.ts';
import type { CompleteList, TakePage } from '../../watch/list.ts';
import type { ReflectorSink } from '../../watch/reflector-options.ts';
import type { ReflectorStatus } from '../../watch/reflector-status.ts';

/** The `apiVersion` and `kind` of all objects of a resource. */
interface Form {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Maximum number of bytes of new objects that are collected until their list is complete. Up to
 * this size, every DELETED line comes before the new objects, and a list that fails prints nothing.
 * In a larger list, each page is printed when it arrives.
 */
export const MAX_WAITING_BYTES: number = 1024 * 1024;

type Observer = Pick<ReflectorSink<KubernetesObject>, 'statusChanged' | 'verified'>;

/** The options for printing objects. */
export interface PrintedObjectsOptions extends Observer {
  /** The `apiVersion` and `kind` of all objects. */
  readonly form: Form;
  /**
   * Prints the changes in order. It must not request a change before the line of the previous
   * change is complete. The promise settles when the output accepts more lines, and must not
   * reject.
   */
  readonly print: (changes: Iterable<Change>) => Promise<void>;
  /** Called when the text of an object is not JSON. The object must be listed again. */
  readonly unreadable: (error: ProtocolError) => void;
  /** Aborts a running comparison. */
  readonly signal: AbortSignal;
}

/**
 * The collection that `chancery watch` prints. After an object is printed, only its metadata is
 * kept, which is enough to detect changes.
 */
export class PrintedObjects implements ReflectorSink<KubernetesObject> {
  readonly #options: PrintedObjectsOptions;
  /**
   * Entries of printed objects. Their data is dropped, and only the fields that identify an object
   * and its state are used.
   */
  readonly #cache = new Cache<KubernetesObject>();
  /** The remaining metadata of printed objects, as JSON. Objects would take three times the memory. */
  readonly #metadata = new Map<ObjectKey, string>();
  readonly #observer: EntryObserver;
  #waitingBytes = 0;
  #listed = false;

  constructor(options: PrintedObjectsOptions) {
    this.#options = options;
    this.#observer = {
      releasable: () => {}, // not used: the whole entry is released after its line
      unreadable: options.unreadable,
    };
  }

  /** True when the first list is complete. */
  get listed(): boolean {
    return this.#listed;
  }

  readonly takePage: TakePage<KubernetesObject> = async (items, first) => {
    if (first) this.#waitingBytes = 0;
    for (const item of items) {
      if (item !== this.known(item.key)) this.#waitingBytes += bytesOf(item);
    }
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return items;
    // A state that is older than the cached state of the object is skipped here. It is compared
    // when the list is complete.
    await this.#print(this.#cache.applyAll(items.map((entry) => ({ type: 'ADDED', entry }))));
    return items.map((item) => this.#printed(item));
  };

  async replace({ items }: CompleteList<KubernetesObject>): Promise<void> {
    const { signal } = this.#options;
    const replacement = await runInSlices(this.#cache.compare(items), signal);
    this.#cache.install(replacement);
    this.#listed = true;
    await this.#print(replacement.changes);
  }

  apply(batch: readonly WatchEvent<KubernetesObject>[]): Promise<void> | undefined {
    const changes = this.#cache.applyAll(batch);
    return changes.length === 0 ? undefined : this.#print(changes);
  }

  statusChanged(status: ReflectorStatus): void {
    this.#options.statusChanged(status);
  }

  verified(drift: readonly ObjectKey[]): void {
    this.#options.verified(drift);
  }

  known(key: ObjectKey): Entry | undefined {
    return this.#cache.entries?.get(key);
  }

  keys(): Iterable<ObjectKey> {
    return this.#cache.entries?.keys() ?? [];
  }

  #print(changes: readonly Change[]): Promise<void> {
    for (const { entry } of changes) entry.observedBy(this.#observer);
    return this.#options.print(this.#lettingGo(changes));
  }

  /** Yields each change, then releases all data of its object except the metadata. */
  *#lettingGo(changes: readonly Change[]): Generator<Change, void, undefined> {
    for (const change of changes) {
      yield this.#printable(change);
      const { type, entry, key } = change;
      if (type === 'delete') {
        if (this.known(key) === undefined) this.#metadata.delete(key); // otherwise it was created again
        continue;
      }
      // Nothing was printed for an unreadable object, so the next list must print it as new.
      if (entry.isUnreadable) continue;
      const reduced = Entry.ofText(entry, '', 0);
      if (type === 'update') reduced.follow(change.old);
      this.#metadata.set(reduced.key, restOf(entry.metadata));
      this.#cache.reduce(reduced);
    }
  }

  /**
   * The change as it is printed. If a deletion was noticed only because the object is missing in a
   * new list, the line contains the kept metadata.
   */
  #printable(change: Change): Change {
    if (change.type !== 'delete' || !change.finalStateUnknown) return change;
    const { entry, key } = change;
    if (entry.isUnreadable) return change;
    const { metadata } = entry.nameAlone().object;
    const rest = JSON.parse(this.#metadata.get(key) ?? '{}') as object;
    const object = { ...this.#options.form, metadata: { ...metadata, ...rest } };
    return new Deleted(Entry.of(object), true);
  }

  /** The kept entry of `item` if both have the same state, otherwise `item`. */
  #printed(item: Entry): Entry {
    const kept = this.known(item.key);
    const isSame = kept?.uid === item.uid && kept.resourceVersion === item.resourceVersion;
    return isSame ? kept : item;
  }
}

/** The members of the metadata that are not in the entry itself, without managedFields. */
function restOf(metadata: ObjectMeta): string {
  const { name, namespace, uid, resourceVersion, managedFields, ...rest } = metadata;
  try {
    return JSON.stringify(rest);
  } catch {
    return '{}'; // A RangeError: nested too deeply.
  }
}

function bytesOf(entry: Entry): number {
  return entry.textLength > 0 ? entry.textLength : estimateBytes(entry.object);
}
