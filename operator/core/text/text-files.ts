import { readFileSync } from 'node:fs';

/** Returns the contents of a file. The path is relative to a folder. */
export type TextFiles = (path: string) => string;

/**
 * Reads files that are not TypeScript modules, such as HTML, CSS, browser scripts and YAML. They are next to
 * the module that uses them. Each file is read once, on first use.
 *
 * `npm run build` replaces the argument `source` with the contents of the files in the folder, so that the
 * built package reads no files. The build finds a call only if it is written like this, on one line:
 * `textFiles(new URL('./', import.meta.url))`.
 *
 * @param source - a folder of the sources. In the built package, it is an object with the contents of the
 *   files in the folder, keyed by their paths relative to the folder.
 * @returns a function that throws an `Error` for an unknown path, which is a bug of the toolkit.
 */
export function textFiles(source: URL | Readonly<Record<string, string>>): TextFiles {
  const texts = new Map(source instanceof URL ? [] : Object.entries(source));
  return (path) => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    if (!(source instanceof URL)) throw new Error(`the build has left out ${path}`);
    const text = readFileSync(new URL(path, source), 'utf8');
    texts.set(path, text);
    return text;
  };
}
