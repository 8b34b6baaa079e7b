import type { AttemptFacts } from '../scenario/attempt-facts.ts';

/**
 * The reads and writes of each key's reconciles since the operator started. If the histories of two
 * runs are equal, then state that code keeps between reconciles is also equal. Reconciles without a
 * request are ignored.
 */
export class AttemptHistory {
  readonly #running = new Map<string, string[]>();
  readonly #done = new Map<string, string[]>();

  /** True while a reconcile runs. `digest` does not contain its requests yet. */
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
