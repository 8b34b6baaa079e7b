import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { isManifestName, type ManifestDocument, readManifests } from '../files/manifest-files.ts';
import { hashOf } from '../loading/loaded-files.ts';
import { WatchedFiles } from './watched-files.ts';

export interface SampleFilesOptions {
  /** Files and folders on the command line. */
  readonly paths: readonly string[];
  /** The objects that the files contain at startup. */
  readonly samples: readonly ManifestDocument[];
  readonly clock: Clock;
  readonly say: (text: string) => void;
  /** Returns a path in the form in which messages contain it. */
  readonly shown: (path: string) => string;
  /** Called with the documents of each new or changed file. Calls do not overlap. */
  readonly onSaved: (samples: readonly ManifestDocument[]) => Promise<void>;
}

/**
 * Watches the files of `--samples` while `chancery dev` runs. It notices changed files, and new
 * files in a folder.
 */
export class SampleFiles {
  readonly #options: SampleFilesOptions;
  readonly #files: WatchedFiles;
  /** The names of files on the command line, keyed by their absolute paths. */
  readonly #names: ReadonlyMap<string, string>;
  #work: Promise<void> = Promise.resolve();

  constructor(options: SampleFilesOptions) {
    this.#options = options;
    this.#names = new Map(options.samples.map(({ file }) => [resolve(file), file]));
    const folders = new Set(options.paths.map((path) => resolve(path)).filter(isFolder));
    this.#files = new WatchedFiles({
      clock: options.clock,
      isOther: (path) => isManifestName(basename(path)) && folders.has(dirname(path)),
      onChange: (changed) => {
        this.#work = this.#work.then(() => this.#read(changed));
      },
    });
  }

  start(): void {
    const given = this.#options.paths.map((path) => resolve(path));
    const files = [...this.#names.keys(), ...given.filter((path) => !isFolder(path))];
    const hashes = files.flatMap((path) => {
      const hash = hashOf(path);
      return hash === undefined ? [] : [[path, hash] as const];
    });
    this.#files.watch(Object.fromEntries(hashes), false);
  }

  async close(): Promise<void> {
    this.#files.close();
    await this.#work;
  }

  async #read(changed: readonly string[]): Promise<void> {
    const { onSaved, say, shown } = this.#options;
    for (const path of changed) {
      const hash = hashOf(path);
      if (hash === undefined) continue; // the file is gone, and the objects stay
      this.#files.add({ [path]: hash });
      try {
        const read = await readManifests([path], Readable.from([]), '--samples ');
        say(`${shown(path)} changed; it is applied`);
        await onSaved(
          read.map(({ value }) => ({ file: this.#names.get(path) ?? shown(path), value })),
        );
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        say(error.message);
      }
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
