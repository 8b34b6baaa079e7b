import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ConfigurationError } from 'chancery/internal-objects';

/** What an ambassador lets through: `kubectl proxy`'s flags of the same names. */
export interface AmbassadorFilter {
  readonly acceptPaths: readonly string[];
  readonly rejectPaths: readonly string[];
  readonly rejectMethods: readonly string[];
}

export interface KubectlProxyOptions {
  /** Path of a real kubectl; see `findKubectl`. */
  readonly kubectl: string;
  /** URL of an API server that asks for no credentials. Default: what the kubeconfig says. */
  readonly server?: string;
  /** A context of the kubeconfig. Default: its current one. */
  readonly context?: string;
  /**
   * Its environment, with `KUBECONFIG` and what plugins for credentials need. Default: nothing that
   * would let it find a kubeconfig, credentials or proxies.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: kubectl's own, which accepts all but `exec` and `attach`. */
  readonly filter?: AmbassadorFilter;
}

/** kubectl must find no configuration but ours, and inherit no credentials or proxies. */
const ENVIRONMENT = {
  HOME: '/nonexistent',
  KUBECONFIG: '/dev/null',
  KUBERC: 'off',
  NO_PROXY: '*',
  GOGC: process.env.GOGC,
};

/** A real `kubectl proxy` process on loopback, as it runs in the Pod. */
export class KubectlProxy {
  readonly #options: KubectlProxyOptions;
  #process: ChildProcess | undefined;
  #port: number;

  constructor(options: KubectlProxyOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  /** `http://127.0.0.1:PORT`; the port stays the same over restarts. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /**
   * Resolves when it listens. After `kill` it may be started again, on the same port.
   *
   * @throws ConfigurationError `CONFIG` with kubectl's own words when it does not start.
   */
  async start(): Promise<void> {
    const { kubectl, environment = ENVIRONMENT } = this.#options;
    const child = spawn(kubectl, this.#arguments(), {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    process.once('exit', this.#killNow);
    const complaints: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (complaints.length < 5) complaints.push(line);
    });
    const lines = createInterface({ input: child.stdout });
    const failed = Promise.race([once(child, 'error'), once(child, 'exit')]).then(([cause]) => {
      throw new ConfigurationError(`kubectl proxy did not start: ${complaints.join(' ')}`, {
        cause,
        context: { kubectl },
      });
    });
    const [line] = (await Promise.race([once(lines, 'line'), failed])) as [string];
    failed.catch(() => {}); // it ends one day, and then nobody asks why
    const port = /:([0-9]+)$/.exec(line)?.[1];
    if (port === undefined) {
      await this.kill();
      throw new ConfigurationError('kubectl proxy said something else than where it serves', {
        context: { line },
      });
    }
    this.#port = Number(port);
  }

  /** Ends it at once, as a crash does; its connections break. Resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    process.off('exit', this.#killNow);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Stops it without ending it: connections stay open and nothing answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  readonly #killNow = (): void => {
    this.#process?.kill('SIGKILL');
  };

  #arguments(): string[] {
    const { server, context, filter } = this.#options;
    const flags = ['--address=127.0.0.1', `--port=${this.#port}`];
    if (server !== undefined) flags.push(`--server=${server}`);
    if (context !== undefined) flags.push(`--context=${context}`);
    if (filter !== undefined) {
      flags.push(
        `--accept-paths=${filter.acceptPaths.join(',')}`,
        `--reject-paths=${filter.rejectPaths.join(',')}`,
        `--reject-methods=${filter.rejectMethods.join(',')}`,
      );
    }
    return ['proxy', ...flags];
  }
}
