import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface File {
  /** Below the root, with a leading slash. */
  readonly path: string;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
}

/** Everything below `root` that is no folder, links included and not followed. */
export async function filesBelow(root: string): Promise<readonly File[]> {
  const files: File[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size, mode, uid } = await lstat(path);
    files.push({ path: `/${relative(root, path)}`, size, mode: mode & 0o7777, uid });
  }
  return files;
}
