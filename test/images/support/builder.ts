import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from '../../tools/tools.ts';

const run = promisify(execFile);

/** buildah with a storage of its own, which needs no daemon, no mounts and no settings of the machine. */
export class Builder {
  readonly #storage: readonly string[];

  constructor(folder: string, driver = 'vfs') {
    this.#storage = [
      ...['--root', join(folder, 'storage'), '--runroot', join(folder, 'runtime')],
      ...['--storage-driver', driver],
    ];
  }

  /** What buildah prints. @throws Error with its own last words when it fails. */
  async run(...args: readonly string[]): Promise<string> {
    try {
      const { stdout } = await run(pathOf('buildah'), [...this.#storage, ...args], {
        maxBuffer: 1 << 26,
      });
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
