import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import { LAUNCHER } from '../launcher.ts';

/** The folders of the toolkit and its test kit. Their files do not belong to an operator. */
const TOOLKIT = ['operator/', 'dist/', 'testing/'].map((folder) =>
  resolve(dirname(LAUNCHER), '../..', folder),
);

/**
 * The files that this process loads as modules. Files of the toolkit, of its test kit and of
 * packages are excluded.
 */
export class LoadedFiles {
  readonly #hashes = new Map<string, string>();

  /**
   * Collects files from now on.
   *
   * @param onLoad - called with each file when it is loaded.
   */
  notice(onLoad: (path: string, sha256: string) => void = () => {}): void {
    registerHooks({
      load: (url, context, nextLoad) => {
        const path = pathOf(url);
        // A file that cannot be read is ignored, because its import fails with a better message.
        const sha256 = path === undefined ? undefined : hashOf(path);
        if (path !== undefined && sha256 !== undefined) {
          this.#hashes.set(path, sha256);
          onLoad(path, sha256);
        }
        return nextLoad(url, context);
      },
    });
  }

  /**
   * Hashes, keyed by absolute path. Each is the hash of the content that was loaded. Later saves do not
   * change the hash.
   */
  get hashes(): ReadonlyMap<string, string> {
    return this.#hashes;
  }
}

/** The path of an operator's file. Undefined for other modules. */
function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(url);
  const isOurs = TOOLKIT.some((folder) => path.startsWith(`${folder}/`));
  return isOurs || path.includes('/node_modules/') ? undefined : path;
}

/** SHA-256 of the content of a file, in hexadecimal. Undefined when it cannot be read. */
export function hashOf(path: string): string | undefined {
  try {
    return nodeCrypto().createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined;
  }
}
