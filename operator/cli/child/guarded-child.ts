import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import type { Duplex, Readable } from 'node:stream';
import { textFiles } from '../../core/text/text-files.ts';

const files = textFiles(new URL('./', import.meta.url));

/** The code of `guard.cjs` without its leading comment, because `ps` prints the whole code. */
const GUARD = files('guard.cjs').replace(/^\/\*\*.*?\*\/\n/s, '');

export interface GuardedChildOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the working directory of this process. */
  readonly cwd?: string;
  /** Open `channel`, a stream between this process and file 3 of the program. Default false. */
  readonly channel?: boolean;
}

/**
 * A child process that never outlives this process, even if this process gets SIGKILL.
 *
 * `guard.cjs` starts the program in its own process group. So Ctrl-C in the terminal reaches only
 * this process, which decides in which order its children stop.
 */
export class GuardedChild {
  /**
   * The caller must read both streams to their ends, because a full pipe would block the program.
   */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The stream of the option `channel`. Undefined without this option. */
  readonly channel: Duplex | undefined;
  /**
   * The exit code. After a signal it is 128 plus the signal's number, as in shells. It is 127 when
   * the program cannot be started. Never rejects. Resolves after the last byte of stdout and
   * stderr.
   */
  readonly exit: Promise<number>;
  readonly #guard: ChildProcess;

  constructor({ program, args, env, cwd, channel = false }: GuardedChildOptions) {
    const word = channel ? 'channel' : 'none';
    this.#guard = spawn(process.execPath, ['--eval', GUARD, '--', word, program, ...args], {
      env,
      cwd,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(channel ? ['pipe'] : [])] as 'pipe'[],
    });
    const { stdin, stdout, stderr, stdio } = this.#guard;
    if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
    stdin.on('error', () => {}); // the guard has ended
    this.stdout = stdout;
    this.stderr = stderr;
    this.channel = channel ? (stdio[3] as Duplex) : undefined;
    this.channel?.on('error', () => {}); // the program has ended
    this.#guard.on('exit', () => this.#killGroup());
    this.exit = once(this.#guard, 'close').then(
      ([code]) => (code as number | null) ?? 137,
      () => 127,
    );
  }

  /**
   * The process id of the guard, which leads the process group. Undefined when the guard could not
   * be started.
   */
  get pid(): number | undefined {
    return this.#guard.pid;
  }

  /** Asks the program to stop. Does nothing when the program has already ended. */
  terminate(): void {
    this.#guard.kill('SIGTERM');
  }

  /**
   * Ends the program and all processes that it has started, at once. Resolves when they are gone.
   */
  async kill(): Promise<void> {
    this.#killGroup();
    await this.exit;
  }

  #killGroup(): void {
    const { pid } = this.#guard;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has no process any more.
    }
  }
}
