import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { eventually, freePort } from '@chancery/testing';
import {
  type GatePath,
  gateConfig,
  METRICS_CLIENTS_FILE,
  METRICS_CLIENTS_FOLDER,
} from '../../../operator/generate/gate/gate-config.ts';
import { CertificateAuthority } from '../../../testing/src/apiserver/tls/certificate-authority.ts';
import { pathOf } from '../../tools/tools.ts';
import { SecretVolume } from './secret-volume.ts';

/** As the image has it. */
export const GATE_UID = 65_530;

/** The name by which the API server calls a Service. */
export const SERVICE = 'website-webhooks.demo.svc';

export interface GateStart {
  readonly paths: readonly GatePath[];
  /** `127.0.0.1:PORT` or `unix:/path`. */
  readonly operator: string;
  /** Names of the first certificate. */
  readonly names?: readonly string[];
  /** The server for metrics. Default: none. */
  readonly metrics?: {
    /** `127.0.0.1:PORT`. */
    readonly operator: string;
    /** PEM of the authorities of its clients. Without them the file is missing. */
    readonly authorities?: string;
  };
  /** Changes the configuration before the start, for a canary. */
  readonly change?: (text: string) => string;
}

type Ports = readonly [port: number, metricsPort: number];

/** A real nginx with the generated configuration, as a user without rights when the tests run as root. */
export class GateProcess {
  readonly port: number;
  /** The port of the server for metrics; 0 without one. */
  readonly metricsPort: number;
  /** What API servers have in `caBundle`. */
  readonly authority: CertificateAuthority = new CertificateAuthority();
  readonly volume: SecretVolume;
  readonly #folder: string;
  readonly #configuration: string;
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(folder: string, [port, metricsPort]: Ports, start: GateStart) {
    this.#folder = folder;
    this.port = port;
    this.metricsPort = metricsPort;
    this.volume = new SecretVolume(join(folder, 'tls'));
    this.volume.put(this.certificate(start.names));
    const run = join(folder, 'run');
    mkdirSync(run);
    if (process.getuid?.() === 0) chownSync(run, GATE_UID, GATE_UID);
    const { paths, operator, metrics, change = (text) => text } = start;
    const text = gateConfig({
      ...{ paths, operator, listen: [`127.0.0.1:${port}`] },
      ...(metrics && {
        metrics: { operator: metrics.operator, listen: [`127.0.0.1:${metricsPort}`] },
      }),
    });
    const clients = join(folder, 'clients');
    mkdirSync(clients, { mode: 0o755 });
    if (metrics?.authorities !== undefined) {
      writeFileSync(join(clients, METRICS_CLIENTS_FILE), metrics.authorities);
    }
    this.#configuration = join(folder, 'gate.conf');
    const moved = text
      .replaceAll('/run/gate', run)
      .replaceAll(METRICS_CLIENTS_FOLDER, clients)
      .replaceAll('/tls/..data', `${folder}/tls/..data`);
    writeFileSync(this.#configuration, change(moved));
  }

  static async start(start: GateStart): Promise<GateProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-gate-'));
    chmodSync(folder, 0o755);
    const ports: Ports = [await freePort(), start.metrics === undefined ? 0 : await freePort()];
    const gate = new GateProcess(folder, ports, start);
    await gate.again();
    return gate;
  }

  /** A new key and certificate, as the files of a Secret. */
  certificate(names: readonly string[] = [SERVICE]): { 'tls.crt': string; 'tls.key': string } {
    const { cert, key } = this.authority.issue(names);
    return { 'tls.crt': cert, 'tls.key': key };
  }

  /** Starts it once more after `kill`. Resolves when it takes connections. */
  async again(): Promise<void> {
    const user = process.getuid?.() === 0 ? { uid: GATE_UID, gid: GATE_UID } : {};
    const child = spawn(pathOf('nginx'), ['-e', 'stderr', '-c', this.#configuration], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {},
      ...user,
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    const closed = once(child, 'close');
    await eventually(async () => {
      if (child.exitCode === null) await takesConnections(this.port);
      return true;
    });
    if (child.exitCode === null) return;
    await closed; // with the last line of its log
    throw new Error(`nginx ended with ${child.exitCode}: ${this.#log}`);
  }

  /** What it has written to its log. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The processes that it has started, which do the work. */
  get workers(): readonly number[] {
    const text = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  }

  /** Ends it at once, as a container whose memory is used up. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    rmSync(this.#folder, { recursive: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // With the first process of a container the others end as well.
    const workers = signal === 'SIGKILL' ? this.workers : [];
    child.kill(signal);
    for (const pid of workers) process.kill(pid, signal);
    await ended;
  }
}

async function takesConnections(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
