/** What `metacontroller.ts` starts: `chancery metacontroller`, the API server and the hooks, each a process of its own. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chancery/testing';
import { CountingLine } from '../../examples/reloader/test/support/counting-line.ts';
import type { ProcessStatus } from '../../operator/manager/status-page/process-status.ts';
import { peakMB } from './figures.ts';
import type { Change, Grown, Planted, Planting } from './metacontroller-server.ts';
import type { Called, CalledQuestion, Hooking } from './metacontroller-webhook.ts';

export const IS_BUILT: boolean = process.argv.includes('--built');

const ROOT = new URL('../../', import.meta.url);
const COMMAND = fileURLToPath(
  new URL(IS_BUILT ? 'dist/operator/cli/main.js' : 'operator/cli/main.ts', ROOT),
);
/** Of Node, in the image. */
const NODE_FLAGS = ['--max-semi-space-size=16'];
const WRITING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** Of Linux, in `/proc`. */
const TICKS_PER_SECOND = 100;
const POLL_MS = 250;
/** Without a call or a request for so long, the operator has nothing to do. */
const QUIET_MS = 3_000;

export type Given = Omit<Planting, 'hooks'>;

/** The API server and the hooks. */
export class Cluster {
  readonly #server: ChildProcess;
  readonly #hooks: ChildProcess;
  readonly url: string;

  private constructor(server: ChildProcess, hooks: ChildProcess, url: string) {
    this.#server = server;
    this.#hooks = hooks;
    this.url = url;
  }

  static async start(given: Given): Promise<Cluster> {
    const [server, hooks] = ['metacontroller-server.ts', 'metacontroller-webhook.ts'].map((file) =>
      fork(fileURLToPath(new URL(file, import.meta.url))),
    ) as [ChildProcess, ChildProcess];
    const [{ url }] = (await once(hooks, 'message')) as [Hooking];
    const { url: serverUrl } = await answer<Planted>(server, { ...given, hooks: url });
    return new Cluster(server, hooks, serverUrl);
  }

  /** Changes a parent, if one is named, and says what has happened to the children before. */
  ask(change: Change): Promise<Grown> {
    return answer<Grown>(this.#server, change);
  }

  /** What the hooks were asked. @param forget - counts begin anew with the next call. */
  called(forget: boolean): Promise<Called> {
    const question: CalledQuestion = { forget };
    return answer<Called>(this.#hooks, question);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of [this.#server, this.#hooks]) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  }
}

async function answer<T>(child: ChildProcess, question: object): Promise<T> {
  const answered = once(child, 'message');
  child.send(question);
  const [message] = await answered;
  return message as T;
}

/** Requests that change something. Reviews of the own rights, and Events about the controller, are left out. */
interface Writes {
  readonly children: number;
  /** Status of parents and controllers, and revisions. */
  readonly others: number;
  /** Requests with `dryRun`. */
  readonly tried: number;
}

interface Settled {
  /** From the start, or from the last change, to the last request. */
  readonly seconds: number;
  readonly called: Called;
  readonly writes: Writes;
}

/** `chancery metacontroller` behind a line that counts its requests. */
export class Operator {
  readonly #cluster: Cluster;
  readonly #line: CountingLine;
  readonly #process: ChildProcess;
  readonly #healthPort: number;
  #since: number = performance.now();
  #passedBefore = 0;

  private constructor(cluster: Cluster, line: CountingLine, healthPort: number) {
    this.#cluster = cluster;
    this.#line = line;
    this.#healthPort = healthPort;
    this.#process = startProcess(line.url, healthPort);
  }

  static async start(cluster: Cluster): Promise<Operator> {
    const line = new CountingLine(cluster.url);
    await line.start();
    await cluster.called(true);
    return new Operator(cluster, line, await freePort());
  }

  peakMB(): number {
    return peakMB(this.#process);
  }

  /** Processor time of all its threads, which other work on the machine stretches less than time. */
  processorSeconds(): number {
    const fields = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ');
    return (Number(fields?.[11]) + Number(fields?.[12])) / TICKS_PER_SECOND;
  }

  async change(change: Change): Promise<Settled & { readonly grown: Grown }> {
    await this.#cluster.ask(change);
    this.#since = performance.now();
    const settled = await this.settled(1);
    return { ...settled, grown: await this.#cluster.ask({}) };
  }

  /** Resolves when there were so many calls, and then nothing for a while. */
  async settled(calls: number): Promise<Settled> {
    let seen = '';
    let count = 0;
    let quietSince = performance.now();
    while (count < calls || performance.now() - quietSince < QUIET_MS) {
      await after(POLL_MS);
      const isBusy = await this.#isBusy();
      ({ calls: count } = await this.#cluster.called(false));
      const now = `${count} ${this.#line.passed.length}`;
      if (isBusy || now !== seen) quietSince = performance.now();
      seen = now;
    }
    const seconds = (quietSince - this.#since) / 1_000;
    return { seconds, called: await this.#cluster.called(true), writes: this.#writes() };
  }

  #writes(): Writes {
    const more = this.#line.passed
      .slice(this.#passedBefore)
      .filter(({ method, path }) => WRITING.has(method) && !/selfsubject|\/events$/.test(path));
    this.#passedBefore = this.#line.passed.length;
    const tried = more.filter(({ query }) => query.includes('dryRun')).length;
    const all = more.filter(({ query }) => !query.includes('dryRun'));
    const children = all.filter(({ path }) => /\/configmaps(\/|$)/.test(path)).length;
    return { children, others: all.length - children, tried };
  }

  async #isBusy(): Promise<boolean> {
    if (this.#process.exitCode !== null) {
      throw new Error(`chancery metacontroller has ended with ${this.#process.exitCode}`);
    }
    const status = await fetch(`http://127.0.0.1:${this.#healthPort}/status.json`).then(
      (page) => page.json() as Promise<ProcessStatus>,
      () => undefined, // not yet there
    );
    const controllers = status?.controllers ?? [];
    return controllers.some(({ busy, ready }) => busy > 0 || ready.length > 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    if (this.#process.exitCode === null) {
      this.#process.kill();
      await ended;
    }
    await this.#line.close();
  }
}

function startProcess(apiUrl: string, healthPort: number): ChildProcess {
  const args = [...NODE_FLAGS, COMMAND, 'metacontroller', '--no-leader-election'];
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      CHANCERY_API_URL: apiUrl,
      CHANCERY_HEALTH_PORT: String(healthPort),
      CHANCERY_METRICS_PORT: String(0),
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_LOG_LEVEL: 'error',
    },
  });
}
