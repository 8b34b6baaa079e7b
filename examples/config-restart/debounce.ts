import type { ObjectKey } from 'chancery';

/** An edit every second must not put a restart off for ever: ten times the wait is the most. */
const MAX_WAITS = 10;

/** Waits for a ConfigMap to come to rest. In memory: a restarted process waits once more. */
export class Debounce {
  readonly #edits = new Map<ObjectKey, { revision: string; firstAt: number; lastAt: number }>();

  /** Milliseconds until `revision` of `key` may be acted upon; zero or less: now. */
  leftMs(key: ObjectKey, revision: string, debounceMs: number, nowAt: number): number {
    const edit = this.#edits.get(key) ?? { revision, firstAt: nowAt, lastAt: nowAt };
    if (edit.revision !== revision) {
      edit.revision = revision;
      edit.lastAt = nowAt;
    }
    this.#edits.set(key, edit);
    return Math.min(edit.lastAt + debounceMs, edit.firstAt + MAX_WAITS * debounceMs) - nowAt;
  }

  /** Forgets the edits of `key`: they were acted upon, or taken back. */
  settle(key: ObjectKey): void {
    this.#edits.delete(key);
  }
}
