import { type ObjectKey, objectKey } from '../../../model/object.ts';
import type { Resource } from '../../../model/resource.ts';
import type { Change } from '../../../store/change.ts';
import type { Cause } from '../../policies/key-gate.ts';
import type { Log } from '../../reconciler.ts';

/** The part of a declaration that turned a change into a key. */
export type Via = 'for' | 'owns' | 'mapping';

/** The first cause of a waiting key, and the number of later causes. */
interface Woken {
  readonly by: string | undefined;
  readonly via: string;
  more: number;
}

/**
 * Remembers why keys are waiting for their reconcile, and logs it as a debug line when the reconcile begins:
 * `woken by Secret demo/pw via mapping`. It does nothing while debug lines are hidden.
 */
export class WakeCauses {
  readonly #showsDebug: () => boolean;
  /** At most one entry per waiting key. Empty while debug lines are hidden. */
  readonly #woken = new Map<ObjectKey, Woken>();

  constructor(showsDebug: () => boolean) {
    this.#showsDebug = showsDebug;
  }

  /** Call this when a change of an object enqueues `key`. */
  changed(key: ObjectKey, cause: Cause, via: Via): void {
    if (!this.#showsDebug()) return;
    this.#add(key, changedObject(cause), howChanged(cause.change, via));
  }

  /** Call this when something other than a change of an object enqueues `key`. */
  asked(key: ObjectKey, via: string): void {
    if (this.#showsDebug()) this.#add(key, undefined, via);
  }

  /** Call this when a reconcile of `key` begins. @param failures - failures in a row of the key. */
  begins(key: ObjectKey, failures: number, log: Log): void {
    if (!this.#showsDebug()) {
      if (this.#woken.size > 0) this.#woken.clear(); // debug lines were turned off
      return;
    }
    const otherwise = { by: undefined, via: failures > 0 ? 'retry' : 'requeue', more: 0 };
    const { by, via, more } = this.#woken.get(key) ?? otherwise;
    this.#woken.delete(key);
    log.debug({ ...(by && { by }), via, ...(more > 0 && { more }) }, 'woken');
  }

  #add(key: ObjectKey, by: string | undefined, via: string): void {
    const known = this.#woken.get(key);
    if (known === undefined) this.#woken.set(key, { by, via, more: 0 });
    else known.more++;
  }
}

/** The object whose change enqueues a key, as `Secret demo/pw`. */
export function changedObject({ resource, change }: Cause): string {
  return `${resource.kind} ${change.key}`;
}

/**
 * How a change became a key. Changes from a list, and resyncs without a change, are named as such.
 */
export function howChanged(change: Change, via: Via): string {
  if (change.type === 'delete') return `${via}, deleted`;
  if (change.type === 'add') return change.initial ? `${via}, first list` : `${via}, created`;
  if (change.resync === true) return 'resync';
  return change.relist === true ? `${via}, relist` : via;
}

/** The name of an object in log lines, as `StatefulSet demo/x`. */
export function shownObject(
  { kind }: Resource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return `${kind} ${objectKey(namespace, name)}`;
}
