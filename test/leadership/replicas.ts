/** Real processes of one operator, each behind a line of its own to one embedded API server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoggedRequest } from '@chancery/testing';
import { ApiServer, type RequestGate, RequestLine } from '@chancery/testing';

const BIN = fileURLToPath(new URL('../../operator/cli/chancery.js', import.meta.url));

/** A second longer than the least: processes of a busy machine do not run for a second at times. */
export const TIMING = { leaseSeconds: 6, renewDeadlineSeconds: 4, retryPeriodSeconds: 1 } as const;

/** A process takes a second to start, and many on a busy machine. */
const PATIENCE_MS = 30_000;

/** Of the log of each replica, when something was waited for in vain. */
const LINES_SHOWN = 3;

/** Of a leader that is in the middle of its work. */
const SETTLED_WRITES = 20;

/** A request of one of the replicas, in the order in which the server's side has received them. */
export interface Arrival {
  readonly who: string;
  readonly call: LoggedRequest;
  /** `performance.now()` of this process. */
  readonly atMs: number;
  /** When the server had answered it; undefined before that, and when the answer was lost. */
  endedAtMs?: number;
  /** It never reached the server. */
  isHeld?: boolean;
}

/** A line of a replica's log. */
export type LogRecord = Readonly<Record<string, unknown>>;

export interface Replica extends AsyncDisposable {
  readonly name: string;
  readonly log: readonly LogRecord[];
  /** Exit code, or the name of the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  /** Decides about its requests; replaced by whoever breaks something. */
  gate: RequestGate;
  /** Breaks its connections and refuses new ones, as the end of its proxy does, until `connect`. */
  disconnect(): Promise<void>;
  connect(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export interface ReplicaOptions {
  /** A file of `test/leadership/modules`. Default `busy-writer.ts`. */
  readonly module?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** One API server, and the replicas that were started on it. */
export class Replicas implements AsyncDisposable {
  readonly server: ApiServer;
  /** Every request of every replica. */
  readonly arrivals: Arrival[] = [];
  readonly #all: Replica[] = [];

  readonly #options: ReplicaOptions;

  private constructor(server: ApiServer, options: ReplicaOptions) {
    this.server = server;
    this.#options = options;
  }

  /** @param options - of every replica, unless it has its own. */
  static async start(options: ReplicaOptions = {}): Promise<Replicas> {
    const server = await ApiServer.start();
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
    const metadata = { namespace: 'demo', name: 'seed' };
    server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    return new Replicas(server, options);
  }

  async replica(name: string, options: ReplicaOptions = {}): Promise<Replica> {
    const environment = { ...this.#options.environment, ...options.environment };
    const replica = await startReplica(name, this, { ...this.#options, ...options, environment });
    this.#all.push(replica);
    return replica;
  }

  /** Two replicas, started at once: the one that leads and has written, and the one that stands by. */
  async pair(options: ReplicaOptions = {}): Promise<{ leader: Replica; standby: Replica }> {
    const [a, b] = await Promise.all([this.replica('a', options), this.replica('b', options)]);
    const hasWritten = (who: string): boolean => this.appliesOf(who).length > SETTLED_WRITES;
    const hasAsked = (who: string): boolean =>
      this.arrivals.some((each) => each.who === who && each.call.resource.startsWith('leases.'));
    await this.until(
      () => (hasWritten('a') && hasAsked('b')) || (hasWritten('b') && hasAsked('a')),
      'one leads and writes, and the other has read the Lease',
    );
    return hasWritten('a') ? { leader: a, standby: b } : { leader: b, standby: a };
  }

  /** What `who` has sent that changes something; Leases and Events included. */
  writesOf(who: string): readonly Arrival[] {
    return this.arrivals.filter(({ who: by, call }) => by === who && isWrite(call));
  }

  /** What the reconciler of `who` has written. */
  appliesOf(who: string): readonly Arrival[] {
    return this.writesOf(who).filter(({ call }) => call.resource === 'configmaps');
  }

  /** Polls: what is waited for happens in other processes. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const untilMs = performance.now() + PATIENCE_MS;
    while (!holds()) {
      if (performance.now() > untilMs) {
        const said = this.#all.flatMap(({ name, log }) => [name, ...log.slice(-LINES_SHOWN)]);
        throw new Error(`not within ${PATIENCE_MS} ms: ${what}\n${JSON.stringify(said)}`);
      }
      await pause(5);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#all) await replica[Symbol.asyncDispose]();
    await this.server.close();
  }
}

export function isWrite({ verb }: LoggedRequest): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}

async function startReplica(
  name: string,
  { server, arrivals }: Replicas,
  { module = 'busy-writer.ts', environment = {} }: ReplicaOptions,
): Promise<Replica> {
  const log: LogRecord[] = [];
  let gate: RequestGate = {};
  const pending = new WeakMap<LoggedRequest, Arrival>();
  const line = new RequestLine({
    server: server.url,
    gate: {
      before: (call) => {
        const arrival: Arrival = { who: name, call, atMs: performance.now() };
        arrivals.push(arrival);
        pending.set(call, arrival);
        const decision = gate.before?.(call) ?? 'pass';
        arrival.isHeld = decision === 'hold';
        return decision;
      },
      after: (call) => {
        const arrival = pending.get(call);
        if (arrival !== undefined) arrival.endedAtMs = performance.now();
        return gate.after?.(call) ?? 'pass';
      },
    },
  });
  await line.start();
  const path = fileURLToPath(new URL(`modules/${module}`, import.meta.url));
  const child = spawn(process.execPath, [BIN, 'run', path], {
    env: { ...settings(name, line.url), ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) log.push(recordOf(each));
  });
  const killNow = (): void => void child.kill('SIGKILL');
  process.once('exit', killNow); // a frozen child would stay for ever
  const exit = once(child, 'close').then(([code, signal]) => {
    process.removeListener('exit', killNow);
    return code ?? signal;
  });
  return {
    name,
    log,
    exit,
    get gate() {
      return gate;
    },
    set gate(next) {
      gate = next;
    },
    disconnect: () => line.cut(),
    connect: () => line.start(),
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exit;
      await line.cut();
    },
  };
}

function settings(name: string, url: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    CHANCERY_INSECURE_ALLOW_TOKEN: 'true', // this may run in a Pod that has one
    CHANCERY_SELF_TEST: 'off', // what it asks is nobody's write
    CHANCERY_API_URL: url,
    CHANCERY_HEALTH_PORT: '0',
    CHANCERY_METRICS_PORT: '0',
    CHANCERY_LEADER_ELECTION: 'true',
    CHANCERY_LEASE_DURATION: String(TIMING.leaseSeconds),
    CHANCERY_LEASE_RENEW_DEADLINE: String(TIMING.renewDeadlineSeconds),
    CHANCERY_LEASE_RETRY_PERIOD: String(TIMING.retryPeriodSeconds),
    POD_NAME: name,
    POD_NAMESPACE: 'demo',
    WATCH_NAMESPACE: 'demo',
  };
}

function recordOf(line: string): LogRecord {
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return { text: line };
  }
}
