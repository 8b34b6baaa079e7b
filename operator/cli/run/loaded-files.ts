import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** A file of an operator. */
interface LoadedFile {
  /** From the working directory, unless it is outside of it. */
  readonly path: string;
  readonly sha256: string;
}

/** The folder that this copy of the toolkit is in. */
const TOOLKIT = new URL('../../', import.meta.url).href;

/** The files of modules that this process loads, as they were at that moment: a ConfigMap may change later. */
export class LoadedFiles {
  readonly #files = new Map<string, LoadedFile>();

  /** Notices files from now on. Neither those of the toolkit, nor those of packages. */
  notice(): void {
    registerHooks({
      load: (url, context, nextLoad) => {
        this.#add(url);
        return nextLoad(url, context);
      },
    });
  }

  loaded(): readonly LoadedFile[] {
    return [...this.#files.values()];
  }

  #add(url: string): void {
    if (!url.startsWith('file:') || url.startsWith(TOOLKIT)) return;
    if (url.includes('/node_modules/') || this.#files.has(url)) return;
    try {
      const file = fileURLToPath(url);
      const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
      const inside = relative(process.cwd(), file);
      this.#files.set(url, { path: inside.startsWith('..') ? file : inside, sha256 });
    } catch {
      // The import of a file that cannot be read fails with a better message.
    }
  }
}
