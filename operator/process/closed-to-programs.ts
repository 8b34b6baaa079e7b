/** What programs of the same user can learn from this process, and what is done against it. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';

/**
 * Every program of the same user may send SIGUSR1, and Node would then open its inspector, which gives away all
 * memory. A listener takes the signal away from Node, until this process ends.
 */
export function closeInspectorSignal(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {});
}

/**
 * The names of variables in the environments that a program started by this process can read in `/proc`: that of this
 * process, and those of the processes above it with the same user. Empty where the executables of these processes
 * cannot be read, because then the kernel closes `/proc/PID` to other processes. Linux only; elsewhere empty.
 *
 * @param given - what programs are given anyway. It is left out.
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

/** 0 above the first process, and where there is no `/proc`. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program is in parentheses, and may have parentheses and blanks itself.
  const [, parent = 0] = /^.*\) \S+ (\d+)/s.exec(stat) ?? [];
  return Number(parent);
}
