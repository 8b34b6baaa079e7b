import { spawnSync } from 'node:child_process';
import { firstPathOf, pathOf } from '../../tools/tools.ts';

/** Where client-go looks for the credentials of a Pod: nothing can change it. */
const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * How a process is given a token folder of its own.
 *
 * - `in-cluster`: it has its own mounts, and the folder is where that of a Pod is.
 * - `kubeconfig`: namespaces cannot be made here; a kubeconfig names the files. kubectl treats them the
 *   same, but does not start without them, where in a Pod it turns to port 8080.
 */
export type Isolation = 'in-cluster' | 'kubeconfig';

/** Root needs no user namespace, which may be forbidden; others need one. */
const WAYS = [
  ['--mount', '--propagation=private'],
  ['--map-root-user', '--mount', '--propagation=private'],
];

/** Lays an empty folder over /run, so that nothing of the machine's is touched, and mounts ours there. */
const MOUNT = `mount -t tmpfs tmpfs /var/run && mkdir -p ${TOKEN_FOLDER} && mount --bind "$1" ${TOKEN_FOLDER} && shift && exec "$@"`;

const unshare = firstPathOf('unshare');

const works = (flags: readonly string[]): boolean =>
  unshare !== undefined &&
  spawnSync(unshare, [...flags, 'sh', '-c', MOUNT, 'sh', '/tmp', 'true']).status === 0;

const flags = WAYS.find(works);

export const isolation: Isolation = flags === undefined ? 'kubeconfig' : 'in-cluster';

/** The command that runs `command` with `folder` as the token folder of its Pod. Same process id. */
export function inPod(folder: string, command: readonly string[]): readonly string[] {
  return [pathOf('unshare'), ...(flags ?? []), 'sh', '-c', MOUNT, 'sh', folder, ...command];
}
