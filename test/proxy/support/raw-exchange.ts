import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Writes these bytes to `url` and reads until the other side closes: what no HTTP client would send.
 * The bytes must make it close: `connection: close`, HTTP/1.0, or something that is refused.
 */
export async function rawExchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  return Buffer.concat(await socket.toArray()).toString('latin1');
}

/** The lines of a request head, with the empty one that ends it. */
export function headOf(...lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The status of an answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]);
}
