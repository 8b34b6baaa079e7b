import { type Clock, sleep } from '../core/clock.ts';
import { OBJECTS_PER_SLICE, runInSlices } from '../core/time-slice.ts';
import type { EntryIdentity } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { compareResourceVersions } from '../model/resource-version.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { type ListPagesRequest, listPages } from './list.ts';
import type { ListWatch } from './list-watch.ts';

/** What tells one state of an object from another. */
type ObjectVersion = Pick<EntryIdentity, 'uid' | 'resourceVersion'>;

/** The versions that a cache holds at the moment of the call. */
export interface VersionView {
  known(key: ObjectKey): ObjectVersion | undefined;
  keys(): Iterable<ObjectKey>;
}

/** How long a difference may be a watch that is a little behind, before it is called drift. */
const PATIENCE_MS = 30_000;
const RECHECK_MS = 1_000;

/**
 * One authoritative list, compared with a cache that goes on changing beside it.
 *
 * Nothing is delivered and nothing is written: the answer names the keys that the watch has got
 * wrong. It finds what no watch can report, such as a delete that an API server's own cache lost.
 * Of the list only key, uid and resourceVersion are kept.
 */
export class Verification {
  readonly #view: VersionView;
  readonly #clock: Clock;
  /** Deletes that the watch has delivered since the list began. */
  readonly #deleted = new Map<ObjectKey, string | undefined>();
  /** All that the watch has touched since then. */
  readonly #touched = new Set<ObjectKey>();

  constructor(view: VersionView, clock: Clock) {
    this.#view = view;
    this.#clock = clock;
  }

  /** Must be called with every batch that the watch delivers while `run` is under way. */
  observe(batch: readonly WatchEvent<KubernetesObject>[]): void {
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue;
      const { key, resourceVersion } = event.entry;
      this.#touched.add(key);
      if (event.type === 'DELETED') this.#deleted.set(key, resourceVersion);
    }
  }

  /**
   * The keys that differ and stay different for 30 s.
   *
   * @param listed - told of the resourceVersion of the list, as soon as it is there.
   * @throws what the list throws, and `signal.reason`.
   */
  async run(
    source: Pick<ListWatch<KubernetesObject>, 'listPage'>,
    request: Omit<ListPagesRequest, 'consistency'>,
    listed: (resourceVersion: string) => void = () => {},
  ): Promise<readonly ObjectKey[]> {
    const wanted = new Map<ObjectKey, ObjectVersion>();
    let listVersion = '';
    const latest = { kind: 'latest' } as const;
    for await (const { page, first } of listPages(source, { ...request, consistency: latest })) {
      if (first) {
        wanted.clear();
        listVersion = page.resourceVersion;
      }
      for (const { key, uid, resourceVersion } of page.items) {
        wanted.set(key, { uid, resourceVersion });
      }
    }
    listed(listVersion);
    const differs = (key: ObjectKey): boolean => {
      const version = wanted.get(key);
      return version === undefined
        ? this.#isLeftOver(key, listVersion)
        : this.#isBehind(key, version);
    };
    const givenUpAt = this.#clock.monotonic() + PATIENCE_MS;
    let suspects = await runInSlices(keysThat(differs, wanted, this.#view), request.signal);
    while (suspects.length > 0 && this.#clock.monotonic() < givenUpAt) {
      await sleep(this.#clock, RECHECK_MS, request.signal);
      suspects = suspects.filter(differs);
    }
    return suspects;
  }

  /** The list has the object; the cache has not, or has an older state of it. */
  #isBehind(key: ObjectKey, wanted: ObjectVersion): boolean {
    const cached = this.#view.known(key);
    const order = orderOf(cached?.resourceVersion, wanted.resourceVersion);
    if (cached?.uid === wanted.uid && isAtLeast(order)) return false;
    if (this.#deleted.has(key)) {
      return !isAtLeast(orderOf(this.#deleted.get(key), wanted.resourceVersion), true);
    }
    return !(cached !== undefined && order === undefined && this.#touched.has(key));
  }

  /** The cache has an object that the list has not, and did not learn of it after the list. */
  #isLeftOver(key: ObjectKey, listVersion: string): boolean {
    const cached = this.#view.known(key);
    if (cached === undefined) return false;
    const order = orderOf(cached.resourceVersion, listVersion);
    return order === undefined ? !this.#touched.has(key) : order <= 0;
  }
}

/** The keys of both for which it is so, a thousand a step; what seems so will be looked at again. */
function* keysThat(
  differs: (key: ObjectKey) => boolean,
  wanted: ReadonlyMap<ObjectKey, ObjectVersion>,
  view: VersionView,
): Generator<void, readonly ObjectKey[], undefined> {
  const found: ObjectKey[] = [];
  let looked = 0;
  for (const key of wanted.keys()) {
    if (++looked % OBJECTS_PER_SLICE === 0) yield;
    if (differs(key)) found.push(key);
  }
  for (const key of view.keys()) {
    if (++looked % OBJECTS_PER_SLICE === 0) yield;
    if (!wanted.has(key) && differs(key)) found.push(key);
  }
  return found;
}

/** Undefined where there is no order: then only what the watch has touched since can excuse a key. */
function orderOf(version: string | undefined, other: string | undefined): number | undefined {
  if (version === undefined || other === undefined) return undefined;
  return compareResourceVersions(version, other);
}

function isAtLeast(order: number | undefined, whenUnordered = false): boolean {
  return order === undefined ? whenUnordered : order >= 0;
}
