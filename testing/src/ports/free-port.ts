import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range is below the system's ephemeral ports (from 32,768 on Linux, from 49,152 elsewhere),
 * because another process could take an ephemeral port before the program listens on it.
 */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/**
 * A port of 127.0.0.1 that no program listens on now, for a program that cannot choose a port
 * itself.
 */
export async function freePort(random: () => number = Math.random): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(random() * PORTS);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return true;
}
