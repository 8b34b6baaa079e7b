/** What the kernel and a replica's metrics say, as texts, and the figures in them. */

/** Of `/proc/PID/stat`, on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * CPU seconds of a process and all its threads, in user mode and in the kernel: the 14th and 15th field of
 * `/proc/PID/stat`. The second field, the name of the program, may have spaces and brackets.
 */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  if (!Number.isFinite(seconds)) throw new Error(`no /proc/PID/stat: ${stat.slice(0, 100)}`);
  return seconds;
}

/** The cores on which a process may run: `Cpus_allowed_list` of `/proc/PID/status`, such as `0-2,5`. */
export function coresIn(status: string): readonly number[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? [];
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    if (!Number.isInteger(first)) throw new Error('no Cpus_allowed_list in /proc/PID/status');
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** The sum of all series of a metric whose labels have `label`, such as `phase="owning"`, in the text of `/metrics`. */
export function sumIn(metrics: string, name: string, label = ''): number {
  return metrics
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/**
 * Where processes run, as lists of cores for `taskset -c`: each replica on one core, and the server on those that no
 * replica has; on all of them when replicas have all.
 */
export function placesOf(
  replicas: number,
  cores: readonly number[],
): { readonly replicas: readonly string[]; readonly server: string } {
  const free = cores.slice(replicas);
  return {
    replicas: Array.from({ length: replicas }, (_, at) => String(cores[at % cores.length])),
    server: (free.length > 0 ? free : cores).join(','),
  };
}
