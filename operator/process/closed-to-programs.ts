/** Finds out and limits what programs of the same user can read from this process. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';

/**
 * Every program of the same user may send SIGUSR1. Node would then open its inspector, which reveals all
 * memory. This function adds a listener for the signal, which prevents this. The listener stays until this
 * process ends.
 */
export function closeInspectorSignal(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {});
}

/**
 * Names of environment variables of other processes that a program started by this process can read in
 * `/proc`. These processes are this process and its ancestors with the same user. Empty if the executables of
 * these processes cannot be read, because the kernel then closes `/proc/PID` to other processes. Empty on
 * systems other than Linux.
 *
 * @param given - the variables that are passed to programs anyway. They are omitted.
 */
export async function exposedVariables(
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (let pid = process.pid; pid > 0; pid = await parentOf(pid)) {
    const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    for (const variable of text.split('\0')) {
      const [name = ''] = variable.split('=', 1);
      if (name !== '' && !Object.hasOwn(given, name)) names.add(name);
    }
  }
  return [...names].toSorted();
}

/**
 * The process number of the parent of `pid`. 0 for the first process of the system, and on systems without
 * `/proc`.
 */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // In this file, the name of the program is in parentheses, and may itself contain parentheses and spaces.
  const [, parent = 0] = /^.*\) \S+ (\d+)/s.exec(stat) ?? [];
  return Number(parent);
}
