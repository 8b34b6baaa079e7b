/** How the measurements of memory take a figure, and how they print it. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/**
 * The most memory that has been resident at once since the process began, in MB of 10^6 bytes:
 * `VmHWM` of `/proc/PID/status`. Linux only.
 */
export function peakMB({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(status)?.[1]);
  return (kibibytes * 1024) / 1_000_000;
}

/** The load of the machine over one, five and fifteen minutes. */
export function machineLoad(): string {
  return loadavg()
    .map((minutes) => minutes.toFixed(1))
    .join(', ');
}

/** A line with the median of an odd number of figures, and in brackets the least and the most. */
export function row(name: string, figures: readonly number[]): string {
  const sorted = figures.map(Math.round).sort((a, b) => a - b);
  const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((at) => sorted[at]);
  return `  ${name.padEnd(40)} ${median} (${least} - ${most})\n`;
}
