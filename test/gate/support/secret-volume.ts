import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder as the kubelet mounts a Secret: files behind two links, all of them exchanged at once. */
export class SecretVolume {
  readonly folder: string;
  #generation = 0;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { mode: 0o755, recursive: true });
  }

  /**
   * Writes files into a new folder, lets `..data` lead there by one rename, and deletes the old folder: the order of the
   * kubelet.
   */
  put(files: Readonly<Record<string, string>>): void {
    const old = `..${this.#generation}`;
    this.#generation++;
    const next = `..${this.#generation}`;
    mkdirSync(join(this.folder, next), { mode: 0o755 });
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(this.folder, next, name), text, { mode: 0o644 });
    }
    symlinkSync(next, join(this.folder, '..data_tmp'));
    renameSync(join(this.folder, '..data_tmp'), join(this.folder, '..data'));
    rmSync(join(this.folder, old), { recursive: true, force: true });
    if (this.#generation > 1) return;
    for (const name of Object.keys(files)) {
      symlinkSync(join('..data', name), join(this.folder, name));
    }
  }
}
