import type { ObjectKey } from 'chancery';
import { Debounce } from 'chancery/low-level';

/** A restart that a watcher's status does not show yet. */
export interface Report {
  /** RFC 3339. */
  readonly lastRestartTime: string;
  readonly lastRestartedPods: readonly string[];
}

/** Watchers are listed in a few seconds, or their definition is not there. */
const STARTING_MS = 30_000;

/** What one process knows besides the cluster. Losing it delays a restart, and changes none. */
export class Memory {
  readonly debounce: Debounce = new Debounce();
  /** ConfigMaps with an entry of our own that the cache may not show yet. */
  readonly remembered: Set<ObjectKey> = new Set();
  /** By the uid of what declares the watcher; taken out when its status was written. */
  readonly reports: Map<string, Report> = new Map();
  /** What people were told already, and what is still true, by the key that it was found at. */
  readonly complaints: Map<ObjectKey, ReadonlySet<string>> = new Map();
  /** Front ends whose definition turned out to have no status. */
  readonly withoutStatus: Set<string> = new Set();
  #firstSeenAt: number | undefined;

  /** True while a front end that was there before may still be about to be listed. */
  isStarting(nowAt: number): boolean {
    this.#firstSeenAt ??= nowAt;
    return nowAt - this.#firstSeenAt < STARTING_MS;
  }
}
