import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { AmbassadorFilter } from '@chancery/testing';
import { formatYaml } from '../../../operator/core/yaml.ts';
import { inPod, isolation } from './isolation.ts';
import type { TokenVolume } from './token-volume.ts';

export interface PodProxyOptions {
  /** Path of a real kubectl. */
  readonly kubectl: string;
  readonly volume: TokenVolume;
  /** Where the API server is, on 127.0.0.1: KUBERNETES_SERVICE_PORT. */
  readonly serverPort: number;
  readonly filter?: AmbassadorFilter;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real `kubectl proxy` with the credentials of a Pod, and no others, in its place. */
export class PodProxy {
  readonly #options: PodProxyOptions;
  #child: ChildProcess | undefined;
  #port = 0;
  /** What it has said on standard error since it was started last. */
  #complaints: string[] = [];

  constructor(options: PodProxyOptions) {
    this.#options = options;
  }

  /** The same over restarts. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get complaints(): string {
    return this.#complaints.join('\n');
  }

  /**
   * Resolves when it listens; on the same port each time, as in a Pod.
   *
   * @throws Error with its exit code and its words when it ends instead.
   */
  async start(): Promise<void> {
    const [command = '', ...args] = this.#command();
    const child = spawn(command, args, {
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#complaints = [];
    process.once('exit', this.#killNow);
    createInterface({ input: child.stderr }).on('line', (line) => this.#complaints.push(line));
    const port = Promise.withResolvers<number>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const serving = /^Starting to serve on .*:([0-9]+)$/.exec(line);
      if (serving === null) this.#complaints.push(line);
      else port.resolve(Number(serving[1]));
    });
    child.once('close', (code) =>
      port.reject(new Error(`kubectl ended with ${code}: ${this.complaints}`)),
    );
    this.#port = await port.promise;
  }

  /** Ends it, as a crash or the kubelet does. @returns the signal that it died of, or its exit code. */
  async end(signal: NodeJS.Signals): Promise<NodeJS.Signals | number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    this.#child = undefined;
    process.off('exit', this.#killNow);
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      child.kill('SIGCONT'); // what is frozen does not notice that it was asked to end
      await gone;
    }
    return child.signalCode ?? child.exitCode;
  }

  /** What the kubelet does when a container is to be started anew. */
  async restart(): Promise<void> {
    await this.end('SIGKILL');
    await this.start();
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  readonly #killNow = (): void => {
    this.#child?.kill('SIGKILL');
  };

  #command(): readonly string[] {
    const { kubectl, filter, volume } = this.#options;
    const flags = ['--address=127.0.0.1', `--port=${this.#port}`];
    if (filter !== undefined) {
      flags.push(`--accept-paths=${filter.acceptPaths.join(',')}`);
      flags.push(`--reject-paths=${filter.rejectPaths.join(',')}`);
      flags.push(`--reject-methods=${filter.rejectMethods.join(',')}`);
    }
    const command = [kubectl, 'proxy', ...flags];
    if (isolation === 'in-cluster') return inPod(volume.path, command);
    return [...command, `--kubeconfig=${this.#kubeconfig()}`];
  }

  #environment(): Record<string, string> {
    const inCluster = {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.#options.serverPort),
    };
    return {
      PATH: process.env.PATH ?? '',
      HOME: '/nonexistent',
      KUBERC: 'off',
      NO_PROXY: '*',
      ...(isolation === 'in-cluster' ? inCluster : {}),
      ...this.#options.environment,
    };
  }

  #kubeconfig(): string {
    const { volume, serverPort } = this.#options;
    const server = `https://127.0.0.1:${serverPort}`;
    const file = join(volume.path, '..kubeconfig');
    const cluster = { server, 'certificate-authority': join(volume.path, 'ca.crt') };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'pod',
      clusters: [{ name: 'pod', cluster }],
      users: [{ name: 'pod', user: { tokenFile: join(volume.path, 'token') } }],
      contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod' } }],
    };
    writeFileSync(file, formatYaml(config));
    return file;
  }
}
