import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file completely or not at all. Readers never see an incomplete file.
 *
 * @throws Error when the file system fails.
 */
export async function writeWholeFile(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await rm(draft, { force: true }); // left by a process that was killed
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
