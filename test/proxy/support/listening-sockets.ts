import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What /proc/net/tcp calls a socket that listens. */
const LISTEN = '0A';

/**
 * Where a process listens, as the kernel knows it: `127.0.0.1:PORT`, or `[…]:PORT` with the bytes of
 * an IPv6 address in hexadecimal. Linux only, as the ambassador is.
 */
export function listeningSockets(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const own = new Set(
    readdirSync(folder).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(folder, fd))?.[1] ?? []),
  );
  return ['tcp', 'tcp6'].flatMap((file) =>
    readFileSync(`/proc/${pid}/net/${file}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const fields = line.trim().split(/\s+/);
        const [, local = '', , state] = fields;
        return state === LISTEN && own.has(fields[9] ?? '') ? [addressOf(local)] : [];
      }),
  );
}

/** A file may be closed while we look. */
function linkOf(folder: string, fd: string): string {
  try {
    return readlinkSync(`${folder}/${fd}`);
  } catch {
    return '';
  }
}

/** `0100007F:1F41` → `127.0.0.1:8001`: words of four bytes, each as this machine keeps it. */
function addressOf(local: string): string {
  const [hex = '', port = ''] = local.split(':');
  const shown =
    hex.length > 8 ? `[${hex}]` : [...Buffer.from(hex, 'hex').reverse()].map(String).join('.');
  return `${shown}:${Number.parseInt(port, 16)}`;
}
