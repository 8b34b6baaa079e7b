/** The processes of `main.ts`: the API server, and replicas of an operator, each pinned to a core if that is possible. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chancery/testing';
import { CountingLine } from '../../../examples/reloader/test/support/counting-line.ts';
import { firstPathOf } from '../../tools/tools.ts';
import { peakMB } from '../figures.ts';
import { type Done, NAMESPACE, type Order, type Serving } from './orders.ts';
import { coresIn, cpuSecondsIn, placesOf, sumIn } from './readings.ts';

const ROOT = new URL('../../../', import.meta.url);

/** As in the ENTRYPOINT of Dockerfile.operator. */
const NODE_FLAGS = ['--max-semi-space-size=16'];
const POLL_MS = 100;
const TASKSET = firstPathOf('taskset');

/** Into how many groups keys are divided. */
export const GROUPS = 16;

/** The cores of this process; none when processes cannot be pinned. */
export const CORES: readonly number[] =
  TASKSET === undefined ? [] : coresIn(readFileSync('/proc/self/status', 'utf8'));

/** Replicas share keys, or one of them leads; `alone`: there is one, and it asks nobody. */
export type Mode = 'sharded' | 'leader' | 'alone';

export interface ReplicaOptions {
  /** A file of this repository. */
  readonly module: string;
  /** The name of the Lease: replicas with the same one are of the same operator. */
  readonly set: string;
  /** How replicas know which of them works. */
  readonly mode: Mode;
  readonly leaseSeconds: number;
  /** Of the objects that it works on. */
  readonly namespace?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the toolkit is what `npm run build` has made. */
  readonly isBuilt: boolean;
  /** Count the bytes that it receives. */
  readonly isCounted?: boolean;
}

/** One process of the operator. */
export interface Replica {
  readonly line: CountingLine | undefined;
  cpuSeconds(): number;
  peakMB(): number;
  /** The groups that it works on. */
  owned(): Promise<number>;
  /** Reconciles that have ended. */
  reconciles(): Promise<number>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly objects: number;
  /** Of each ConfigMap. */
  readonly bytes: number;
  /** Each ConfigMap has its Secret from the start. */
  readonly hasChildren: boolean;
  /** At the same time, at most. */
  readonly replicas: number;
}

/** An API server with objects, and the replicas that were started beside it. */
export class MeasuredCluster implements AsyncDisposable {
  readonly #server: ChildProcess;
  readonly #url: string;
  readonly #places: ReturnType<typeof placesOf>;
  readonly #running: Replica[] = [];
  #started = 0;

  private constructor(server: ChildProcess, url: string, places: ReturnType<typeof placesOf>) {
    this.#server = server;
    this.#url = url;
    this.#places = places;
  }

