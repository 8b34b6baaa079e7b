import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { platform } from 'node:process';
import { promisify } from 'node:util';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** A pipe between a program and this process. */
export interface ProgramPipe {
  /** Our end. */
  readonly socket: Socket;
  /** The end of the program. It is closed here when the program has started: otherwise no end is ever seen. */
  readonly fd: number;
}

/** Standard input, standard output and standard error. */
export type ProgramPipes = readonly [ProgramPipe, ProgramPipe, ProgramPipe];

/**
 * Pipes for a program. Node itself gives a program sockets. Linux opens no socket by its name, so that
 * `echo … > /dev/stderr` and `tee /dev/stderr` fail in a script; and bash takes a socket for a login from another
 * machine, and reads `~/.bashrc`.
 *
 * Undefined on other systems, where programs are given sockets; and where pipes cannot be had, because nothing can be
 * written to `tmpDir`, or no folder of `path` has the program `mkfifo`.
 */
export async function programPipes(
  tmpDir: string,
  path: string | undefined,
): Promise<ProgramPipes | undefined> {
  if (platform !== 'linux') return undefined;
  let folder: string | undefined;
  const opened: ProgramPipe[] = [];
  try {
    folder = await mkdtemp(join(tmpDir, 'pipes-'));
    const [input, output, error] = ['0', '1', '2'].map((name) => join(`${folder}`, name)) as [
      string,
      string,
      string,
    ];
    const env = path === undefined ? {} : { PATH: path };
    await promisify(execFile)('mkfifo', [input, output, error], { env });
    const stdin = pipeTo(input);
    opened.push(stdin);
    const stdout = pipeFrom(output);
    opened.push(stdout);
    return [stdin, stdout, pipeFrom(error)];
  } catch {
    for (const { socket, fd } of opened) {
      socket.destroy();
      closeSync(fd);
    }
    return undefined;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Neither call waits: the first does not ask for a writer, and for the second there is a reader. */
function pipeFrom(path: string): ProgramPipe {
  const ours = openSync(path, O_RDONLY | O_NONBLOCK);
  const fd = openSync(path, O_WRONLY);
  return { socket: new Socket({ fd: ours, readable: true, writable: false }), fd };
}

/** The first call makes the others possible without waiting, as it is a reader and a writer. */
function pipeTo(path: string): ProgramPipe {
  const both = openSync(path, O_RDWR | O_NONBLOCK);
  const fd = openSync(path, O_RDONLY);
  const ours = openSync(path, O_WRONLY | O_NONBLOCK);
  closeSync(both);
  return { socket: new Socket({ fd: ours, readable: false, writable: true }), fd };
}
