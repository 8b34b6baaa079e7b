import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Message, parseMessage } from './message.ts';

export interface SpeakerOptions {
  readonly command: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What one answer may take. */
  readonly timeoutMs: number;
  /** Nothing is waited for any more when it aborts. Default: never. */
  readonly deadline?: AbortSignal;
}

/** Lines of a process's complaints that an error quotes. */
const QUOTED_LINES = 8;

/** A process that speaks `Message`s: what it says is kept until somebody asks for it. */
export class Speaker {
  readonly #name: string;
  readonly #timeoutMs: number;
  readonly #deadline: AbortSignal;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #said: Message[] = [];
  readonly #complaints: string[] = [];
  readonly #news = new EventEmitter();
  #ending: string | undefined;

  /** Starts it, in a process group of its own: a shell's children end with it. */
  constructor({ command, words, environment, timeoutMs, deadline }: SpeakerOptions) {
    this.#name = [command, ...words].join(' ');
    this.#timeoutMs = timeoutMs;
    this.#deadline = deadline ?? new AbortController().signal;
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    this.#process = spawn(command, words, { env: environment, stdio: [...stdio], detached: true });
    this.#process.once('error', (error) => this.#ended(error.message));
    // What it has written may be read after 'exit'; what it has started keeps 'close' from coming.
    this.#process.once('exit', this.#kill);
    this.#process.once('close', (code, signal) => this.#ended(`it ended with ${code ?? signal}`));
    this.#process.stdin.on('error', () => {}); // it has ended, which `hear` tells
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

  /** `say`, and then `hear`. */
  async ask(
    command: { readonly do: string; readonly [field: string]: unknown },
    answer: string,
  ): Promise<Message> {
    this.say(command);
    return await this.hear(answer);
  }

  /**
   * What it says, or has said, of that kind. Each message is heard once.
   *
   * @throws Error with its last complaints when it ends, or does not say it in time.
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
      await once(this.#news, 'news', { signal: timeout }).catch(() => {}); // looked at above
    }
  }

  /** Ends it and what it has started, at once. */
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
      // It has ended by itself, and we have not been told yet.
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
