import { connect, type Socket } from 'node:net';

/** The probes' own address, and two others. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const;

/** A request that has begun and never ends. */
const HALF_A_HEAD = 'GET /readyz HTTP/1.1\r\nHost: peer\r\nX-Slow: ';

/** Of each kind. */
const PEER_COUNT = 300;

/** Between two looks for peers that the server has closed. */
const COME_BACK_MS = 100;

/**
 * Holds 300 idle and 300 half-open connections to a port of this machine. A peer that the server has
 * closed comes back within 100 ms.
 *
 * @returns the end: it closes all of them.
 */
export function crowd(port: number): () => void {
  const idle = peers(port, '');
  const halfOpen = peers(port, HALF_A_HEAD);
  return () => {
    idle();
    halfOpen();
  };
}

function peers(port: number, bytes: string): () => void {
  const sockets: (Socket | undefined)[] = new Array(PEER_COUNT).fill(undefined);
  const open = (): void => {
    for (const [at, socket] of sockets.entries()) {
      if (socket?.destroyed === false) continue;
      sockets[at] = peer(port, ADDRESSES[at % ADDRESSES.length] ?? ADDRESSES[0], bytes);
    }
  };
  open();
  const timer = setInterval(open, COME_BACK_MS);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket?.destroy();
  };
}

function peer(port: number, localAddress: string, bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}); // the server closes peers: that is what they are for
  socket.resume();
  if (bytes !== '') socket.once('connect', () => socket.write(bytes));
  return socket;
}
