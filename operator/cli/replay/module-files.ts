import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import type { HeaderLine } from '../../flight/record-line.ts';

/** How the files of an operator are now, beside those that were recorded. */
export interface ModuleChanges {
  /** Files of the record whose content has changed. */
  readonly changed: readonly string[];
  /** Files of the record that are not loaded any more. */
  readonly missing: readonly string[];
  /** True when no file is as it was recorded. */
  readonly isOther: boolean;
}

/** The files that this process loads as modules from now on, with their content. */
export class ModuleFiles {
  /** SHA-256 by path. */
  readonly #hashes = new Map<string, string>();

  constructor() {
    registerHooks({
      load: (url, context, next) => {
        if (url.startsWith('file:')) this.#note(fileURLToPath(url));
        return next(url, context);
      },
    });
  }

  /** Files lie elsewhere than where they were recorded: they are compared by content, then by name. */
  changesSince({ modules }: Pick<HeaderLine, 'modules'>): ModuleChanges {
    const hashes = new Set(this.#hashes.values());
    const names = new Set([...this.#hashes.keys()].map((path) => basename(path)));
    const others = modules.filter(({ sha256 }) => !hashes.has(sha256)).map(({ path }) => path);
    return {
      changed: others.filter((path) => names.has(basename(path))),
      missing: others.filter((path) => !names.has(basename(path))),
      isOther: modules.length > 0 && others.length === modules.length,
    };
  }

  #note(path: string): void {
    try {
      const hash = nodeCrypto().createHash('sha256').update(readFileSync(path)).digest('hex');
      this.#hashes.set(path, hash);
    } catch {
      // The import itself reports a file that cannot be read.
    }
  }
}
