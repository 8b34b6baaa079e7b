import { createRequire } from 'node:module';
import type { Pool } from 'undici';

export type { Pool } from 'undici';

/** The file in which undici defines the class that its index exports as `Pool`. */
const FILE = 'undici/lib/dispatcher/pool.js';

/**
 * Loads undici's Pool when called. No other module loads undici.
 *
 * Loading this file loads 21 files of undici, and takes half the time of loading undici's index, which loads
 * 109 files: the index also loads fetch, WebSocket, caches and mocks. undici does not guarantee this path, so
 * if it does not exist, the index is loaded.
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

/** True if there is no file with this name, or `exports` in package.json hides it. */
function isNoSuchPath(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
}
