import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type AmbassadorFilter, freePort, KubectlProxy } from '@chancery/testing';

const CLI = fileURLToPath(new URL('../../../operator/cli/chancery.js', import.meta.url));
const POLL_MS = 50;
/** Longer than any hook here runs. */
const SLOW_STOP_MS = 20_000;

/** A Lease that another takes over soon. */
const LEASE = {
  CHANCERY_LEASE_DURATION: '6',
  CHANCERY_LEASE_RENEW_DEADLINE: '4',
  CHANCERY_LEASE_RETRY_PERIOD: '1',
};

export interface PodOptions {
  readonly name: string;
  readonly namespace: string;
  /** The folder of the hooks. */
  readonly hooks: string;
  readonly kubectl: string;
  /** With the token of the ServiceAccount. Only the proxy is given it. */
  readonly kubeconfig: string;
  readonly filter: AmbassadorFilter;
  readonly onLog: (line: LogLine) => void;
}

export type LogLine = Readonly<Record<string, unknown>>;

/** `kubectl proxy` and `chancery hooks`, as the two containers of a Pod. */
export class Pod {
  readonly name: string;
  readonly proxy: KubectlProxy;
  /** The last lines of the runner's log. */
  readonly tail: string[] = [];
  readonly #runner: ChildProcess;
  readonly #healthUrl: string;

  private constructor(name: string, proxy: KubectlProxy, runner: ChildProcess, healthUrl: string) {
    this.name = name;
    this.proxy = proxy;
    this.#runner = runner;
    this.#healthUrl = healthUrl;
  }

  /** Resolves when both processes run. */
  static async start(options: PodOptions): Promise<Pod> {
    const { name, namespace, hooks, kubectl, kubeconfig, filter, onLog } = options;
    const environment = {
      HOME: '/nonexistent',
      KUBECONFIG: kubeconfig,
      KUBERC: 'off',
      NO_PROXY: '*',
    };
    const proxy = new KubectlProxy({ kubectl, environment, filter });
    await proxy.start();
    const port = await freePort();
    const runner = spawn(process.execPath, [CLI, 'hooks', hooks], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        CHANCERY_API_URL: proxy.url,
        CHANCERY_HEALTH_HOST: '127.0.0.1',
        CHANCERY_HEALTH_PORT: String(port),
        CHANCERY_METRICS_PORT: '0',
        CHANCERY_INSECURE_ALLOW_TOKEN: 'true', // of a Pod in which somebody tries this
        POD_NAME: name,
        POD_NAMESPACE: namespace,
        WATCH_NAMESPACE: namespace,
        ...LEASE,
      },
    });
    const pod = new Pod(name, proxy, runner, `http://127.0.0.1:${port}/readyz`);
    process.once('exit', pod.#killNow);
    createInterface({ input: runner.stderr }).on('line', (line) => {
      pod.tail.push(line);
      if (pod.tail.length > 20) pod.tail.shift();
      if (line.startsWith('{')) onLog(JSON.parse(line) as LogLine);
    });
    return pod;
  }

  get isRunning(): boolean {
    return this.#runner.exitCode === null && this.#runner.signalCode === null;
  }

  /** Resolves when `/readyz` says so. @throws Error when the runner ends first. */
  async ready(): Promise<void> {
    for (;;) {
      if (!this.isRunning) throw new Error(`${this.name} ended:\n${this.tail.join('\n')}`);
      const answer = await fetch(this.#healthUrl).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Both processes are gone when it resolves, and had no time for anything. */
  async kill(): Promise<void> {
    process.off('exit', this.#killNow);
    if (this.isRunning) {
      const gone = once(this.#runner, 'exit');
      this.#runner.kill('SIGKILL');
      await gone;
    }
    await this.proxy.kill();
  }

  /** Ends the runner in order, and then the proxy. */
  async stop(): Promise<void> {
    process.off('exit', this.#killNow);
    if (this.isRunning) {
      const gone = once(this.#runner, 'exit');
      const slow = setTimeout(() => this.#tellSlowStop(), SLOW_STOP_MS);
      this.#runner.kill('SIGTERM');
      await gone;
      clearTimeout(slow);
    }
    await this.proxy.kill();
  }

  #tellSlowStop(): void {
    const lines = [`${this.name} has not stopped after ${SLOW_STOP_MS / 1_000} s; its last lines:`];
    process.stderr.write([...lines, ...this.tail, ''].join('\n'));
  }

  readonly #killNow = (): void => {
    this.#runner.kill('SIGKILL');
  };
}
