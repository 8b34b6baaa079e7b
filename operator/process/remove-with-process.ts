import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const folders = new Set<string>();

function removeAll(): void {
  for (const path of folders) removeNow(path);
}

/**
 * Removes a folder when this process exits, even after a second signal, at the time limit of a shutdown or
 * after a lost Lease, but not after SIGKILL. Disposing of the result cancels this.
 */
export function removeWithProcess(path: string): Disposable {
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(path);
  return {
    [Symbol.dispose]: () => {
      folders.delete(path);
      if (folders.size === 0) process.off('exit', removeAll);
    },
  };
}

/**
 * Removes a folder. Never throws. The folder may contain folders of a program that deny access. Access is
 * then granted first, which is possible because they belong to the user of this process.
 */
export function removeNow(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The next process that uses the parent folder will remove this folder.
    }
  }
}

function openFolders(path: string): void {
  try {
    chmodSync(path, 0o700);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) openFolders(join(path, entry.name));
    }
  } catch {
    // The path is no longer a folder, or belongs to another user.
  }
}
