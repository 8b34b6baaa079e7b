import { type ObjectKey, objectKey } from '../../../model/object.ts';
import type { Resource } from '../../../model/resource.ts';
import type { Change } from '../../../store/change.ts';
import type { Cause } from '../../policies/key-gate.ts';
import type { Log } from '../../reconciler.ts';

/** The option of a controller that turned a change into a key. */
export type Via = 'for' | 'owns' | 'mapping';

/** What enqueued a key before one attempt. Plain data, without any content of Kubernetes objects. */
export interface WokenBy {
  /** The first causes. Several equal causes are one entry. */
  readonly causes: readonly WakeCause[];
  /** The number of further causes, which are not remembered individually. */
  readonly more: number;
}

export interface WakeCause {
  /**
   * The changed object, such as `Secret demo/pw`. If no change has enqueued the key, the reason, such as
   * `trigger`.
   */
  readonly cause: string;
  /** `for`, `owns` or `mapping`, and the kind of the change. Undefined for a reason other than a change. */
  readonly via: string | undefined;
  readonly times: number;
}

/** The causes of a waiting key. */
interface Woken {
  readonly causes: { readonly cause: string; readonly via: string | undefined; times: number }[];
  more: number;
}

/**
 * Number of waiting keys per controller whose causes are remembered. It is limited so that a first list of a
 * million objects costs nothing. A key takes about 0.5 KB.
 */
const MAX_KEYS = 1_000;

/** Number of different causes that are remembered per key. */
const MAX_CAUSES = 4;

/**
 * Remembers why keys are waiting for their reconcile. It remembers at most 1,000 keys at a time, but every
 * key while debug lines are logged. The causes are logged as a debug line when the reconcile begins: `woken
 * by Secret demo/pw via mapping`.
 */
export class WakeCauses {
  readonly #showsDebug: () => boolean;
  readonly #woken = new Map<ObjectKey, Woken>();

  constructor(showsDebug: () => boolean) {
    this.#showsDebug = showsDebug;
  }

  /** Call this when a change of an object enqueues `key`. */
  changed(key: ObjectKey, cause: Cause, via: Via): void {
    const woken = this.#remembered(key);
    if (woken) add(woken, changedObject(cause), howChanged(cause.change, via));
  }

  /** Call this when something other than a change of an object enqueues `key`. */
  asked(key: ObjectKey, why: string): void {
    const woken = this.#remembered(key);
    if (woken) add(woken, why, undefined);
  }

  /**
   * Call this when a reconcile of `key` begins. @param failures - failures in a row of the key.
   *
   * @returns undefined when no cause is remembered, for example for a retry.
   */
  begins(key: ObjectKey, failures: number, log: Log): WokenBy | undefined {
    const woken = this.#woken.get(key);
    this.#woken.delete(key);
    if (this.#showsDebug()) log.debug(debugFacts(woken, failures), 'woken');
    return woken;
  }

  /** Call this when `key` is dropped without a reconcile. */
  forget(key: ObjectKey): void {
    this.#woken.delete(key);
  }

  /** The causes that enqueued `key` after its last reconcile began. */
  of(key: ObjectKey): WokenBy | undefined {
    const woken = this.#woken.get(key);
    return woken && { causes: woken.causes.map((each) => ({ ...each })), more: woken.more };
  }

  /** Undefined when too many keys are remembered. */
  #remembered(key: ObjectKey): Woken | undefined {
    const known = this.#woken.get(key);
    if (known !== undefined) return known;
    if (this.#woken.size >= MAX_KEYS && !this.#showsDebug()) return undefined;
    const added = { causes: [], more: 0 };
    this.#woken.set(key, added);
    return added;
  }
}

function add(woken: Woken, cause: string, via: string | undefined): void {
  const same = woken.causes.find((each) => each.cause === cause && each.via === via);
  if (same !== undefined) same.times++;
  else if (woken.causes.length < MAX_CAUSES) woken.causes.push({ cause, via, times: 1 });
  else woken.more++;
}

/** The fields of the debug line: the first cause, and the number of further causes. */
function debugFacts(
  woken: WokenBy | undefined,
  failures: number,
): Readonly<Record<string, string | number>> {
  const first = woken?.causes[0];
  if (woken === undefined || first === undefined)
    return { via: failures > 0 ? 'retry' : 'requeue' };
  const more = woken.causes.reduce((sum, { times }) => sum + times, woken.more) - 1;
  const { cause, via } = first;
  return {
    ...(via === undefined ? { via: cause } : { by: cause, via }),
    ...(more > 0 && { more }),
  };
}

/** The object whose change enqueues a key, such as `Secret demo/pw`. */
export function changedObject({ resource, change }: Cause): string {
  return `${resource.kind} ${change.key}`;
}

/**
 * How a change became a key. The result also says whether the change comes from a list, or is a resync
 * without a change.
 */
export function howChanged(change: Change, via: Via): string {
  if (change.type === 'delete') return `${via}, deleted`;
  if (change.type === 'add') return change.initial ? `${via}, first list` : `${via}, created`;
  if (change.resync === true) return 'resync';
  return change.relist === true ? `${via}, relist` : via;
}

/** The name of an object in log lines, such as `StatefulSet demo/x`. */
export function shownObject(
  { kind }: Resource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return `${kind} ${objectKey(namespace, name)}`;
}
