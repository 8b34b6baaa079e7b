import type { Dirent } from 'node:fs';
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';

/** A file that a command adds to a project. */
export interface NewFile {
  /** The path relative to the folder of the project, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
  /** The file mode. By default, the file is not executable. */
  readonly mode?: number;
}

/**
 * The paths that conflict with new files, sorted: files with the same path, and files where a
 * folder is needed.
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
 * The names in a folder, sorted. Empty when there is no folder.
 *
 * @throws ConfigurationError `CONFIG` when the folder cannot be read, or is a file.
 */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await entriesOf(folder, true)).map(({ name }) => name).sort();
}

/**
 * Writes new files and the folders that they need. An existing file is never overwritten: the call
 * fails instead. When a file cannot be written, the files that were already written are removed.
 *
 * @throws OperatorError `CONFIG` with the file and the reason.
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

/**
 * Replaces files of a project, or adds them. All new contents are first written to temporary files beside the
 * files. The files are replaced only after that, so that a full disk changes nothing. Files keep their mode.
 * If a path is a link, the target of the link is replaced.
 *
 * @throws OperatorError `CONFIG` with the file and the reason.
 */
export async function replaceFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const written: { readonly beside: string; readonly target: string }[] = [];
  try {
    for (const { path, text, mode } of files) {
      const target = await realpath(join(folder, path)).catch(() => join(folder, path));
      await mkdir(dirname(target), { recursive: true });
      const beside = join(dirname(target), `.chancery-${process.pid}-${basename(target)}`);
      const before = await stat(target).catch(() => undefined);
      await writeFile(beside, text, { flag: 'wx', mode: mode ?? before?.mode ?? 0o666 });
      written.push({ beside, target });
    }
    for (const { beside, target } of written) await rename(beside, target);
  } catch (error) {
    for (const { beside } of written) await rm(beside, { force: true });
    throw new OperatorError(`cannot write into ${folder}: ${messageOf(error)}`, {
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

/**
 * The entries of a folder. Empty when the folder is missing. Also empty when the path is a file,
 * unless `folderOnly` is set.
 */
async function entriesOf(folder: string, folderOnly = false): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || (code === 'ENOTDIR' && !folderOnly)) return [];
    throw new ConfigurationError(`cannot read ${folder}: ${messageOf(error)}`, { cause: error });
  }
}
