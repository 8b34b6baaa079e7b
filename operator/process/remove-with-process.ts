import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const folders = new Set<string>();

function removeAll(): void {
  for (const path of folders) removeNow(path);
}

/**
 * Until it is disposed of, the folder is removed when this process exits in any way but by SIGKILL: after a second
 * signal, at the time limit of a stop, and after a lost Lease.
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

/** Never throws. What a program has left without access is opened first: it belongs to the user of this process. */
export function removeNow(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The next process that uses the folder above removes it.
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
    // It is no folder any more, or another user's.
  }
}
