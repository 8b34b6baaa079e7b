import { readFile, rm } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { writeWholeFile } from './whole-file.ts';

/** What this command writes: the URL of the server, and in a second line that of the admin endpoint. */
const OURS = /^(?:https?:\/\/\S+\n){1,2}$/;

/**
 * Removes what a run that was killed has left, before anything starts: the file must not be there while nobody serves.
 *
 * @throws ConfigurationError `CONFIG` when another file is there, or when it cannot be read or removed.
 */
export async function clearReadyFile(path: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, messageOf(error), error);
  });
  if (present === undefined) return;
  if (!OURS.test(present)) throw unwritable(path, 'another file is there; name a new one');
  await removeReadyFile(path);
}

/** @throws ConfigurationError `CONFIG` that names the file. */
export async function writeReadyFile(path: string, urls: readonly string[]): Promise<void> {
  try {
    await writeWholeFile(path, urls.map((url) => `${url}\n`).join(''), 0o644);
  } catch (error) {
    throw unwritable(path, messageOf(error), error);
  }
}

/** Does nothing if the file is gone already. */
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
