import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { platform } from 'node:process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { removeWithProcess } from './remove-with-process.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** The open files that a program gets, and the streams from which this process reads the program's output. */
export interface ProgramPipes {
  /** Standard input, standard output and standard error. */
  readonly given: readonly ['ignore' | number, number, number];
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Closes the program's files in this process. Call this as soon as the program has them. Otherwise this
   * process would never notice the end of the output.
   */
  release(): void;
}

/**
 * Two pipes for the output of a program, and a file with its input. Node itself would use sockets for them.
 * Linux cannot open a socket by its name, so `echo … > /dev/stderr` and `cat /dev/stdin` would fail in a
 * script. And if the input of bash is a socket, bash assumes a login from another machine, and reads
 * `~/.bashrc`.
 *
 * The result is undefined on systems other than Linux, where programs get sockets. It is also undefined if
 * pipes cannot be created because `tmpDir` is not writable, or because no folder in `path` contains the
 * program `mkfifo`. All files have been removed when the promise resolves.
 */
export async function programPipes(
  tmpDir: string,
  path: string | undefined,
  input: string | undefined,
): Promise<ProgramPipes | undefined> {
  if (platform !== 'linux') return undefined;
  let folder: string | undefined;
  let removing: Disposable | undefined;
  try {
    folder = mkdtempSync(join(tmpDir, 'pipes-'));
    removing = removeWithProcess(folder); // the input may be a Secret
    const [stdin, stdout, stderr] = [join(folder, '0'), join(folder, '1'), join(folder, '2')];
    const env = path === undefined ? {} : { PATH: path };
    await promisify(execFile)('mkfifo', [stdout, stderr], { env });
    if (input !== undefined) await writeFile(stdin, input, { mode: 0o600 });
    return opened(input === undefined ? undefined : stdin, stdout, stderr);
  } catch {
    return undefined;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    removing?.[Symbol.dispose]();
  }
}

/**
 * Opens the files. No call blocks: opening a pipe for reading does not wait for a writer, and when the pipe
 * is opened for writing, its reader exists already.
 */
function opened(stdin: string | undefined, stdout: string, stderr: string): ProgramPipes {
  const files: number[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags);
    files.push(fd);
    return fd;
  };
  try {
    const [out, err] = [open(stdout, O_RDONLY | O_NONBLOCK), open(stderr, O_RDONLY | O_NONBLOCK)];
    const output = [open(stdout, O_WRONLY), open(stderr, O_WRONLY)] as const;
    const input = stdin === undefined ? 'ignore' : open(stdin, O_RDONLY);
    return {
      given: [input, ...output],
      stdout: new Socket({ fd: out, readable: true, writable: false }),
      stderr: new Socket({ fd: err, readable: true, writable: false }),
      release() {
        for (const fd of files.slice(2)) closeSync(fd);
      },
    };
  } catch (error) {
    for (const fd of files) closeSync(fd); // too many files are open
    throw error;
  }
}
