import type { KeyReference } from '../spec.ts';

/** Reads keys of Secrets and ConfigMaps, so that a value that was changed counts with the next call. */
export interface KeyReader {
  /**
   * The value as it is now. It begins to watch the object when it is read for the first time.
   *
   * @throws HookError `MissingCredentials` when the object or the key does not exist or may not be read.
   *   @throws `signal.reason` when aborted first.
   */
  read(reference: KeyReference, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends the watches. */
  close(): void;
}
