import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { messageOf, OperatorError } from '../../core/errors.ts';
import type { ManifestFile } from '../../generate/manifests/manifest-file.ts';

/** How a file on disk compares with the generated text. */
export interface FileState {
  /** The path as printed. */
  readonly path: string;
  /** `surplus`: generated earlier and no longer part of the output. `foreign`: not generated, so it stays. */
  readonly state: 'same' | 'missing' | 'differs' | 'surplus' | 'foreign';
  /** The text on disk; '' when there is no file. */
  readonly before: string;
  /** The generated text; '' when the file is surplus. */
  readonly after: string;
}

/** The beginning of every file that this toolkit generates. */
const GENERATED = /^# (?:Generated|Written) by `[^`\n]+`/;

/**
 * Compares a folder with the generated files.
 *
 * @param ownFolders - searched, without sub-folders, for files that were generated earlier. Copies in other
 *   folders belong to the user, even if they begin like generated files.
 * @throws OperatorError `CONFIG` when a file or folder cannot be read.
 */
export async function treeStates(
  folder: string,
  files: readonly ManifestFile[],
  ownFolders: readonly string[],
): Promise<readonly FileState[]> {
  const states: FileState[] = [];
  for (const { path, text } of files) states.push(await fileState(join(folder, path), text));
  const known = new Set(states.map(({ path }) => path));
  for (const own of ownFolders) {
    for (const path of await yamlFilesIn(join(folder, own))) {
      if (known.has(path)) continue;
      known.add(path);
      const before = await contentOf(path);
      if (before !== undefined && GENERATED.test(before)) {
        states.push({ path, state: 'surplus', before, after: '' });
      }
    }
  }
  return states.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Compares one file with its generated text.
 *
 * @throws OperatorError `CONFIG` when it cannot be read.
 */
export async function fileState(path: string, after: string): Promise<FileState> {
  const before = await contentOf(path);
  if (before === undefined) return { path, state: 'missing', before: '', after };
  if (before === after) return { path, state: 'same', before, after };
  return { path, state: GENERATED.test(before) ? 'differs' : 'foreign', before, after };
}

/**
 * Writes missing and changed files, and removes surplus files. All files are first written next to their
 * final places, so that a full disk or a missing permission changes nothing. The caller must exclude foreign
 * files.
 *
 * @throws OperatorError `CONFIG` when a file cannot be written or removed.
 */
export async function writeStates(states: readonly FileState[]): Promise<void> {
  const changed = states.filter(({ state }) => state === 'missing' || state === 'differs');
  const staged = changed.map(({ path, after }) => ({
    path,
    after,
    beside: join(dirname(path), `.chancery-${process.pid}-${basename(path)}`),
  }));
  try {
    for (const { path, beside, after } of staged) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(beside, after, { flag: 'wx' });
    }
    for (const { path, beside } of staged) await rename(beside, path);
  } catch (error) {
    throw unusable('write', error);
  } finally {
    for (const { beside } of staged) await rm(beside, { force: true });
  }
  try {
    for (const { path, state } of states) if (state === 'surplus') await rm(path);
  } catch (error) {
    throw unusable('remove', error);
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable('read', error);
  }
}

/** Regular files only: the target of a link is not ours. */
async function yamlFilesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
      .map((entry) => join(folder, entry.name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw unusable('read', error);
  }
}

/** The message from Node names the path and the reason. */
function unusable(what: string, error: unknown): OperatorError {
  return new OperatorError(`cannot ${what}: ${messageOf(error)}`, {
    code: 'CONFIG',
    layer: 'configuration',
    cause: error,
  });
}
