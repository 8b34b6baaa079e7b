import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ConfigurationError } from 'chancery/internal-objects';

/** Which requests an ambassador accepts. The fields are the flags of `kubectl proxy` with the same names. */
export interface AmbassadorFilter {
  readonly acceptPaths: readonly string[];
  readonly rejectPaths: readonly string[];
  readonly rejectMethods: readonly string[];
}

export interface KubectlProxyOptions {
  /** The path of a real kubectl; see `findKubectl`. */
  readonly kubectl: string;
  /**
   * The URL of an API server that needs no credentials. If omitted, the server in the kubeconfig.
   */
  readonly server?: string;
  /** A context of the kubeconfig. If omitted, the current context. */
  readonly context?: string;
  /**
   * The environment of kubectl, with `KUBECONFIG` and the variables that credential plugins need.
   * If omitted, kubectl cannot find any kubeconfig, credentials or proxies.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The port to listen on. If omitted or 0, the proxy takes any free port. */
  readonly port?: number;
  /**
   * The requests that the proxy accepts. If omitted, it uses kubectl's default: everything except `exec` and
   * `attach`.
   */
  readonly filter?: AmbassadorFilter;
}

/**
 * With these variables, kubectl finds no other configuration, and inherits no credentials and no HTTP
 * proxies.
 */
const ENVIRONMENT = {
  HOME: '/nonexistent',
  KUBECONFIG: '/dev/null',
  KUBERC: 'off',
  NO_PROXY: '*',
  GOGC: process.env.GOGC,
};

/** A real `kubectl proxy` process on the loopback, as it runs in the operator's Pod. */
export class KubectlProxy {
  readonly #options: KubectlProxyOptions;
  #process: ChildProcess | undefined;
  #port: number;

  constructor(options: KubectlProxyOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  /** The URL of the proxy: `http://127.0.0.1:PORT`. After a restart, the port is the same. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /**
   * Resolves when the proxy listens. After `kill`, it can be started again on the same port.
   *
   * @throws ConfigurationError `CONFIG` with kubectl's own message when the proxy does not start.
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
    failed.catch(() => {}); // only a failure before the first line is an error
    const port = /:([0-9]+)$/.exec(line)?.[1];
    if (port === undefined) {
      await this.kill();
      throw new ConfigurationError('kubectl proxy said something else than where it serves', {
        context: { line },
      });
    }
    this.#port = Number(port);
  }

  /** Ends the process at once, like a crash: its connections break. Resolves when it has ended. */
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

  /** Pauses the process: connections stay open, and requests get no answer. */
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
