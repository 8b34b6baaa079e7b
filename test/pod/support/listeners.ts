/**
 * What listens on TCP, as `127.0.0.1:8001` or `[::]:8081`, sorted.
 *
 * @param tcp - /proc/PID/net/tcp. @param tcp6 - /proc/PID/net/tcp6.
 */
export function listeners(tcp: string, tcp6: string): readonly string[] {
  return [...listening(tcp).map(ipv4), ...listening(tcp6).map(ipv6)].sort();
}

/** The kernel's number for a socket that listens. */
const LISTEN = '0A';

/** Local addresses, as `ADDRESS:PORT` in hexadecimal. */
function listening(table: string): readonly string[] {
  const [, ...rows] = table.trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTEN)
    .map(([, local = '']) => local);
}

function ipv4(local: string): string {
  const [address = '', port = ''] = local.split(':');
  const bytes = (address.match(/../g) ?? []).map((hex) => Number.parseInt(hex, 16));
  return `${bytes.reverse().join('.')}:${Number.parseInt(port, 16)}`;
}

function ipv6(local: string): string {
  const [address = '', port = ''] = local.split(':');
  const name = /^0+$/.test(address) ? '::' : address;
  return `[${name}]:${Number.parseInt(port, 16)}`;
}
