import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chancery/testing';

const CLI = fileURLToPath(new URL('../../operator/cli/chancery.js', import.meta.url));
const POLL_MS = 50;

/** One line of the operator's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface OperatorStart {
  /** Default `run`, for a module. */
  readonly command?: 'run' | 'hooks' | 'metacontroller';
  /** What the command is given: a module, a folder of hooks, or a file of functions. */
  readonly module: URL;
  /** What the module is given after `--`. Default: nothing. */
  readonly args?: readonly string[];
  /** Its ambassador. */
  readonly apiUrl: string;
  /** Where its Pod would be. */
  readonly namespace: string;
  /** Its sources watch every namespace. Default false: its own. */
  readonly watchesAll?: boolean;
  /** More settings, by environment variable. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** An operator in a process of its own, as in its container. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #healthUrl: string;
  /** The last lines of its log, to show when something goes wrong. */
  readonly tail: string[] = [];

  private constructor(child: ChildProcess, healthUrl: string, onLog: (line: LogLine) => void) {
    this.#child = child;
    this.#healthUrl = healthUrl;
    if (child.stderr === null) throw new Error('the operator has no stderr');
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.tail.push(line);
      if (this.tail.length > 20) this.tail.shift();
      if (line.startsWith('{')) onLog(JSON.parse(line) as LogLine);
    });
  }

  /** It knows the ambassador's URL and its namespace. */
  static async start(
    {
      command = 'run',
      module,
      args = [],
      apiUrl,
      namespace,
      watchesAll = false,
      environment,
    }: OperatorStart,
    onLog: (line: LogLine) => void,
  ): Promise<OperatorProcess> {
    const port = await freePort();
    const option = command === 'metacontroller' ? ['--functions'] : [];
    const rest = args.length > 0 ? ['--', ...args] : [];
    const words = [...option, fileURLToPath(module), ...rest];
    const child = spawn(process.execPath, [CLI, command, ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        CHANCERY_API_URL: apiUrl,
        CHANCERY_HEALTH_HOST: '127.0.0.1',
        CHANCERY_HEALTH_PORT: String(port),
        CHANCERY_METRICS_PORT: '0',
        WATCH_NAMESPACE: watchesAll ? '*' : namespace,
        POD_NAMESPACE: namespace,
        POD_NAME: 'operator-0',
        // Who tries this in a Pod has its token beside the demo, which is not what it shows.
        CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
        ...environment,
      },
    });
    return new OperatorProcess(child, `http://127.0.0.1:${port}/readyz`, onLog);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get healthUrl(): string {
    return this.#healthUrl;
  }

  /** Resolves when `/readyz` says so. @throws when the process ends first. */
  async ready(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#child.exitCode !== null) {
        throw new Error(`the operator ended with code ${this.#child.exitCode}`);
      }
      const answer = await fetch(this.#healthUrl).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}
