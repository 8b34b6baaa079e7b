import { spawnSync } from 'node:child_process';
import { firstPathOf, pathOf } from '../../tools/tools.ts';

const unshare = firstPathOf('unshare');
const ip = firstPathOf('ip');

const WAYS: readonly (readonly string[])[] =
  unshare === undefined || ip === undefined
    ? []
    : [
        [unshare, '--net'],
        [unshare, '--map-root-user', '--net'],
      ];

/** `unshare` and its flags, where this machine lets us make network namespaces; else empty. */
const UNSHARE: readonly string[] =
  WAYS.find(([command = '', ...flags]) => {
    return spawnSync(command, [...flags, ip ?? '', 'link', 'set', 'lo', 'up']).status === 0;
  }) ?? [];

/** Whether `inOwnNetwork` does what it says. */
export const HAS_OWN_NETWORK: boolean = UNSHARE.length > 0;

/**
 * The words that run a command where there is only a loopback interface of its own: nobody else
 * listens there, and nobody else gets there. Where namespaces cannot be made, the command itself.
 */
export function inOwnNetwork(...command: readonly string[]): readonly [string, ...string[]] {
  const [first = '', ...rest] = HAS_OWN_NETWORK
    ? [...UNSHARE, 'sh', '-c', `'${ip}' link set lo up && exec "$0" "$@"`, ...command]
    : command;
  return [first, ...rest];
}

/** The words that run a command in the network of the process `pid`, which `inOwnNetwork` started. */
export function inNetworkOf(
  pid: number,
  ...command: readonly string[]
): readonly [string, ...string[]] {
  const user = UNSHARE.includes('--map-root-user') ? ['--user', '--preserve-credentials'] : [];
  const [first = '', ...rest] = HAS_OWN_NETWORK
    ? [pathOf('nsenter'), `--target=${pid}`, '--net', ...user, '--', ...command]
    : command;
  return [first, ...rest];
}
