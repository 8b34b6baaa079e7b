import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from 'chancery';
import { sleep } from 'chancery/internal-objects';
import type { ConnectionFault, CutKind } from './connection-fault.ts';

/** One client of a `TcpProxy`, and its connection to the server. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #fault: ConnectionFault;
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  #thawed: PromiseWithResolvers<void> | undefined;
  #bytesToClient = 0;
  #bytesToServer = 0;

  /** Takes over both sockets. The caller must await `run`. */
  constructor(client: Socket, server: Socket, fault: ConnectionFault, clock: Clock) {
    this.#client = client;
    this.#server = server;
    this.#fault = fault;
    this.#clock = clock;
  }

  /** The number of bytes forwarded to the client. */
  get bytesToClient(): number {
    return this.#bytesToClient;
  }

  /** The number of bytes forwarded to the server. */
  get bytesToServer(): number {
    return this.#bytesToServer;
  }

  /** True when both ends are closed. A frozen connection does not notice that an end has closed. */
  get closed(): boolean {
    return this.#client.destroyed && this.#server.destroyed;
  }

  /** Passes bytes in both directions until both ends are closed. Never rejects. */
  async run(): Promise<void> {
    const ends = [this.#client, this.#server].map(async (socket) => {
      // The listener stays for the whole life of the connection, so that a reset does not end the
      // process.
      socket.on('error', () => this.#destroy());
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    });
    const { bytesPerWrite = Number.POSITIVE_INFINITY } = this.#fault;
    const toClient = this.#pass(this.#server, this.#client, bytesPerWrite, (bytes) => {
      this.#bytesToClient += bytes;
      const { cutAfterBytes, cutWith = 'reset' } = this.#fault;
      if (this.#bytesToClient === cutAfterBytes) this.cut(cutWith);
    });
    const toServer = this.#pass(this.#client, this.#server, Number.POSITIVE_INFINITY, (bytes) => {
      this.#bytesToServer += bytes;
    });
    await Promise.all([...ends, toClient, toServer]);
  }

  /** Ends the connection now, in the given way. */
  cut(kind: CutKind): void {
    switch (kind) {
      case 'reset':
        reset(this.#client);
        reset(this.#server);
        this.#destroy();
        return;
      case 'close':
        this.#client.end(() => this.#destroy());
        return;
      case 'half-close':
        this.#client.end();
        return;
      case 'freeze':
        this.freeze();
    }
  }

  /** Forwards nothing, in either direction, until `thaw`. Bytes wait, like in a stopped process. */
  freeze(): void {
    this.#thawed ??= Promise.withResolvers<void>();
  }

  thaw(): void {
    this.#thawed?.resolve();
    this.#thawed = undefined;
  }

  #destroy(): void {
    this.#gone.abort();
    this.#thawed?.resolve();
    this.#client.destroy();
    this.#server.destroy();
  }

  async #pass(
    from: Socket,
    to: Socket,
    bytesPerWrite: number,
    passed: (bytes: number) => void,
  ): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; ) {
          const size = Math.min(bytesPerWrite, chunk.length - at, this.#leftBeforeCut(to));
          await this.#permission(to);
          if (to.writableEnded || to.destroyed) break;
          if (!to.write(chunk.subarray(at, at + size))) {
            await once(to, 'drain', { signal: this.#gone.signal });
          }
          at += size;
          passed(size);
          // Waits for a turn of the event loop. Without this wait, the kernel would join the pieces into one.
          if (at < chunk.length) await new Promise((resolve) => setImmediate(resolve));
        }
      }
      await this.#permission(to);
      if (!to.destroyed) to.end();
    } catch {
      this.#destroy(); // an end broke, or this connection was cut: close both ends
    }
  }

  /** Waits until this connection is not frozen and its delay is over. */
  async #permission(to: Socket): Promise<void> {
    while (this.#thawed !== undefined && !this.#gone.signal.aborted) await this.#thawed.promise;
    const { delayMs } = this.#fault;
    if (to === this.#client && delayMs !== undefined) {
      await sleep(this.#clock, delayMs, this.#gone.signal);
    }
  }

  #leftBeforeCut(to: Socket): number {
    const { cutAfterBytes } = this.#fault;
    if (to !== this.#client || cutAfterBytes === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(1, cutAfterBytes - this.#bytesToClient);
  }
}

/**
 * Resets a socket. If a socket's FIN is not sent yet, Node fails to reset it and never reports that
 * it is closed, so it is destroyed.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
