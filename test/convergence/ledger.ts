import { type KubernetesObject, keyOf, type ObjectKey } from '../../operator/model/object.ts';
import type { Change } from '../../operator/store/change.ts';

/** What tells one state of an object from any other. */
export interface Seen {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export function seenOf({ metadata: { uid, resourceVersion } }: KubernetesObject): Seen {
  return { uid, resourceVersion };
}

/** One sentence for each key at which `seen` is not what `server` holds. */
export function differences(
  seen: ReadonlyMap<ObjectKey, Seen>,
  server: Iterable<KubernetesObject>,
): readonly string[] {
  const wrong: string[] = [];
  const wanted = new Set<ObjectKey>();
  for (const object of server) {
    const key = keyOf(object);
    const { uid, resourceVersion } = seenOf(object);
    const found = seen.get(key);
    wanted.add(key);
    if (found === undefined) wrong.push(`${key} is missing`);
    else if (found.uid !== uid) wrong.push(`${key} is ${found.uid}, not ${uid}`);
    else if (found.resourceVersion !== resourceVersion) {
      wrong.push(`${key} is at ${found.resourceVersion}, not at ${resourceVersion}`);
    }
  }
  for (const key of seen.keys()) if (!wanted.has(key)) wrong.push(`${key} is left over`);
  return wrong;
}

/**
 * What one handler of one informer was told, and every word that contradicts an earlier one: an add
 * of what is there, an update or a delete of what is not, a uid that comes back.
 *
 * With `live` equal to the server in the end, no violation means that each uid that was added and
 * is gone was deleted exactly once.
 */
export class Ledger {
  readonly live = new Map<ObjectKey, Seen>();
  readonly violations: string[] = [];
  #gone = new Set<string>();
  #goneBefore = new Set<string>();
  #eventCount = 0;
  readonly #reenters: boolean;

  /** @param reenters - objects may leave and come back, as those of a label selector do. */
  constructor({ reenters = false }: { readonly reenters?: boolean } = {}) {
    this.#reenters = reenters;
  }

  get eventCount(): number {
    return this.#eventCount;
  }

  take(changes: readonly Change[]): void {
    for (const change of changes) this.#take(change);
  }

  /** Forgets the uids that were deleted before the last call, so that memory stays bounded. */
  forgetOldDeletes(): void {
    this.#goneBefore = this.#gone;
    this.#gone = new Set();
  }

  #take(change: Change): void {
    const { type, key, object } = change;
    if (change.type === 'update' && change.resync === true) return; // a resync says nothing
    this.#eventCount++;
    const seen = seenOf(object);
    const known = this.live.get(key);
    const complain = (what: string): void => {
      this.violations.push(`${type} of ${key} (${seen.uid} at ${seen.resourceVersion}) ${what}`);
    };
    if (type === 'add') {
      if (known !== undefined) complain(`while ${known.uid} is there`);
      if (this.#isGone(seen.uid) && !this.#reenters) complain('after its delete');
      this.live.set(key, seen);
      return;
    }
    if (known === undefined) complain('while nothing is there');
    else if (known.uid !== seen.uid) complain(`while ${known.uid} is there`);
    if (type === 'update') {
      if (known?.resourceVersion === seen.resourceVersion) complain('for the second time');
      this.live.set(key, seen);
      return;
    }
    this.live.delete(key);
    this.#gone.add(seen.uid ?? '');
  }

  #isGone(uid: string | undefined): boolean {
    return uid !== undefined && (this.#gone.has(uid) || this.#goneBefore.has(uid));
  }
}
