import { setTimeout } from 'node:timers/promises';

/** A connection that had the port as its own end is over long before. */
const GIVE_UP_MS = 10_000;
const RETRY_MS = 20;

/**
 * Listens on a port that was ours before. The system may have given it to another program meanwhile,
 * usually as the near end of a connection: `listen` is called again until the port is free.
 *
 * @param listen - rejects with `EADDRINUSE` while the port is taken.
 * @throws the error of `listen` at once when it is another one, and `EADDRINUSE` after 10 s.
 */
export async function listenAgain<T>(listen: () => Promise<T>): Promise<T> {
  const givenUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await listen();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || performance.now() > givenUpAt) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}
