/** A command as a person runs it: the lines that it prints, on both streams, in the order in which they come. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { eventually } from '@chancery/testing';
import { pathOf } from '../tools/tools.ts';

/** Commands start processes and wait for them: a machine that others use takes long for both. */
const PATIENCE_MS = 60_000;

export class Terminal implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(program: string, args: readonly string[], cwd: string) {
    this.#child = spawn(program, args, {
      cwd,
      env: {
        PATH: [dirname(process.execPath), process.env.PATH].join(':'),
        HOME: tmpdir(),
        KUBECTL: pathOf('kubectl'),
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        // In a Pod, a token may be visible: a session does not show what is said of it.
        CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#closed = once(this.#child, 'close');
    for (const input of [this.#child.stdout, this.#child.stderr]) {
      if (input === null) throw new Error(`${program} has no output`);
      createInterface({ input }).on('line', (line) => this.lines.push(line));
    }
  }

  /** Resolves when each of the texts stands in a line that came after the first `after` lines. */
  async shows(texts: readonly string[], after = 0): Promise<void> {
    await eventually(
      () => {
        const lines = this.lines.slice(after);
        return texts.every((text) => lines.some((line) => line.includes(text)));
      },
      { timeoutMs: PATIENCE_MS },
    );
  }

  /** What Ctrl-C does. */
  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  /** All lines, when the command has ended. @throws with them, when it has failed. */
  async end(): Promise<readonly string[]> {
    await this.#closed;
    if (this.#child.exitCode === 0) return this.lines;
    throw new Error(`exit code ${this.#child.exitCode}:\n${this.lines.join('\n')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill();
    await this.#closed;
  }
}
