import type { AttemptFacts } from '../scenario/attempt-facts.ts';

/**
 * What the reconciles of each key have seen and written since the operator started: with an equal history, code that
 * remembers something between two reconciles remembers the same. Reconciles without a request do not count.
 */
export class AttemptHistory {
  readonly #running = new Map<string, string[]>();
  readonly #done = new Map<string, string[]>();

  /** A reconcile is under way: what it has read so far cannot be seen. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  began(attempt: AttemptFacts): void {
    this.#running.set(nameOf(attempt), []);
  }

  exchanged(attempt: AttemptFacts, exchange: string): void {
    this.#running.get(nameOf(attempt))?.push(exchange);
  }

  finished(attempt: AttemptFacts, outcome: string): void {
    const name = nameOf(attempt);
    const exchanges = this.#running.get(name) ?? [];
    this.#running.delete(name);
    if (exchanges.length === 0) return;
    const text = [outcome, ...exchanges].join(' | ');
    const done = this.#done.get(name) ?? [];
    if (done.at(-1) !== text) done.push(text);
    this.#done.set(name, done);
  }

  clear(): void {
    this.#running.clear();
    this.#done.clear();
  }

  get digest(): string {
    return [...this.#done]
      .map(([name, done]) => `${name}: ${done.join('\n')}`)
      .sort()
      .join('\n');
  }
}

function nameOf({ controller, key }: AttemptFacts): string {
  return `${controller} ${key}`;
}
