import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { eventually } from '@chancery/testing';
import type { ClusterNode } from './cluster-node.ts';
import type { ContainerPlan } from './container-plan.ts';
import { containerScript, leaveCommand } from './container-script.ts';
import { descendant } from './held-process.ts';
import { POD_ADDRESS, type PodSandbox } from './pod-sandbox.ts';

export interface ContainerOptions {
  readonly node: ClusterNode;
  readonly sandbox: PodSandbox;
  readonly plan: ContainerPlan;
  readonly rootfs: string;
  /** A folder of this machine for what belongs to the Pod. */
  readonly folder: string;
}

/** How a container ended: its exit code, or the signal. */
export interface ContainerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A container that runs. */
export class Container {
  readonly plan: ContainerPlan;
  /** Its first process, as this machine knows it. */
  readonly pid: number;
  /** What it has said, line by line: standard output and standard error. */
  readonly lines: readonly string[];
  /** Resolves when it has ended. */
  readonly ended: Promise<ContainerEnd>;
  readonly #node: ClusterNode;
  readonly #child: ChildProcess;

  private constructor(
    options: ContainerOptions,
    child: ChildProcess,
    lines: readonly string[],
    ended: Promise<ContainerEnd>,
  ) {
    this.plan = options.plan;
    this.pid = descendant(child, DEPTH);
    this.lines = lines;
    this.ended = ended;
    this.#node = options.node;
    this.#child = child;
  }

  /** Resolves when the container's own program has begun. @throws Error with the words of what failed. */
  static async start(options: ContainerOptions): Promise<Container> {
    const { node, sandbox, plan, rootfs, folder } = options;
    const work = await mkdtemp(join(folder, `${plan.name}-`));
    const place = { rootfs, work, hostname: plan.env.HOSTNAME ?? '', address: POD_ADDRESS };
    const { unshare, sh } = node.tools.path;
    const own = [unshare, '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
    const script = containerScript(plan, place, node.tools);
    const [program = '', ...args] = node.inNode([...own, sh, '-euc', script], sandbox.namespaces);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) =>
        lines.push(line),
      );
    }
    const ended = once(child, 'close').then(([code, signal]): ContainerEnd => ({ code, signal }));
    const gate = child.stdio[3] as Duplex;
    gate.on('error', () => {}); // it ended: `ended` says how
    const failed = ended.then((end) => {
      throw new Error(
        `container ${plan.name} ended with ${JSON.stringify(end)}: ${lines.join('\n')}`,
      );
    });
    await Promise.race([once(gate, 'data'), failed]);
    failed.catch(() => {}); // it ends one day, and then nobody asks why
    const container = new Container(options, child, lines, ended);
    await node.run(container.#entered(['-m', '-p'], leaveCommand(node.tools)));
    gate.end('go\n');
    await eventually(() => container.#runs(plan.argv[0]));
    return container;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** To its first process only, as the kubelet sends them. */
  async signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const { sh } = this.#node.tools.path;
    const kill = [sh, '-c', `kill -${name.slice(3)} ${this.pid}`];
    await this.#node.run(this.#node.asAdministrator(kill));
  }

  /**
   * Runs one more process in it, with its environment and rights: `kubectl exec`, or a probe.
   *
   * @param uid - default: its own user's.
   * @returns what it printed. @throws as execFile does: with `code`, `stdout` and `stderr`.
   */
  async exec(argv: readonly string[], uid: number = this.plan.uid): Promise<string> {
    const { gid, env, noNewPrivileges } = this.plan;
    const { setpriv, env: environment, nsenter } = this.#node.tools.path;
    const rights = [
      ...(noNewPrivileges ? ['--no-new-privs'] : []),
      '--inh-caps=-all',
      '--ambient-caps=-all',
    ];
    const pairs = Object.entries(env).map((pair) => pair.join('='));
    const user = ['-S', String(uid), '-G', String(gid)];
    const all = ['-m', '-p', '-n', '-i', '-u', '-r', '-w'];
    const enter = [nsenter, '-t', String(this.pid), ...all, ...user, '--', ...argv];
    return this.#node.run(
      this.#node.asAdministrator([setpriv, ...rights, environment, '-i', ...pairs, ...enter]),
    );
  }

  /** What the kernel says of its first process: a file of /proc/PID. */
  async proc(file: string): Promise<string> {
    const { cat } = this.#node.tools.path;
    return this.#node.run(this.#node.asAdministrator([cat, `/proc/${this.pid}/${file}`]));
  }

  /** Nothing else tells of it: those who stay behind outside have the gate open as well. */
  #runs(program: string | undefined): boolean {
    const [running = ''] = readFileSync(`/proc/${this.pid}/cmdline`, 'utf8').split('\0');
    // nginx gives itself a title, which ends with its command.
    return program !== undefined && running.includes(program);
  }

  #entered(namespaces: readonly string[], command: readonly string[]): readonly string[] {
    const { nsenter } = this.#node.tools.path;
    const enter = [nsenter, '-t', String(this.pid), ...namespaces, '--', ...command];
    return this.#node.asAdministrator(enter);
  }
}

/** nsenter, which stays behind outside; unshare; and the first process of the container. */
const DEPTH = 2;
