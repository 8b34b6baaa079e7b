import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers/promises';
import { ConfigurationError } from 'chancery/internal-objects';

export interface ServerProcessOptions {
  /** The name for messages, such as `etcd`. */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Resolves to true if the program serves requests. This function is called again and again until it
   * resolves to true.
   */
  readonly isReady: () => Promise<boolean>;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** Whether to copy the program's output to the standard error of this process. */
  readonly attachOutput: boolean;
}

const POLL_MS = 50;

/** The number of output lines in the error when the program does not start. */
const TAIL_LINES = 5;

/**
 * A server program, from its start to its end. Signals are sent only to this one process, not to its
 * children.
 */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  readonly #tail: string[] = [];
  #child: ChildProcess | undefined;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the program serves.
   *
   * @throws ConfigurationError `CONFIG` with the program's last output, when the program ends or takes too
   * long. The process has ended by then.
   */
  async start(): Promise<void> {
    const { path, args, environment, isReady, startTimeoutMs, name } = this.#options;
    const child = spawn(path, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    process.once('exit', this.#killNow);
    const broken = new Promise<Error>((resolve) => child.once('error', resolve));
    this.#listen(child);
    const givenUpAt = performance.now() + startTimeoutMs;
    for await (const _ of setInterval(POLL_MS)) {
      const failure = child.pid === undefined ? await broken : undefined;
      if (failure !== undefined) throw await this.#failed(`cannot be run: ${failure.message}`);
      if (isGone(child)) throw await this.#failed(`ended with ${endOf(child)}`);
      if (await isReady().catch(() => false)) return;
      if (performance.now() > givenUpAt) break;
    }
    throw await this.#failed(
      `is not ready after ${startTimeoutMs} ms; KUBEBUILDER_CONTROLPLANE_START_TIMEOUT gives ${name} longer`,
    );
  }

  /** Sends SIGTERM to the process, and kills it after a time limit. Resolves when it has ended. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    process.off('exit', this.#killNow);
    if (child === undefined || child.pid === undefined || isGone(child)) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), this.#options.stopTimeoutMs);
    try {
      await gone;
    } finally {
      clearTimeout(timer);
    }
  }

  async #failed(why: string): Promise<ConfigurationError> {
    await this.stop();
    const { name, path } = this.#options;
    const words = this.#tail.length === 0 ? '' : `; it said: ${this.#tail.join(' | ')}`;
    return new ConfigurationError(`${name} ${why}${words}`, { context: { path } });
  }

  #listen({ stdout, stderr }: ChildProcess): void {
    for (const stream of [stdout, stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.#tail.push(line);
        if (this.#tail.length > TAIL_LINES) this.#tail.shift();
        if (this.#options.attachOutput) {
          process.stderr.write(`${this.#options.name}: ${line}\n`);
        }
      });
    }
  }

  readonly #killNow = (): void => {
    this.#child?.kill('SIGKILL');
  };
}

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode ?? `code ${exitCode}`;
}
