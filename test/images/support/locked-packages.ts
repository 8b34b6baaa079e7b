import { execFile } from 'node:child_process';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** From the folder of package.json, as in `node_modules/pino`. */
  readonly path: string;
}

/**
 * What `npm ci --omit=dev --workspaces=false` installs where only package.json and its lock are, as when
 * the operator image is built. npm itself says so, from the lock alone and without its registry.
 */
export function lockedPackages(): Promise<readonly LockedPackage[]> {
  asked ??= ask();
  return asked;
}

let asked: Promise<readonly LockedPackage[]> | undefined;

async function ask(): Promise<readonly LockedPackage[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chancery-locked-')));
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      await cp(join(repository, file), join(folder, file));
    }
    const which = ['--all', '--package-lock-only', '--omit=dev', '--workspaces=false'];
    const { stdout } = await promisify(execFile)('npm', ['ls', '--parseable', '--long', ...which], {
      cwd: folder,
    });
    return stdout
      .trim()
      .split('\n')
      .slice(1) // the folder itself
      .map((line) => {
        const [path = '', spec = ''] = line.split(':');
        const at = spec.lastIndexOf('@');
        return {
          name: spec.slice(0, at),
          version: spec.slice(at + 1),
          path: relative(folder, path),
        };
      });
  } finally {
    await rm(folder, { recursive: true });
  }
}
