/**
 * `generator`, whose `return` and `throw` call `release` first. By itself a generator that was never
 * started skips its `finally`, and what it would have closed stays open.
 */
export function ownedIterator<T>(
  generator: AsyncGenerator<T, void, undefined>,
  release: () => void,
): AsyncGenerator<T, void, undefined> {
  return {
    next: () => generator.next(),
    return: (value) => {
      release();
      return generator.return(value);
    },
    throw: (error) => {
      release();
      return generator.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}
