import { readFile, rm } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { writeWholeFile } from './whole-file.ts';

/**
 * The content that this command writes: the URL of the server, and in a second line the URL of the
 * admin endpoint.
 */
const OURS = /^(?:https?:\/\/\S+\n){1,2}$/;

/**
 * Called before the server starts. Removes the file that an earlier run has left because it was
 * killed. The file must not exist while no server runs.
 *
 * @throws ConfigurationError `CONFIG` when the file at `path` is not a ready file, or when it
 * cannot be read or removed.
 */
export async function clearReadyFile(path: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, messageOf(error), error);
  });
  if (present === undefined) return;
  if (!OURS.test(present)) throw unwritable(path, 'another file has this name; name a new one');
  await removeReadyFile(path);
}

/**
 * Writes the file with the URLs of the server.
 *
 * @throws ConfigurationError `CONFIG` with the file.
 */
export async function writeReadyFile(path: string, urls: readonly string[]): Promise<void> {
  try {
    await writeWholeFile(path, urls.map((url) => `${url}\n`).join(''), 0o644);
  } catch (error) {
    throw unwritable(path, messageOf(error), error);
  }
}

/** Removes the file. Does nothing if it is already gone. */
export async function removeReadyFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw unwritable(path, messageOf(error), error);
  }
}

function unwritable(path: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`cannot write --ready-file ${path}: ${why}`, { cause });
}
