import { constants, mkdtempSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ConfigurationError, OperatorError } from '../core/errors.ts';
import { removeNow, removeWithProcess } from './remove-with-process.ts';

/** Maximum bytes of a file that a program has written for this process. */
const RESULT_LIMIT_BYTES = 10_000_000;

/**
 * Matches the name of a folder for the files of one process. It contains the process number, the start time
 * of the process, and a unique string.
 */
const FOLDER = /^runner-(?<pid>[0-9]+)-(?<startedAt>[0-9]+)-[A-Za-z0-9]+$/;

/** A file that a program has written for this process cannot be read. */
class ResultFileError extends OperatorError {
  override readonly name = 'ResultFileError';

  /** @param file - the name of the file, without the folder. */
  constructor(message: string, file: string, options: ErrorOptions = {}) {
    super(message, { ...options, code: 'PROGRAM', layer: 'user-code', context: { file } });
  }
}

/** The files of one run, in a separate folder with mode 0700. Disposing of it removes the folder. */
export interface RunFolder extends AsyncDisposable {
  readonly path: string;
  /**
   * Creates a file with mode 0644, and returns its path. If `text` is an iterable, its strings are written
   * one after another.
   */
  write(name: string, text: string | Iterable<string>): Promise<string>;
  /**
   * The contents of a file that a program has written; empty if the file does not exist. If the name belongs
   * to a pipe or a link, it is refused, so that the call does not block and does not read another file.
   *
   * @throws ResultFileError when the file is not a regular file, not UTF-8, or larger than 10 MB.
   */
  read(name: string): Promise<string>;
}

/**
 * Folders for the files of runs. Each process has one folder for all of them in `tmpDir`, which is removed at
 * the latest when the process exits. Processes that share `tmpDir` must see each other in `/proc`. Otherwise
 * a process would remove the folder of another process, which only seems to have ended.
 */
export class RunFolders implements AsyncDisposable {
  readonly #folder: string;
  readonly #removing: Disposable;
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#removing = removeWithProcess(folder);
  }

  /**
   * Creates `tmpDir` and the folder of this process, and removes the folders of processes that have ended.
   *
   * @throws ConfigurationError when `tmpDir` cannot be written to.
   */
  static async open(tmpDir: string): Promise<RunFolders> {
    try {
      await makeFolder(tmpDir);
      await removeLeftFolders(tmpDir);
      const name = `runner-${process.pid}-${startOf(process.pid)}-`;
      return new RunFolders(mkdtempSync(join(tmpDir, name)));
    } catch (cause) {
      throw new ConfigurationError(
        `no files can be made in ${tmpDir}: make it writable, or name another folder`,
        { context: { tmpDir }, cause },
      );
    }
  }

  async create(): Promise<RunFolder> {
    const path = join(this.#folder, String(this.#count++));
    await mkdir(path, { mode: 0o700 });
    return {
      path,
      write: (name, text) => written(join(path, name), text),
      read: (name) => textLeftIn(join(path, name), name),
      [Symbol.asyncDispose]: () => removed(path),
    };
  }

  /** Removes the folder of this process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await removed(this.#folder);
    this.#removing[Symbol.dispose]();
  }
}

async function written(path: string, text: string | Iterable<string>): Promise<string> {
  await using file = await open(path, 'wx', 0o644);
  await file.chmod(0o644); // independent of the umask of this process
  await writeFile(file, text);
  return path;
}

async function textLeftIn(path: string, name: string): Promise<string> {
  const bytes = await bytesLeftIn(path, name);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ResultFileError('the program left a file that is no UTF-8 text', name, { cause });
  }
}

async function bytesLeftIn(path: string, name: string): Promise<Uint8Array> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return await bytesOf(file, name);
  } catch (error) {
    if (error instanceof ResultFileError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array();
    const message = 'the program left a file that cannot be opened: it must be a regular file';
    throw new ResultFileError(message, name, { cause: error });
  }
}

async function bytesOf(file: FileHandle, name: string): Promise<Uint8Array> {
  const found = await file.stat();
  if (!found.isFile()) {
    throw new ResultFileError('the program left something else than a regular file', name);
  }
  if (found.size > RESULT_LIMIT_BYTES) {
    const limit = RESULT_LIMIT_BYTES;
    throw new ResultFileError(`the program left a file of more than ${limit} bytes`, name);
  }
  return await file.readFile();
}

async function removeLeftFolders(tmpDir: string): Promise<void> {
  for (const name of await readdir(tmpDir)) {
    const { pid, startedAt } = FOLDER.exec(name)?.groups ?? {};
    if (pid === undefined || startOf(Number(pid)) === startedAt) continue;
    await removed(join(tmpDir, name));
  }
}

/**
 * The start time of a process, in ticks since the system started: field 22 of proc_pid_stat(5). It
 * distinguishes processes with the same process number: the system reuses numbers, and in a container that
 * restarts, this process always has the same number. Undefined if the process has ended. On systems without
 * `/proc` it is 0 for a running process.
 */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return runs(pid) ? '0' : undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process belongs to another user
  }
}

/** Removes a folder, even if it contains a folder of a program that not even its owner may enter. */
async function removed(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => removeNow(path));
}

/**
 * Creates a folder and its parents, like mkdir with `recursive`. It does not use that option, because in Node
 * 24 such a call of mkdir never returns for a missing folder below /proc, which cannot be created.
 */
async function makeFolder(path: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  try {
    await make();
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    await make();
  }
}
