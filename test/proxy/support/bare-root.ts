import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { firstPathOf, pathOf } from '../../tools/tools.ts';
import type { Kubectl } from './kubectls.ts';

/** Where kubectl looks for what a Pod gives it. */
const CREDENTIALS = 'var/run/secrets/kubernetes.io/serviceaccount';

/** As the image has it. */
export const UID = 65_531;

/**
 * Makes a root of nothing but kubectl and two files, read-only, and starts kubectl in it: as a user
 * who may do nothing, who can gain nothing, and with the environment that is given in words.
 */
const SCRIPT = `
set -e
root=$1 kubectl=$2 files=$3
shift 3
mount -t tmpfs -o mode=0755 none "$root"
touch "$root/kubectl"
mount --bind "$kubectl" "$root/kubectl"
mount -o remount,bind,ro "$root/kubectl"
mkdir -p "$root/${CREDENTIALS}"
cp "$files/ca.crt" "$files/token" "$root/${CREDENTIALS}"
mount -o remount,ro "$root"
setpriv=$(command -v setpriv) chroot=$(command -v chroot)
words=
while [ "$1" != -- ]; do words="$words $1"; shift; done
shift
exec env -i $words "$setpriv" --no-new-privs --inh-caps=-all \\
  --bounding-set=-all,+sys_chroot,+setuid,+setgid \\
  "$chroot" --userspec=${UID}:${UID} --groups= "$root" /kubectl "$@"
`;

/** Why no root can be made here; empty when it can. */
export const NO_BARE_ROOT: string =
  process.getuid?.() !== 0
    ? 'only root can'
    : spawnSync(firstPathOf('unshare') ?? 'unshare', [
          '--mount',
          'mount',
          '-t',
          'tmpfs',
          'none',
          '/mnt',
        ]).status === 0
      ? ''
      : 'no mount namespaces can be made';

export interface BareRoot {
  /** The words that start `/kubectl ARGUMENTS` in it. */
  command(env: readonly string[], ...args: readonly string[]): readonly [string, ...string[]];
  stop(): Promise<void>;
}

/** For one kubectl, with the credentials of a ServiceAccount. */
export function bareRoot(
  kubectl: Kubectl,
  { ca, token }: { readonly ca: string; readonly token: string },
): BareRoot {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  writeFileSync(join(folder, 'ca.crt'), ca, { mode: 0o644 });
  writeFileSync(join(folder, 'token'), token, { mode: 0o644 });
  return {
    command: (env, ...args) => [
      pathOf('unshare'),
      ...['--mount', 'sh', '-c', SCRIPT, 'sh', root, kubectl.path, folder],
      ...env,
      '--',
      ...args,
    ],
    stop: async () => rmSync(folder, { recursive: true }),
  };
}
