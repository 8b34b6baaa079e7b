import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { freePort } from '../ports/free-port.ts';
import { writeKubeconfig, writeSecrets } from './secrets.ts';
import { ServerProcess, type ServerProcessOptions } from './server-process.ts';

export interface ControlPlaneOptions {
  /** Paths of the two programs. */
  readonly etcd: string;
  readonly kubeApiserver: string;
  /** The time limits for each program to start serving, and to end after SIGTERM. */
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly attachOutput: boolean;
  /** The feature gates of kube-apiserver. If omitted, the defaults of the release. */
  readonly featureGates?: readonly (readonly [name: string, on: boolean])[];
  /** The environment of etcd and kube-apiserver. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * An etcd and a kube-apiserver on ports of 127.0.0.1, in their own directory below the system's
 * directory for temporary files. There is no controller manager, scheduler or node.
 */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #directory: string;
  readonly #running: ServerProcess[] = [];
  #kubeconfig = '';

  private constructor(options: ControlPlaneOptions, directory: string) {
    this.#options = options;
    this.#directory = directory;
  }

  /**
   * Starts both programs. Resolves when both serve. The caller must stop them.
   *
   * @throws ConfigurationError `CONFIG` with the last output of the program that does not start. In
   * this case, no process and no file is left behind.
   */
  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const directory = await mkdtemp(join(tmpdir(), 'chancery-control-plane-'));
    const plane = new ControlPlane(options, directory);
    try {
      await plane.#startApiserver(await plane.#startEtcd());
    } catch (error) {
      await plane.stop();
      throw error;
    }
    return plane;
  }

  /** A kubeconfig of a user with all rights. */
  get kubeconfig(): string {
    return this.#kubeconfig;
  }

  /**
   * Ends both programs in reverse order of their start, and removes their directory. Further calls
   * do nothing.
   */
  async stop(): Promise<void> {
    for (const server of this.#running.splice(0).reverse()) await server.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** @returns the URL of etcd for its clients. */
  async #startEtcd(): Promise<string> {
    const url = `http://127.0.0.1:${await freePort()}`;
    const args = [
      `--data-dir=${join(this.#directory, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      '--unsafe-no-fsync=true', // nothing here outlives the process
    ];
    await this.#run('etcd', this.#options.etcd, args, async () => {
      const answer = await fetch(`${url}/health`);
      const { health } = (await answer.json()) as { health?: string };
      return health === 'true';
    });
    return url;
  }

  async #startApiserver(etcdUrl: string): Promise<void> {
    const port = await freePort();
    const server = `https://127.0.0.1:${port}`;
    const secrets = writeSecrets(this.#directory);
    const certificates = join(this.#directory, 'certificates');
    // Without --tls-cert-file, kube-apiserver signs a certificate for 127.0.0.1 and stores it in this
    // directory.
    const caFile = join(certificates, 'apiserver.crt');
    const args = [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${certificates}`,
      `--token-auth-file=${secrets.tokenFile}`,
      `--service-account-issuer=${server}/`,
      `--service-account-signing-key-file=${secrets.signingKeyFile}`,
      `--service-account-key-file=${secrets.verificationKeyFile}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--authorization-mode=RBAC',
      '--allow-privileged=true',
      // With this plugin, Pods would need a ServiceAccount from a controller that does not run
      // here.
      '--disable-admission-plugins=ServiceAccount',
      ...(this.#options.featureGates ?? []).map(([name, on]) => `--feature-gates=${name}=${on}`),
    ];
    await this.#run('kube-apiserver', this.#options.kubeApiserver, args, () =>
      isReady(port, caFile, secrets.token),
    );
    this.#kubeconfig = writeKubeconfig(this.#directory, { server, caFile, token: secrets.token });
  }

  async #run(
    name: string,
    path: string,
    args: readonly string[],
    isServing: ServerProcessOptions['isReady'],
  ): Promise<void> {
    const server = new ServerProcess({ ...this.#options, name, path, args, isReady: isServing });
    this.#running.push(server);
    await server.start();
  }
}

async function isReady(port: number, caFile: string, token: string): Promise<boolean> {
  const ca = await readFile(caFile);
  const { request } = process.getBuiltinModule('node:https');
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path: '/readyz',
        ca,
        headers: { authorization: `Bearer ${token}` },
        agent: false,
        timeout: 2_000,
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    call.on('timeout', () => call.destroy());
    call.on('error', reject);
    call.end();
  });
}
