import process from 'node:process';
import { signalGroup } from './survivors.ts';

const groups = new Set<number>();

function endAll(): void {
  for (const groupId of groups) signalGroup(groupId, 'SIGKILL');
}

/**
 * Until it is disposed of, the process group is ended when this process exits in any way but by SIGKILL: after a
 * second signal, and after a lost Lease.
 */
export function endWithProcess(groupId: number): Disposable {
  // First, so that no program writes into a folder that is being removed.
  if (groups.size === 0) process.prependListener('exit', endAll);
  groups.add(groupId);
  return {
    [Symbol.dispose]: () => {
      groups.delete(groupId);
      if (groups.size === 0) process.off('exit', endAll);
    },
  };
}
