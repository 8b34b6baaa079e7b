import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files of a ServiceAccount, as a Pod gets them. */
export interface Credentials {
  readonly token?: string;
  readonly 'ca.crt'?: string;
  readonly namespace?: string;
}

/**
 * A folder as the kubelet keeps a projected volume: each file is a link into `..data`, which is a link
 * to the folder of the time and is replaced in one step, so that a reader sees all files of one time.
 */
export class TokenVolume {
  readonly path: string = mkdtempSync(join(tmpdir(), 'chancery-volume-'));
  #files: Credentials = {};
  #writes = 0;

  /** Changes the files that are named; undefined takes one away. */
  write(changes: { readonly [Name in keyof Credentials]?: Credentials[Name] | undefined }): void {
    const merged = Object.entries({ ...this.#files, ...changes });
    const files = merged.filter(([, text]) => text !== undefined) as [string, string][];
    const folder = `..2026_11_21_06_00_00.${++this.#writes}`;
    mkdirSync(join(this.path, folder));
    for (const [name, text] of files) writeFileSync(join(this.path, folder, name), text);
    symlinkSync(folder, join(this.path, '..data_tmp'));
    renameSync(join(this.path, '..data_tmp'), join(this.path, '..data'));
    this.#files = Object.fromEntries(files);
    this.#link(files.map(([name]) => name));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #link(names: readonly string[]): void {
    const present = readdirSync(this.path).filter((name) => !name.startsWith('..'));
    for (const name of present) if (!names.includes(name)) rmSync(join(this.path, name));
    for (const name of names) {
      if (!present.includes(name)) symlinkSync(`..data/${name}`, join(this.path, name));
    }
  }
}
