import { createConnection, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';

/** The address to connect to, with the names that the HTTP library uses. */
interface ConnectTarget {
  readonly hostname: string;
  readonly port: string;
}

type ConnectCallback = (...result: [null, Socket] | [Error, null]) => void;

interface ConnectorOptions {
  /** Path of a unix socket. If omitted, connects to the target by TCP. */
  readonly socketPath?: string | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Milliseconds before the first TCP keep-alive probe: twice the 30 s of Go's `http.DefaultTransport`. */
const KEEP_ALIVE_MS = 60_000;

/**
 * A timer that fires this many milliseconds too late shows that the event loop was blocked. Timers fire
 * before the events of sockets, so the connection may already be open.
 */
const BLOCKED_MS = 20;

/**
 * Opens connections, each within `timeoutMs` of `clock`. The HTTP library's own timer is not used, because it
 * follows the machine's time and rounds up to half a second. On loopback a connection takes that long only
 * when the listener has stopped accepting: its queue is full, and the kernel drops new connections. Time in
 * which the event loop is blocked is not counted: the connection then gets the whole time again.
 *
 * Calls back exactly once, with the connection or with an Error whose `code` gives the reason.
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
    let cancelTimeout = (): void => {};
    const arm = (): void => {
      const dueAt = clock.monotonic() + timeoutMs;
      cancelTimeout = clock.schedule(timeoutMs, () => {
        if (clock.monotonic() - dueAt >= BLOCKED_MS) {
          arm();
          return;
        }
        settle(notInTime(timeoutMs), null);
        socket.on('error', () => {}); // closing it may raise an error, which does not matter
        socket.destroy();
      });
    };
    arm();
    socket.once('connect', onConnect);
    socket.once('error', onError);
  };
}

function notInTime(timeoutMs: number): Error {
  return Object.assign(new Error(`no connection within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });
}
