import type { Dirent } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';

/** A file that a command adds to a project. */
export interface NewFile {
  /** Relative to the folder of the project, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
  /** Default: that of files that nobody executes. */
  readonly mode?: number;
}

/**
 * The paths that stand in the way of new files, sorted: files of the same path, and files where a folder
 * is needed.
 *
 * @throws ConfigurationError `CONFIG` when the folder cannot be read.
 */
export async function conflictsOf(
  folder: string,
  files: readonly NewFile[],
): Promise<readonly string[]> {
  const wanted = new Set(files.map(({ path }) => path));
  const parents = new Set([...wanted].flatMap(parentsOf));
  const found: string[] = [];
  for (const parent of ['', ...parents]) {
    for (const entry of await entriesOf(join(folder, parent))) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`;
      if (wanted.has(path) || (parents.has(path) && entry.isFile())) found.push(path);
    }
  }
  return found.sort();
}

/**
 * The names in a folder, sorted; none when there is no folder.
 *
 * @throws ConfigurationError `CONFIG` when the folder cannot be read, or is a file.
 */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await entriesOf(folder, true)).map(({ name }) => name).sort();
}

/**
 * Writes new files and the folders that they need. It never overwrites a file: one that exists makes it
 * fail. When one file cannot be written, those that it has written before are removed.
 *
 * @throws OperatorError `CONFIG` that names the file and the reason.
 */
export async function writeNewFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
      written.push(target);
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    throw new OperatorError(`nothing was written: ${messageOf(error)}`, {
      code: 'CONFIG',
      layer: 'configuration',
      cause: error,
    });
  }
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
}

/** A missing folder has no entries. A file in the place of a folder has none either, unless `folderOnly`. */
async function entriesOf(folder: string, folderOnly = false): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (code === 'ENOTDIR' && !folderOnly)) return [];
    throw new ConfigurationError(`cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}