  static async start(options: ClusterOptions): Promise<MeasuredCluster> {
    const { objects, bytes, hasChildren, replicas } = options;
    const places = placesOf(replicas, CORES);
    const file = fileURLToPath(new URL('server.ts', import.meta.url));
    const words = [String(objects), String(bytes), ...(hasChildren ? ['children'] : [])];
    const server = spawnOn(places.server, [...process.execArgv, file, ...words], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: process.env,
    });
    const { url } = await answerOf<Serving>(server);
    return new MeasuredCluster(server, url, places);
  }

  cpuSeconds(): number {
    return cpuSecondsOf(this.#server);
  }

  async order(order: Order): Promise<Done> {
    this.#server.send(order);
    return answerOf<Done>(this.#server);
  }

  /** A replica that has started. Replicas that run at the same time have cores of their own, as far as there are enough. */
  async replica(options: ReplicaOptions): Promise<Replica> {
    const index = this.#started++;
    const line = options.isCounted ? new CountingLine(this.#url) : undefined;
    await line?.start();
    const replica = await startReplica(options, {
      url: line?.url ?? this.#url,
      name: `${options.set}-${index}`,
      core: this.#places.replicas[index] ?? this.#places.server,
      line,
    });
    this.#running.push(replica);
    return replica;
  }

  /** Stops every replica. */
  async stopReplicas(): Promise<void> {
    this.#started = 0;
    await Promise.all(this.#running.splice(0).map((replica) => replica.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopReplicas();
    const ended = once(this.#server, 'exit');
    this.#server.kill();
    await ended;
  }
}

/** Waits until each of the replicas works on its share of the groups. */
export async function untilShared(replicas: readonly Replica[]): Promise<void> {
  const share = GROUPS / replicas.length;
  await until(async () => {
    const owned = await Promise.all(replicas.map((replica) => replica.owned()));
    return owned.every((groups) => groups === share);
  });
}

/** Waits until so many reconciles have ended together, and none has for a while. */
export async function untilQuiet(
  replicas: readonly Replica[],
  { least, quietMs = 2_000 }: { readonly least: number; readonly quietMs?: number },
): Promise<void> {
  let seen = 0;
  let since = performance.now();
  await until(async () => {
    const each = await Promise.all(replicas.map((replica) => replica.reconciles()));
    const sum = each.reduce((a, b) => a + b, 0);
    if (sum !== seen) since = performance.now();
    seen = sum;
    return sum >= least && performance.now() - since > quietMs;
  });
}

/** What it waits for happens in other processes. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(POLL_MS);
}

async function startReplica(
  options: ReplicaOptions,
  at: {
    readonly url: string;
    readonly name: string;
    readonly core: string;
    readonly line: CountingLine | undefined;
  },
): Promise<Replica> {
  const metricsPort = await freePort();
  const command = options.isBuilt ? 'dist/operator/cli/main.js' : 'operator/cli/main.ts';
  const words = [...NODE_FLAGS, pathOf(command), 'run', pathOf(options.module)];
  const child = spawnOn(at.core, words, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environmentOf(options, { ...at, metricsPort }),
  });
  const metrics = async (): Promise<string> => {
    throwIfEnded(child);
    try {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      return await answer.text();
    } catch {
      return ''; // it has not started yet
    }
  };
  return {
    line: at.line,
    cpuSeconds: () => cpuSecondsOf(child),
    peakMB: () => peakMB(child),
    owned: async () => sumIn(await metrics(), 'chancery_shard_groups', 'phase="owning"'),
    reconciles: async () => sumIn(await metrics(), 'controller_runtime_reconcile_total'),
    async stop() {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.signalCode === null) {
        child.kill();
        await ended;
      }
      await at.line?.close();
    },
  };
}

function environmentOf(
  { set, mode, leaseSeconds, namespace = NAMESPACE, environment }: ReplicaOptions,
  { url, name, metricsPort }: { url: string; name: string; metricsPort: number },
): NodeJS.ProcessEnv {
  const period = leaseSeconds / 3;
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    CHANCERY_API_URL: url,
    CHANCERY_HEALTH_PORT: '0',
    CHANCERY_METRICS_PORT: String(metricsPort),
    CHANCERY_INSECURE_ALLOW_TOKEN: 'true', // this may run in a Pod that has one
    CHANCERY_SELF_TEST: 'off',
    CHANCERY_LOG_LEVEL: 'error',
    CHANCERY_LEASE_NAME: set,
    CHANCERY_LEASE_DURATION: String(leaseSeconds),
    CHANCERY_LEASE_RENEW_DEADLINE: String(leaseSeconds - period),
    ...(mode === 'sharded' && {
      CHANCERY_SHARDS: String(GROUPS),
      CHANCERY_SHARD_RETRY_PERIOD: String(period),
    }),
    ...(mode === 'leader' && { CHANCERY_LEADER_ELECTION: 'true' }),
    POD_NAME: name,
    POD_NAMESPACE: NAMESPACE,
    WATCH_NAMESPACE: namespace,
    ...environment,
  };
}

/** @param core - of `taskset -c`. */
function spawnOn(
  core: string,
  words: readonly string[],
  options: Parameters<typeof spawn>[2],
): ChildProcess {
  const command = [process.execPath, ...words];
  const [program = '', ...rest] =
    TASKSET === undefined ? command : [TASKSET, '-c', core, ...command];
  const child = spawn(program, rest, options);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  return child;
}

async function answerOf<T>(server: ChildProcess): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const ended = once(server, 'exit', { signal }).then(() => {
      throw new Error('the API server has ended');
    });
    const [message] = await Promise.race([once(server, 'message', { signal }), ended]);
    return message as T;
  } finally {
    stop.abort();
  }
}

function cpuSecondsOf(child: ChildProcess): number {
  return cpuSecondsIn(readFileSync(`/proc/${child.pid}/stat`, 'utf8'));
}

function throwIfEnded({ exitCode, signalCode }: ChildProcess): void {
  if (exitCode === null && signalCode === null) return;
  throw new Error(`an operator has ended with ${exitCode ?? signalCode}`);
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, ROOT));
}
