import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type HeldProcess, HOLD, hold } from './held-process.ts';
import { findPlainTools, type PlainTools } from './plain-tools.ts';

const run = promisify(execFile);

/**
 * How namespaces are made here: `root` by who may, `user` in a user namespace of somebody who may not,
 * in which the ids of the containers are some of those that /etc/subuid gives him.
 */
export type Means = 'root' | 'user';

/**
 * The machine that a Pod runs on: namespaces of mounts, processes and networks of their own. When
 * its first process ends, the kernel ends all others and takes the mounts and networks along: nothing
 * is left on this machine, not even by a test that was killed.
 */
export class ClusterNode {
  readonly means: Means;
  readonly tools: PlainTools;
  readonly #first: HeldProcess;

  private constructor(means: Means, tools: PlainTools, first: HeldProcess) {
    this.means = means;
    this.tools = tools;
    this.#first = first;
  }

  /** @throws Error with the tools' own words when such namespaces cannot be made here. */
  static async start(means: Means): Promise<ClusterNode> {
    const tools = await findPlainTools();
    const { unshare, sh } = tools.path;
    const user = means === 'user' ? ['--user', '--map-root-user', '--map-auto'] : [];
    const own = [
      '--mount',
      '--propagation',
      'private',
      '--net',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
    ];
    return new ClusterNode(means, tools, await hold([unshare, ...user, ...own, sh, '-c', HOLD], 1));
  }

  /** `command` with the rights of the machine's administrator, but on this machine's own files and network. */
  asAdministrator(command: readonly string[]): readonly string[] {
    return this.means === 'root' ? command : this.#enter(['-U'], command);
  }

  /**
   * `command` among the mounts of the machine, where processes have the ids that they have here.
   *
   * @param network - default: the machine's.
   */
  onNode(command: readonly string[], network: readonly string[] = ['-n']): readonly string[] {
    return this.#enter([...this.#user, '-m', ...network], command);
  }

  /** `command` as a process of the machine, which ends with it. @param network - as above. */
  inNode(command: readonly string[], network: readonly string[] = ['-n']): readonly string[] {
    return this.#enter([...this.#user, '-m', '-p', ...network], command);
  }

  /** Runs one of these; resolves to what it prints. @throws Error with its own words when it fails. */
  async run(command: readonly string[]): Promise<string> {
    const [program = '', ...args] = command;
    const { stdout } = await run(program, args, { encoding: 'utf8' });
    return stdout;
  }

  /** Resolves when no process, mount or network of it is left. */
  async end(): Promise<void> {
    await this.#first.end();
  }

  get #user(): readonly string[] {
    return this.means === 'user' ? ['-U'] : [];
  }

  #enter(namespaces: readonly string[], command: readonly string[]): readonly string[] {
    return [
      this.tools.path.nsenter,
      '-t',
      String(this.#first.pid),
      ...namespaces,
      '--',
      ...command,
    ];
  }
}
