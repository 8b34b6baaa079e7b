import type { ProtocolError } from '../core/errors.ts';
import { inTurns } from '../core/turns.ts';
import { HeldObject, type HeldObjectKeeper, isUnreadable } from '../model/held-object.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { Cache, type Change } from '../store/cache.ts';
import { estimateBytes } from '../store/estimate-bytes.ts';
import type { CompleteList, TakePage } from '../watch/list-all.ts';
import type { Hold } from '../watch/list-watch.ts';
import type { ReflectorSink } from '../watch/reflector-sink.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import type { VersionView } from '../watch/verification.ts';
import { type Form, PrintedObject } from './printed-object.ts';

/**
 * Bytes of new objects that wait until their list is complete: then every DELETED comes before what is
 * new, and a list that fails has printed nothing. Of a larger list each page is printed when it arrives.
 */
export const MAX_WAITING_BYTES: number = 1024 * 1024;

type Observer = Pick<ReflectorSink<KubernetesObject>, 'statusChanged' | 'verified'>;

/** How objects are printed. */
export interface PrintedObjectsOptions extends Observer {
  /** The `apiVersion` and `kind` of all objects. */
  readonly form: Form;
  /**
   * Prints the changes in order, and asks for the next change when it has the line of the last one.
   * The promise settles when the output takes more. Must not fail.
   */
  readonly print: (changes: Iterable<Change<KubernetesObject>>) => Promise<void>;
  /** An object came as text that is no JSON: it is to be listed anew. */
  readonly unreadable: (error: ProtocolError) => void;
  /** Ends a comparison that is under way. */
  readonly signal: AbortSignal;
}

/**
 * The collection that `chancery watch` prints. Of an object whose line was made it keeps a
 * `PrintedObject`: enough to tell what changes, and not what the object holds.
 */
export class PrintedObjects implements ReflectorSink<KubernetesObject> {
  readonly hold: Hold = { known: (key) => this.#cache.objects?.get(key) };
  readonly #options: PrintedObjectsOptions;
  readonly #cache = new Cache<KubernetesObject>();
  readonly #keeper: HeldObjectKeeper;
  #waitingBytes = 0;
  #listed = false;

  constructor(options: PrintedObjectsOptions) {
    this.#options = options;
    this.#keeper = { prepare: () => {}, unreadable: options.unreadable };
  }

  /** The first list is complete. */
  get listed(): boolean {
    return this.#listed;
  }

  readonly takePage: TakePage<KubernetesObject> = async (items, first) => {
    if (first) this.#waitingBytes = 0;
    for (const item of items) this.#waitingBytes += bytesOf(item);
    if (this.#waitingBytes <= MAX_WAITING_BYTES) return items;
    // States that are older than the cached ones are left out here, and compared with the whole list.
    await this.#print(this.#cache.applyAll(items.map((object) => ({ type: 'ADDED', object }))));
    return items.map((item) => this.#printed(item));
  };

  async replace({ items }: CompleteList<KubernetesObject>): Promise<void> {
    const { signal } = this.#options;
    const replacement = await inTurns(this.#cache.compare(items), signal);
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

  version(key: ObjectKey): ReturnType<VersionView['version']> {
    const metadata = this.#cache.objects?.get(key)?.metadata;
    return metadata && { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  }

  keys(): Iterable<ObjectKey> {
    return this.#cache.objects?.keys() ?? [];
  }

  #print(changes: readonly Change<KubernetesObject>[]): Promise<void> {
    for (const { object } of changes) {
      if (object instanceof HeldObject) object.keptBy(this.#keeper);
    }
    return this.#options.print(this.#lettingGo(changes));
  }

  /** Of an object whose line was made, the rest is let go. */
  *#lettingGo(
    changes: readonly Change<KubernetesObject>[],
  ): Generator<Change<KubernetesObject>, void, undefined> {
    for (const change of changes) {
      yield change;
      const { type, key, object } = change;
      // The next list brings an unreadable object anew, and must find that nothing was printed of it.
      if (type === 'delete' || object instanceof PrintedObject || isUnreadable(object)) continue;
      this.#cache.reduce(key, this.#reduced(object, type === 'update' ? change.old : undefined));
    }
  }

  #reduced(object: KubernetesObject, before: KubernetesObject | undefined): PrintedObject {
    if (!(before instanceof PrintedObject)) return PrintedObject.of(object, this.#options.form);
    before.become(object);
    return before;
  }

  /** What is kept of `item`, where that is the same state of it. */
  #printed(item: KubernetesObject): KubernetesObject {
    const kept = this.#cache.objects?.get(keyOf(item));
    if (!(kept instanceof PrintedObject)) return item;
    const { uid, resourceVersion } = kept.metadata;
    const isSame = uid === item.metadata.uid && resourceVersion === item.metadata.resourceVersion;
    return isSame ? kept : item;
  }
}

function bytesOf(object: KubernetesObject): number {
  if (object instanceof PrintedObject) return 0;
  return object instanceof HeldObject ? object.textLength : estimateBytes(object);
}
