import { readFileSync } from 'node:fs';

/** The text of a file, by its path below a folder. */
export type TextFiles = (path: string) => string;

/**
 * Texts of other languages that lie beside the module that uses them: HTML, CSS, browser scripts, YAML.
 * A file is read when its text is first asked for, and once.
 *
 * `npm run build` replaces the folder by the texts of its files, so that the built package reads no file.
 * It finds each call by its form, on one line: `textFiles(new URL('./', import.meta.url))`.
 *
 * @param source - a folder of the sources; in the built package the texts, by their path below it.
 * @returns a function that throws an `Error` for a path that is not there: that is a bug of the toolkit.
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
