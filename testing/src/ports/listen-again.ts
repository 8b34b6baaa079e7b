import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long to wait for the port. If the connection of another program uses the port, it usually ends long
 * before this time.
 */
const GIVE_UP_MS = 10_000;
const RETRY_MS = 20;

/** A reserved port that is not used again is released after this time. */
const RESERVED_MS = 30_000;

/**
 * Listens again on a port that this process has closed. Meanwhile another program may have taken the port,
 * usually as the local port of a connection. `listen` is called until the port is free. `reservePort`
 * prevents other programs from taking it.
 *
 * @param listen - opens the port. It rejects with `EADDRINUSE` while the port is taken.
 * @throws the error of `listen`: `EADDRINUSE` only after 10 s, and any other error at once.
 */
export async function listenAgain<T>(listen: () => Promise<T>): Promise<T> {
  const givenUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    try {
      return await listen();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || performance.now() > givenUpAt) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** The port of a server in this process. Every reservation is a connection to this server. */
let farEnd: Promise<number> | undefined;

function farEndPort(): Promise<number> {
  farEnd ??= (async () => {
    const server = createServer((socket) => socket.on('error', () => {}).unref()).unref();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  })();
  return farEnd;
}

/**
 * Prevents other programs from taking a port of 127.0.0.1 that was just closed, for at most 30 s. During that
 * time, connections to the port are refused. The port becomes the local port of a connection within this
 * process. The system never assigns such a port to programs that ask for any free port, and lets this process
 * listen on it again.
 *
 * @returns a function that releases the port. Call it after listening again.
 */
export async function reservePort(port: number): Promise<() => void> {
  const far = { host: '127.0.0.1', port: await farEndPort() };
  const socket = connect({ ...far, localAddress: '127.0.0.1', localPort: port }).unref();
  const release = (): void => {
    clearTimeout(timer);
    socket.resetAndDestroy();
  };
  const timer = setTimeout(release, RESERVED_MS).unref();
  await new Promise<void>((resolve) => {
    socket.on('connect', resolve);
    socket.on('error', () => resolve()); // another program was faster: `listenAgain` retries
  });
  return release;
}
