import { readFileSync } from 'node:fs';

const MiB = 1024 * 1024;

/** The most memory that a process has ever had in RAM, its program's file included. Linux only. */
export function peakMemoryMiB(pid: number): number {
  return ofStatus(pid, 'VmHWM');
}

/** What of its memory now is not a file's: what it has asked for itself. */
export function ownMemoryMiB(pid: number): number {
  return ofStatus(pid, 'RssAnon');
}

function ofStatus(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kiB] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return (Number(kiB) * 1024) / MiB;
}
