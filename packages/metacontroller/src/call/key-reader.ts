import type { KeyReference } from '../spec.ts';

/** Reads keys of Secrets and ConfigMaps. A changed value is used from the next call on. */
export interface KeyReader {
  /**
   * The current value. The first read of an object starts to watch it.
   *
   * @throws HookError `MissingCredentials` when the object or the key does not exist or may not be
   * read; `signal.reason` if the signal aborts before the value is known.
   */
  read(reference: KeyReference, signal: AbortSignal): Promise<Uint8Array>;
  /** Ends the watches. */
  close(): void;
}
