import { createConnection, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';

/** Where to connect to, as the HTTP library names it. */
interface ConnectTarget {
  readonly hostname: string;
  readonly port: string;
}

type ConnectCallback = (...result: [null, Socket] | [Error, null]) => void;

interface ConnectorOptions {
  /** Path of a unix socket; left out: TCP to the target. */
  readonly socketPath?: string | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The first probe of an idle connection, as in Go's `net.Dialer` twice over. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Opens connections, each within `timeoutMs` of `clock`: the HTTP library's own timer would be of
 * the machine's time, and rounded up to half a second. On a loopback only a listener that no longer
 * accepts takes that long: its queue is full, and the kernel drops what comes next.
 *
 * Calls back exactly once, with the connection or with an Error whose `code` says why not.
 */
export function connector({
  socketPath,
  timeoutMs,
  clock,
}: ConnectorOptions): (target: ConnectTarget, callback: ConnectCallback) => void {
  return ({ hostname, port }, callback) => {
    const address =
      socketPath === undefined
        ? { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80 }
        : { path: socketPath };
    const socket = createConnection({
      ...address,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    const settle = (...result: Parameters<ConnectCallback>): void => {
      cancelTimeout();
      socket.off('connect', onConnect);
      socket.off('error', onError);
      callback(...result);
    };
    const onConnect = (): void => settle(null, socket);
    const onError = (error: Error): void => settle(error, null);
    const cancelTimeout = clock.schedule(timeoutMs, () => {
      settle(notInTime(timeoutMs), null);
      socket.on('error', () => {}); // what the closing does to it is no news
      socket.destroy();
    });
    socket.once('connect', onConnect);
    socket.once('error', onError);
  };
}

function notInTime(timeoutMs: number): Error {
  return Object.assign(new Error(`no connection within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
}
