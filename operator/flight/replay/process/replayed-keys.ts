import type { AttemptEnd } from '../../../controller/run/middleware.ts';
import type { TransportRequest } from '../../../transport/transport.ts';
import type { ReplayedKey, ReplayedWrite } from '../replay-options.ts';

interface KeyState {
  readonly writes: ReplayedWrite[];
  outcome: AttemptEnd['outcome'] | undefined;
}

/** The writes and outcomes of a replay for each key. All controllers are taken together. */
export class ReplayedKeys {
  readonly #keys = new Map<string, KeyState>();

  /** Call this when an attempt to reconcile the key begins. */
  began(key: string): void {
    this.#of(key).outcome = undefined;
  }

  wrote(key: string, { method, path, body }: TransportRequest): void {
    this.#of(key).writes.push({ method, path, body });
  }

  ended(key: string, { outcome }: AttemptEnd): void {
    this.#of(key).outcome = outcome;
  }

  of(key: string): ReplayedKey {
    return this.#of(key);
  }

  #of(key: string): KeyState {
    const known = this.#keys.get(key) ?? { writes: [], outcome: undefined };
    this.#keys.set(key, known);
    return known;
  }
}
