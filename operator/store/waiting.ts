/** Lets callers wait for a condition, and calls listeners after changes of state. */
export class Waiting {
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` after each change, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when `condition` holds. It is checked now and after each change.
   *
   * @throws `signal.reason` when `signal` aborts before that.
   */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition()) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      const cancel = this.listen(wake);
      signal.addEventListener('abort', wake, { once: true });
      await promise;
      cancel();
      signal.removeEventListener('abort', wake);
    }
  }

  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
