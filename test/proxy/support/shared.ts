import { beforeAll, beforeEach } from 'vitest';

/** What a test must give back. */
export interface Running {
  stop(): Promise<void>;
  /** Forgets what the test before has left behind. */
  forget?(): void;
}

/**
 * One for all tests of the `describe` or file around it: started before the first, forgetful between
 * them, stopped after the last. Processes of kubectl are what makes these tests slow.
 */
export function shared<T extends Running>(start: () => Promise<T>): () => T {
  let running: T | undefined;
  beforeAll(async () => {
    running = await start();
    return () => running?.stop();
  });
  beforeEach(() => running?.forget?.());
  return () => {
    if (running === undefined) throw new Error('used before it was started');
    return running;
  };
}
