import { createConnection, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';

/** The address to connect to. Its members have the names that the HTTP library uses. */
interface ConnectTarget {
  readonly hostname: string;
  readonly port: string;
}

type ConnectCallback = (...result: [null, Socket] | [Error, null]) => void;

interface ConnectorOptions {
  /** The path of a unix socket. If omitted, the connector connects to the target by TCP. */
  readonly socketPath?: string | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Milliseconds before the first TCP keep-alive probe: twice the 30 s of Go's `http.DefaultTransport`. */
const KEEP_ALIVE_MS = 60_000;

/**
 * If a timer fires this many milliseconds too late, the event loop was blocked. Timers fire before socket
 * events are handled, so the connection may already be open.
 */
const BLOCKED_MS = 20;

/**
 * Opens connections. Each connection must be open within `timeoutMs`, measured by `clock`. The timer of the
 * HTTP library is not used, because it uses the machine's time and rounds up to half a second. On loopback,
 * connecting takes so long only when the listener does not accept connections: its queue is full, and the
 * kernel drops new connections. Time in which the event loop is blocked is not counted: the connection then
 * gets the whole time again.
 *
 * The callback is called exactly once, with the connection or with an Error whose `code` is the reason.
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
