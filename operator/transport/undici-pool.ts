import { createRequire } from 'node:module';
import type { Pool } from 'undici';

export type { Pool } from 'undici';

/** The file in which undici defines the class that its index exports as `Pool`. */
const FILE = 'undici/lib/dispatcher/pool.js';

/**
 * Loads undici's Pool when called. No other module loads undici.
 *
 * This file loads 21 of the 109 files that undici's index loads, in half the time, because the index also
 * loads fetch, WebSocket, caches and mocks. undici does not guarantee this path, so the index is used if the
 * path fails.
 */
export function undiciPool(
  load: (id: string) => unknown = createRequire(import.meta.url),
): typeof Pool {
  try {
    return load(FILE) as typeof Pool;
  } catch (error) {
    if (!isNoSuchPath(error)) throw error;
    return (load('undici') as typeof import('undici')).Pool;
  }
}

/** True if no file has this name, or `exports` of package.json hides it. */
function isNoSuchPath(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
}
