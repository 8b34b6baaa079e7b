import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';

interface FileOptions {
  readonly folder: string;
  readonly name: string;
  /** Overwrite existing files. */
  readonly force: boolean;
}

/**
 * The file of a recording. Until the end, its lines are in `NAME.jsonl.partial`, so that a crash
 * loses at most the last line. `finish` sorts the lines and then moves the file to its final path
 * in one step. Only the owner can read both files.
 */
export class RecordingFile {
  readonly path: string;
  /** Path of the file that contains the lines until `finish` is called. */
  readonly partial: string;
  readonly #file: FileHandle;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.partial = partialOf(path);
    this.#file = file;
  }

  /**
   * Creates the folder if it is missing, and the file for the lines.
   *
   * @throws ConfigurationError `CONFIG` when a file of that name exists, or when it cannot be
   * created.
   */
  static async create({ folder, name, force }: FileOptions): Promise<RecordingFile> {
    const path = join(folder, `${name}.jsonl`);
    const partial = partialOf(path);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (!force) for (const each of [path, partial]) await requireFree(each);
      if (force) await rm(partial, { force: true });
      const { O_CREAT, O_EXCL, O_APPEND, O_WRONLY } = constants;
      return new RecordingFile(
        path,
        await open(partial, O_CREAT | O_EXCL | O_APPEND | O_WRONLY, 0o600),
      );
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      throw new ConfigurationError(`cannot write into --out ${folder}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * Adds one line. Lines keep the order of the calls.
   *
   * @throws OperatorError `CONFIG` when the line cannot be written.
   */
  append(line: string): Promise<void> {
    const written = this.#last.then(() => this.#file.appendFile(`${line}\n`));
    this.#last = written.catch(() => {});
    return written.catch((error: unknown) => {
      throw unwritable(this.partial, error);
    });
  }

  /** Closes the file and keeps the lines in `partial`. */
  async abandon(): Promise<void> {
    await this.#last;
    await this.#file.close();
  }

  /**
   * Writes the recording, sorted by the ids of its exchanges. Without lines, no file is written.
   *
   * @param last - a function that changes each line at the end, when all exchanges are known. If it
   * returns an empty string, the line is removed.
   * @throws OperatorError `CONFIG` when the file cannot be written. In this case the lines stay in
   * `partial`.
   */
  async finish(last: (line: string) => string): Promise<void> {
    await this.abandon();
    const isThere = (line: string): boolean => line !== '';
    const text = await readFile(this.partial, 'utf8');
    const lines = text.split('\n').filter(isThere).map(last).filter(isThere);
    if (lines.length > 0) await this.#replace(lines.toSorted((a, b) => idOf(a) - idOf(b)));
    await rm(this.partial);
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const draft = `${this.path}.${process.pid}.tmp`;
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        for (const line of lines) await file.appendFile(`${line}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw unwritable(this.path, error, `; what was recorded is in ${this.partial}`);
    }
  }
}

function partialOf(path: string): string {
  return `${path}.partial`;
}

async function requireFree(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  throw new ConfigurationError(
    `${path} exists already: choose another --name or --out, or add --force to overwrite it`,
  );
}

function unwritable(path: string, error: unknown, more = ''): OperatorError {
  return new OperatorError(`cannot write ${path}: ${messageOf(error)}${more}`, {
    code: 'CONFIG',
    layer: 'configuration',
    cause: error,
  });
}

function idOf(line: string): number {
  return Number(/^\{"id":(\d+)/.exec(line)?.[1] ?? 0);
}
