import type { EntryIdentity, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/object.ts';

/** The uid and version of an object, which identify one state of it. */
export type ObjectVersion = Pick<EntryIdentity, 'uid' | 'resourceVersion'>;

/** The versions of objects that a cache has at the time when a method is called. */
export interface VersionView {
  known(key: ObjectKey): ObjectVersion | undefined;
  keys(): Iterable<ObjectKey>;
}

/** A cache to which events are passed. */
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
   * Call this when a list is in the sink. The version of the list may be older than the current one: after a
   * restore from a backup, the older state of the server is the right state.
   */
  jump(resourceVersion: string): void {
    this.#lists++;
    this.#resourceVersion = resourceVersion;
  }

  /**
   * Call this when a list of some objects of the collection is in the sink. All events after the version of
   * that list must then be delivered, although the sink may already have some of them.
   */
  rewind(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /**
   * True when `resourceVersion` is older than the resourceVersion of the sink, which means that the server
   * has gone back to an older state.
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
   * Passes a batch to the sink, and only then moves the resume point, so that events are not lost if the sink
   * fails. An event that is older than the resume point does not move it back. Such an event is dropped when
   * the sink does not have the object, so that a repeated ADDED does not restore a deleted object. An older
   * state of a cached object is passed to the sink, which ignores it. An older DELETED is passed to the sink
   * only if the cached state is even older.
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
    // This loop uses an index, because `entries()` would allocate a pair for each event.
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
 * True if an event that is older than the resume point may be passed to the sink. The sink can recognise an
 * older state only if it has the object.
 */
function isForSink(event: WatchEvent, version: string, sink: VersionView): boolean {
  if (event.type === 'BOOKMARK') return false;
  const known = sink.known(event.entry.key);
  if (known === undefined) return false;
  return event.type !== 'DELETED' || isOlder(known.resourceVersion, version);
}
