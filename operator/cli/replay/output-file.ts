import { writeFile } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';

/**
 * Writes a file.
 *
 * @throws ConfigurationError `CONFIG` when the file exists and `force` is false, and when the file
 * cannot be written.
 */
export async function writeNew(path: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = isThere ? 'it exists already; --force overwrites it' : messageOf(error);
    throw new ConfigurationError(`cannot write ${path}: ${why}`, { cause: error });
  }
}
