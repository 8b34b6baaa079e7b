import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCHER } from '../launcher.ts';
import type { FileHashes } from './messages.ts';

/** The folders of the toolkit and its test kit. A change of their files starts no operator. */
const TOOLKIT = ['operator/', 'dist/', 'testing/'].map((folder) =>
  resolve(dirname(LAUNCHER), '../..', folder),
);

/**
 * The files that this process loads from now on as modules, outside `node_modules`. The hash of a file is that
 * of its content when it was loaded: a save after that makes another one.
 */
export class LoadedFiles {
  readonly #hashes: Record<string, string> = {};
  readonly #onLoad: (file: FileHashes) => void;

  /** @param onLoad - is told of every file, when it is loaded. */
  constructor(onLoad: (file: FileHashes) => void) {
    this.#onLoad = onLoad;
    registerHooks({
      load: (url, context, nextLoad) => {
        this.#note(url);
        return nextLoad(url, context);
      },
    });
  }

  get hashes(): FileHashes {
    return { ...this.#hashes };
  }

  #note(url: string): void {
    if (!url.startsWith('file:')) return;
    const path = fileURLToPath(url);
    const isOurs = TOOLKIT.some((folder) => path.startsWith(`${folder}/`));
    if (isOurs || path.includes('/node_modules/')) return;
    const hash = hashOf(path);
    if (hash === undefined) return;
    this.#hashes[path] = hash;
    this.#onLoad({ [path]: hash });
  }
}

/** Undefined when the file cannot be read. */
export function hashOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('base64');
  } catch {
    return undefined;
  }
}
