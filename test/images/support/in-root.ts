import { execFile } from 'node:child_process';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathOf } from '../../tools/tools.ts';
import type { BuiltImage } from './build-image.ts';

const run = promisify(execFile);

export interface InRootOptions {
  /** Appended to the entry point in the place of the image's CMD. */
  readonly args?: readonly string[];
  /** In the place of the image's entry point. */
  readonly command?: readonly string[];
  /** Folders of this machine, by where they are mounted in the image; `tmpfs` for an empty one that can be written. */
  readonly mounts?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs an image as a container runtime would: its files read-only as the root, mounts and processes of its
 * own, its user and environment, no new privileges. The network is this machine's.
 */
export async function runInRoot(image: BuiltImage, options: InRootOptions = {}): Promise<Ended> {
  const work = await mkdtemp(join(tmpdir(), 'chancery-root-'));
  try {
    const { args = image.config.Cmd, command = image.config.Entrypoint, mounts = {} } = options;
    const volumes = Object.entries(mounts).flatMap(([target, source]) => [source, target]);
    const pairs = Object.entries(options.env ?? {}).map((pair) => pair.join('='));
    const [uid = '', gid = ''] = image.config.User.split(':');
    const { stdout, stderr } = await run(pathOf('unshare'), [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc', SCRIPT, 'sh'],
      ...[image.rootfs, work, String(volumes.length / 2), ...volumes],
      ...[
        'env',
        '-i',
        ...image.config.Env,
        ...pairs,
        pathOf('setpriv'),
        '--no-new-privs',
        pathOf('unshare'),
      ],
      ...[`--root=${join(work, 'root')}`, `--wd=${image.config.WorkingDir || '/'}`],
      ...[`--setuid=${uid}`, `--setgid=${gid}`, '--', ...command, ...args],
    ]);
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Partial<Ended>;
    if (typeof code !== 'number') throw error;
    return { code, stdout, stderr };
  } finally {
    await rmdir(work); // everything in it was a mount of the namespace that is gone
  }
}

/** What a runtime makes before it starts a container: mount points, /proc, /dev/null, volumes; then read-only. */
const SCRIPT = `
lower=$1 work=$2 volumes=$3 root=$2/root
shift 3
mount -t tmpfs none "$work"
mkdir "$work/upper" "$work/work" "$root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/work" "$root"
mkdir -p "$root/proc" "$root/dev"
mount -t proc proc "$root/proc"
touch "$root/dev/null" && mount --bind /dev/null "$root/dev/null"
while [ "$volumes" -gt 0 ]; do
  mkdir -p "$root$2"
  if [ "$1" = tmpfs ]; then
    mount -t tmpfs -o mode=1777 none "$root$2"
  else
    mount --bind "$1" "$root$2" && mount -o remount,bind,ro "$root$2"
  fi
  shift 2
  volumes=$((volumes - 1))
done
mount -o remount,ro "$root"
exec "$@"
`;
