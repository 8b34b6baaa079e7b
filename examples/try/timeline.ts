import type { Writable } from 'node:stream';

/** Who did something; printed in a column of its own. */
export type Actor = 'API server' | 'ambassador' | 'operator' | 'cluster' | 'you';

/** Prints what happens, one line each, with seconds since the start. */
export class Timeline {
  readonly #out: Writable;
  readonly #startedAt = performance.now();

  constructor(out: Writable) {
    this.#out = out;
  }

  tell(actor: Actor, text: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1);
    this.#out.write(`${seconds.padStart(5)} s  ${actor.padEnd(12)}${text}\n`);
  }

  say(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
