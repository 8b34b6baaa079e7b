import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** O_WRONLY and O_RDWR of open(2). */
const WRITABLE = 0o3;

/**
 * The files that a process has open for writing: no sockets, pipes and other things without a path,
 * and none of the three that it was started with. Linux only.
 */
export function filesOpenForWriting(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`)
    .filter((fd) => Number(fd) > 2)
    .flatMap((fd) => {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      if (!path.startsWith('/')) return [];
      const [, flags] =
        /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')) ?? [];
      return (Number.parseInt(flags ?? '', 8) & WRITABLE) === 0 ? [] : [path];
    });
}
