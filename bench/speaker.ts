import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Message, parseMessage } from './message.ts';

export interface SpeakerOptions {
  readonly command: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Time limit of one answer. */
  readonly timeoutMs: number;
  /** When it aborts, all waiting ends. Default: never. */
  readonly deadline?: AbortSignal;
}

/** The number of lines from standard error that an error quotes. */
const QUOTED_LINES = 8;

/** A process that exchanges `Message`s. Its messages are kept until they are read. */
export class Speaker {
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #deadline: AbortSignal;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #said: Message[] = [];
  readonly #complaints: string[] = [];
  readonly #news = new EventEmitter();
  #ending: string | undefined;

  /** Starts the process in its own process group, so that children of a shell end with it. */
  constructor({ command, words, environment, timeoutMs, deadline }: SpeakerOptions) {
    this.#name = [command, ...words].join(' ');
    this.#timeoutMs = timeoutMs;
    this.#deadline = deadline ?? new AbortController().signal;
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    this.#process = spawn(command, words, { env: environment, stdio: [...stdio], detached: true });
    this.#process.once('error', (error) => this.#ended(error.message));
    // Its output may be read after 'exit'. A child that is still running would prevent 'close'.
    this.#process.once('exit', this.#kill);
    this.#process.once('close', (code, signal) => this.#ended(`it ended with ${code ?? signal}`));
    this.#process.stdin.on('error', () => {}); // the process has ended: `hear` reports it
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const message = parseMessage(line);
      if (message !== undefined) this.#said.push(message);
      this.#news.emit('news');
    });
    createInterface({ input: this.#process.stderr }).on('line', (line) => {
      this.#complaints.push(line);
      if (this.#complaints.length > QUOTED_LINES) this.#complaints.shift();
    });
    process.once('exit', this.#kill);
  }

  say(command: { readonly do: string; readonly [field: string]: unknown }): void {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** Calls `say`, then `hear`. */
  async ask(
    command: { readonly do: string; readonly [field: string]: unknown },
    answer: string,
  ): Promise<Message> {
    this.say(command);
    return await this.hear(answer);
  }

  /**
   * The next message of that kind, received before or after the call. Each message is returned once.
   *
   * @throws Error with the last lines of standard error when the process ends, or sends no such message in
   *   time.
   */
  async hear(is: string): Promise<Message> {
    const timeout = AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), this.#deadline]);
    for (;;) {
      const at = this.#said.findIndex((message) => message.is === is);
      const [message] = at < 0 ? [] : this.#said.splice(at, 1);
      if (message !== undefined) return message;
      if (this.#ending !== undefined) throw this.#error(is, this.#ending);
      if (this.#deadline.aborted) throw this.#error(is, 'the time was over');
      if (timeout.aborted) throw this.#error(is, `nothing came in ${this.#timeoutMs} ms`);
      await once(this.#news, 'news', { signal: timeout }).catch(() => {}); // the loop checks again
    }
  }

  /** Ends the process and its children at once. */
  async end(): Promise<void> {
    process.off('exit', this.#kill);
    const { exitCode, signalCode } = this.#process;
    if (this.#ending !== undefined || exitCode !== null || signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#kill();
    await gone;
  }

  readonly #kill = (): void => {
    const { pid } = this.#process;
    if (pid === undefined || this.#ending !== undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      // The process has ended, and its 'exit' event has not arrived yet.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };

  #ended(how: string): void {
    this.#ending ??= how;
    this.#news.emit('news');
  }

  #error(is: string, why: string): Error {
    const quoted = this.#complaints.map((line) => `\n    ${line}`).join('');
    return new Error(`no ${JSON.stringify(is)} from ${this.#name}: ${why}${quoted}`);
  }
}
