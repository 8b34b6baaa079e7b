import type { EntryIdentity, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/object.ts';

/** The uid and version of an object, which identify one state of it. */
export type ObjectVersion = Pick<EntryIdentity, 'uid' | 'resourceVersion'>;

/** Shows which versions a cache holds when a method is called. */
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

  /** The number of lists that have replaced everything in the sink. */
  get lists(): number {
    return this.#lists;
  }

  /** The newest resourceVersion whose events are all in the sink; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /**
   * Call this when a list is in the sink. Its version may be older, because a server that was restored from a
   * backup is right.
   */
  jump(resourceVersion: string): void {
    this.#lists++;
    this.#resourceVersion = resourceVersion;
  }

  /**
   * Call this when a list of some objects of the collection is in the sink. Events after the version of that
   * list must be delivered, although the sink may already have some of them.
   */
  rewind(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /**
   * True when `resourceVersion` is older than that of the sink, which means that the server has gone back in
   * time.
   */
  isAhead(resourceVersion: string): boolean {
    return this.#resourceVersion !== undefined && isOlder(resourceVersion, this.#resourceVersion);
  }

  /** True when at least one event of the batch is not older than the resume point. */
  isReachedBy(batch: readonly WatchEvent[]): boolean {
    return batch.some((event) => {
      const version = versionOf(event) ?? '';
      return version !== '' && !this.isAhead(version);
    });
  }

  /**
   * Passes a batch to the sink, then moves the resume point. So if the sink fails, events are repeated and
   * not lost. An event that is older than the resume point does not move it back. Such an event is dropped
   * when the sink does not have the object, so that a replayed ADDED does not bring back a deleted object. An
   * older state of a cached object is passed to the sink, which ignores it. An older DELETED is passed to the
   * sink only if the cached state is even older.
   *
   * @returns how many events were older than the resume point.
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

/**
 * True if an old event may be passed to the sink. A cache that has the object detects older states itself;
 * without the object it cannot.
 */
function isForSink(event: WatchEvent, version: string, sink: VersionView): boolean {
  if (event.type === 'BOOKMARK') return false;
  const known = sink.known(event.entry.key);
  if (known === undefined) return false;
  return event.type !== 'DELETED' || isOlder(known.resourceVersion, version);
}
