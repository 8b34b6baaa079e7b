import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import { LAUNCHER } from '../launcher.ts';

/** The folders of the toolkit and its test kit: their files are none of an operator. */
const TOOLKIT = ['operator/', 'dist/', 'testing/'].map((folder) =>
  resolve(dirname(LAUNCHER), '../..', folder),
);

/** The files that this process loads as modules. Those of the toolkit, its test kit and of packages are left out. */
export class LoadedFiles {
  readonly #hashes = new Map<string, string>();

  /**
   * Notices files from now on.
   *
   * @param onLoad - is told of each file, when it is loaded.
   */
  notice(onLoad: (path: string, sha256: string) => void = () => {}): void {
    registerHooks({
      load: (url, context, nextLoad) => {
        const path = pathOf(url);
        // The import of a file that cannot be read fails with a better message.
        const sha256 = path === undefined ? undefined : hashOf(path);
        if (path !== undefined && sha256 !== undefined) {
          this.#hashes.set(path, sha256);
          onLoad(path, sha256);
        }
        return nextLoad(url, context);
      },
    });
  }

  /** The hash of each by its absolute path: of what it had when it was loaded, and not of what is saved after that. */
  get hashes(): ReadonlyMap<string, string> {
    return this.#hashes;
  }
}

/** Undefined for what is no file of an operator. */
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
