/** A plugin for builds: puts the texts that modules read with `textFiles` into these modules. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';

/**
 * Replaces calls of `textFiles` by the texts of the files: see `operator/core/text/text-files.ts`. The replacement
 * stays on the line of the call.
 */
export function embedTextFiles(): Plugin {
  const call = /\btextFiles\(new URL\('(\.[^']*\/)', import\.meta\.url\)\)/g;
  return {
    name: 'embed-text-files',
    transform: {
      filter: { code: /\bimport \{[^}]*\btextFiles\b/ },
      handler(code, id) {
        const embedded = code.replace(
          call,
          (_call, folder) => `textFiles(${JSON.stringify(textsBelow(join(dirname(id), folder)))})`,
        );
        if (embedded === code) throw new Error(`${id}: no folder for textFiles to embed`);
        return { code: embedded, map: null };
      },
    },
  };
}

/** The text of each file below `folder` that is not TypeScript, by its path relative to `folder`. */
function textsBelow(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}
