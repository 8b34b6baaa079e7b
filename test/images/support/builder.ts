import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why no image can be built on this machine, in words for its owner; undefined when one can be. */
export function whyNoBuilder(): string | undefined {
  if (process.getuid?.() !== 0) return 'images are built by buildah as root, and this is not root';
  if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0) {
    return 'this root may not make namespaces, which building and running an image need';
  }
  if (!isOnPath('buildah'))
    return 'there is no buildah on the PATH (Debian: apt-get install buildah)';
  return undefined;
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** buildah with a storage of its own, which needs no daemon, no mounts and no settings of the machine. */
export class Builder {
  readonly #storage: readonly string[];

  constructor(folder: string) {
    this.#storage = [
      ...['--root', join(folder, 'storage'), '--runroot', join(folder, 'runtime')],
      ...['--storage-driver', 'vfs'],
    ];
  }

  /** What buildah prints. @throws Error with its own last words when it fails. */
  async run(...args: readonly string[]): Promise<string> {
    try {
      const { stdout } = await run('buildah', [...this.#storage, ...args], { maxBuffer: 1 << 26 });
      return stdout.trim();
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
      throw new Error(`buildah ${args[0]} failed:\n${words}`, { cause: error });
    }
  }

  /** Builds an image of that name: no base image is pulled, and no time of day is written into it. */
  async build(
    name: string,
    dockerfile: string,
    context: string,
    ...args: readonly string[]
  ): Promise<void> {
    await this.run(
      ...['bud', '--isolation', 'chroot', '--pull=never', '--timestamp', '0'],
      ...args,
      ...['--tag', name, '--file', dockerfile, context],
    );
  }
}
