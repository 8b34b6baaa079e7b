import { createRequire } from 'node:module';
import type { Pool } from 'undici';

export type { Pool } from 'undici';

/** Where undici keeps the class; what its index exports under the name `Pool` is the same one. */
const FILE = 'undici/lib/dispatcher/pool.js';

/**
 * undici's Pool, loaded now. The only module that loads undici.
 *
 * The file by itself is 21 of the 109 that undici's index brings, which has fetch, WebSocket, caches and
 * mocks as well, and half of the time that loading them takes. It is no path that undici promises, so
 * where it is gone the index is asked.
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

/** No file of that name, or one that `exports` of package.json does not let us have. */
function isNoSuchPath(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
}
