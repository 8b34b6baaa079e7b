import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@chancery/testing';
import names from '../modules/names-webhook.ts';

const COMMAND = fileURLToPath(new URL('../../../operator/cli/chancery.js', import.meta.url));
const MODULE = fileURLToPath(new URL('../modules/names-webhook.ts', import.meta.url));

/** How long a process may take to start beside others. */
const START_MS = 30_000;

/** The path of its webhook, as the gate needs it. */
export const NAMES_PATH = { path: names.path, timeoutSeconds: names.timeoutSeconds };

/** `chancery run` with a module, as a process that knows nothing of this one. */
export class OperatorProcess {
  readonly address: string;
  readonly #child: ChildProcess;
  #log = '';

  private constructor(address: string, module: string, more: Readonly<Record<string, string>>) {
    this.address = address;
    this.#child = spawn(
      process.execPath,
      ['--conditions=chancery-source', COMMAND, 'run', module],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          CHANCERY_API_URL: 'http://127.0.0.1:1', // it has nothing to ask
          CHANCERY_HEALTH_PORT: '0',
          CHANCERY_METRICS_PORT: '0',
          CHANCERY_SELF_TEST: 'off',
          CHANCERY_WEBHOOK_LISTEN: address,
          ...more,
        },
      },
    );
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
      });
    }
  }

  /** Resolves when it answers reviews. @param more - further variables. @param module - default: `names-webhook.ts`. */
  static async start(
    more: Readonly<Record<string, string>> = {},
    module: string = MODULE,
  ): Promise<OperatorProcess> {
    const operator = new OperatorProcess(`127.0.0.1:${await freePort()}`, module, more);
    const isServing = (): boolean => {
      if (operator.#child.exitCode !== null) throw new Error(operator.#log);
      return operator.#log.includes('webhooks are answered');
    };
    await eventually(isServing, { timeoutMs: START_MS });
    return operator;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What it has written. */
  get log(): string {
    return this.#log;
  }

  /** Tells it to stop, and resolves when it has. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
