import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Cancel, Clock } from '../../core/clock.ts';
import { hashOf } from '../loading/loaded-files.ts';
import type { FileHashes } from './messages.ts';

/**
 * The files are compared when no file was written for this time. Editors write a file in several
 * steps, and a formatter writes it again.
 */
export const QUIET_MS = 100;

/** Matches files that can be imported, so that saving them may repair a failed import. */
const SOURCE = /^[^.].*\.(?:[cm]?[jt]s|json)$/;

function isSource(path: string): boolean {
  return SOURCE.test(basename(path));
}

export interface WatchedFilesOptions {
  readonly clock: Clock;
  /** Called after saves that changed something, with the files that changed. */
  readonly onChange: (files: readonly string[]) => void;
  /** True for a path at which a new file is reported. Default: source files. */
  readonly isOther?: (path: string) => boolean;
}

/**
 * Watches the files that an operator has loaded. It watches their folders, and not the files: to
 * save, an editor often renames a new file to the path of the old file. A watch of the old file
 * would not notice later saves.
 */
export class WatchedFiles {
  readonly #clock: Clock;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #isOther: (path: string) => boolean;
  readonly #folders = new Map<string, FSWatcher>();
  #hashes = new Map<string, string | undefined>();
  /** Other source files that were written. They cause a restart only while an import fails. */
  readonly #others = new Set<string>();
  #acceptOthers = false;
  #cancel: Cancel = () => {};
  #closed = false;

  constructor({ clock, onChange, isOther = isSource }: WatchedFilesOptions) {
    this.#clock = clock;
    this.#isOther = isOther;
    this.#onChange = onChange;
  }

  /**
   * Watches exactly these files. A file has changed if its content no longer matches its hash.
   *
   * @param isWhole - false when an import failed. Then a new source file in the same folders causes
   * a restart, too.
   */
  watch(files: FileHashes, isWhole: boolean): void {
    this.#hashes = new Map(Object.entries(files));
    this.#acceptOthers = !isWhole;
    this.#others.clear();
    const folders = new Set([...this.#hashes.keys()].map((file) => dirname(file)));
    for (const [folder, watcher] of this.#folders) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of folders) this.#watchFolder(folder);
    this.noteSave(); // a save may have come while the operator loaded
  }

  /** Watches these files in addition to the files that are already watched. */
  add(files: FileHashes): void {
    for (const [file, hash] of Object.entries(files)) {
      this.#hashes.set(file, hash);
      this.#watchFolder(dirname(file));
    }
  }

  /**
   * Called when a file was written. The files are compared when there was no further call for
   * `QUIET_MS`.
   */
  noteSave(): void {
    this.#cancel();
    if (!this.#closed) this.#cancel = this.#clock.schedule(QUIET_MS, () => this.#compare());
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #watchFolder(folder: string): void {
    if (this.#closed || this.#folders.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => this.#written(folder, name));
      watcher.on('error', () => this.#forget(folder));
      this.#folders.set(folder, watcher);
      this.noteSave(); // a save may have come before the watch
    } catch {
      // The folder is gone. The next start of the operator reports that.
    }
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }

  #written(folder: string, name: string | null): void {
    const file = name === null ? undefined : join(folder, name);
    if (file !== undefined && !this.#hashes.has(file)) {
      if (!this.#acceptOthers || !this.#isOther(file)) return;
      this.#others.add(file);
    }
    this.noteSave();
  }

  #changed(): readonly string[] {
    return [...this.#hashes].filter(([file, hash]) => hashOf(file) !== hash).map(([file]) => file);
  }

  #compare(): void {
    const changed = [...this.#changed(), ...this.#others];
    this.#others.clear();
    if (changed.length === 0) return;
    // The operator will be restarted, and will load the current contents. So later saves are
    // compared with these contents.
    for (const file of this.#hashes.keys()) this.#hashes.set(file, hashOf(file));
    this.#onChange(changed);
  }
}
