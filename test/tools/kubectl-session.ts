import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, type ApiServerOptions } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { pathOf } from './tools.ts';

/** What kubectl printed, and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends kubectl, which may be watching. */
  readonly signal?: AbortSignal;
}

/** An embedded server of one test, and a real kubectl that talks to it. */
export class Session {
  readonly server: ApiServer;
  readonly #folder: string;
  readonly #binary: string;

  private constructor(server: ApiServer, folder: string, binary: string) {
    this.server = server;
    this.#folder = folder;
    this.#binary = binary;
  }

  /** @param binary - the kubectl that talks to it. Default: the newest. */
  static async start(options: ApiServerOptions = {}, binary = pathOf('kubectl')): Promise<Session> {
    const server = await ApiServer.start(options);
    onTestFinished(() => server.close());
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return new Session(server, folder, binary);
  }

  /** A file that kubectl can read. @returns its path. */
  file(name: string, text: string, mode = 0o600): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  /** Runs kubectl to its end, whatever that is. */
  try(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const env = {
      PATH: process.env.PATH,
      // Its cache of discovery lives here, and nothing else that a user may have set up.
      HOME: this.#folder,
      KUBECONFIG: '/dev/null',
      GOGC: process.env.GOGC,
      ...options.env,
    };
    return new Promise((resolve) => {
      const child = execFile(
        this.#binary,
        [`--server=${this.server.url}`, ...args],
        { env, ...(options.signal === undefined ? {} : { signal: options.signal }) },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : Number(error.code ?? 1);
          resolve({ code, stdout, stderr });
        },
      );
      child.stdin?.end(options.input ?? '');
    });
  }

  /** Runs kubectl. @returns its output. @throws Error with its messages when it fails. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
}

/** A Deployment of the given name, as people write it. */
export function deployment(name: string, replicas = 2, image = 'nginx:1.27'): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: { app: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: app
          image: ${image}
          ports: [{ containerPort: 80 }]
`;
}

export function configMap(name: string, data: Readonly<Record<string, string>>): string {
  return `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name} }
data: ${JSON.stringify(data)}
`;
}
