import type { EntryIdentity, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/object.ts';

/** The uid and version of an object, which identify one state of it. */
export type ObjectVersion = Pick<EntryIdentity, 'uid' | 'resourceVersion'>;

/** The versions that a cache holds at the moment of the call. */
export interface VersionView {
  known(key: ObjectKey): ObjectVersion | undefined;
  keys(): Iterable<ObjectKey>;
}

/** Takes events. */
interface EventSink<T extends KubernetesObject> extends VersionView {
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
}

/** The position of a sink in the history of a collection. */
export class ResumePoint {
  #resourceVersion: string | undefined;
  #lists = 0;

  /** How many lists have replaced everything in the sink. */
  get lists(): number {
    return this.#lists;
  }

  /** The newest resourceVersion whose events are all in the sink; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** A list is in the sink. Its version may be older: a server that was restored from a backup is right. */
  jump(resourceVersion: string): void {
    this.#lists++;
    this.#resourceVersion = resourceVersion;
  }

  /**
   * A list of a part of the collection is in the sink. Events after its version must be delivered, although
   * the sink may have some of them already.
   */
  rewind(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** True when `resourceVersion` is older than that of the sink: the server has gone back in time. */
  isAhead(resourceVersion: string): boolean {
    return this.#resourceVersion !== undefined && isOlder(resourceVersion, this.#resourceVersion);
  }

  /** True when an event of the batch is not older than the resume point. */
  isReachedBy(batch: readonly WatchEvent[]): boolean {
    return batch.some((event) => {
      const version = versionOf(event) ?? '';
      return version !== '' && !this.isAhead(version);
    });
  }

  /**
   * Passes a batch to the sink, then moves the resume point. So if the sink fails, events are repeated, not
   * lost. An event older than the resume point does not move it back. It is dropped when the sink does not
   * have the object, so a replayed ADDED does not bring back a deleted object. An older state of a cached
   * object reaches the sink, which ignores it. An older DELETED reaches it only if the cached state is older
   * still.
   *
   * @returns how many events were older.
   */
  async deliver<T extends KubernetesObject>(
    batch: readonly WatchEvent<T>[],
    sink: EventSink<T>,
  ): Promise<number> {
    let start = 0;
    let older = 0;
    let newest = this.#resourceVersion;
    const hand = async (until: number): Promise<void> => {
      const whole = start === 0 && until === batch.length;
      if (until > start) await sink.apply(whole ? batch : batch.slice(start, until));
      this.#resourceVersion = newest;
    };
    // By index: `entries()` would allocate a pair for each event.
    for (let index = 0; index < batch.length; index++) {
      const event = batch[index] as WatchEvent<T>;
      const version = versionOf(event);
      if (version === undefined || version === '') continue;
      if (newest === undefined || !isOlder(version, newest)) {
        newest = version;
        continue;
      }
      older++;
      await hand(index);
      start = isForSink(event, version, sink) ? index : index + 1;
    }
    await hand(batch.length);
    return older;
  }
}

function versionOf(event: WatchEvent): string | undefined {
  return event.type === 'BOOKMARK' ? event.resourceVersion : event.entry.resourceVersion;
}

/** A cache that has the object detects older states by itself. Without the object it cannot. */
function isForSink(event: WatchEvent, version: string, sink: VersionView): boolean {
  if (event.type === 'BOOKMARK') return false;
  const known = sink.known(event.entry.key);
  if (known === undefined) return false;
  return event.type !== 'DELETED' || isOlder(known.resourceVersion, version);
}
