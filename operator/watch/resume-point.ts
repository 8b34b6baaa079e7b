import type { EntryIdentity, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/object.ts';

/** The uid and version of an object: what tells one state of it from another. */
export type ObjectVersion = Pick<EntryIdentity, 'uid' | 'resourceVersion'>;

/** The versions that a cache holds at the moment of the call. */
export interface VersionView {
  known(key: ObjectKey): ObjectVersion | undefined;
  keys(): Iterable<ObjectKey>;
}

/** What takes events. */
interface EventSink<T extends KubernetesObject> extends VersionView {
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
}

/** How far a sink has come in the history of a collection. */
export class ResumePoint {
  #resourceVersion: string | undefined;

  /** The newest resourceVersion whose events are all in the sink; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** A list is in the sink. It may lead back: a server that was restored is to be believed. */
  jump(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** `resourceVersion` is older than what the sink has: the server has gone back in time. */
  isAhead(resourceVersion: string): boolean {
    return this.#resourceVersion !== undefined && isOlder(resourceVersion, this.#resourceVersion);
  }

  /**
   * Hands a batch to the sink, and moves only afterwards: what breaks in between is seen again, not
   * skipped. An event that is older than the resume point does not move it back, and is no news of an
   * object that the sink does not have: so an ADDED that is replayed does not bring back what was
   * deleted since. An older state of an object that it has reaches the sink, which ignores it; an
   * older DELETED does not.
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
    // By index: a pair for each event is a part of what an event costs.
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

/** A cache that has the object tells by itself what is older; one that has not, cannot. */
function isForSink(event: WatchEvent, version: string, sink: VersionView): boolean {
  if (event.type === 'BOOKMARK') return false;
  const known = sink.known(event.entry.key);
  if (known === undefined) return false;
  return event.type !== 'DELETED' || isOlder(known.resourceVersion, version);
}
