import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections without a request: one that never sent anything, has sent half a head, or is kept alive. */
  readonly waiting: number;
  /** Connections on which a request is being answered. */
  readonly answering: number;
}

/**
 * Bounds the open connections of a server, and still accepts every new one: it closes an old one
 * instead. Of those that wait for a request it closes the one that has waited longest; of those that
 * are being answered the one that has taken longest, because its peer does not read.
 *
 * A limit that refuses new connections would refuse the kubelet's probes as soon as idle peers fill it,
 * and the kubelet would restart the Pod. A limit for each address would not help: on loopback, and
 * behind address translation, peers have the prober's own address. The two limits are apart so that
 * peers that do not read leave the others enough places to wait in.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  /** Connections without a request, the one that has waited longest first. */
  readonly #waiting = new Set<Socket>();
  /** The others, with how many of their requests have no complete answer, the oldest first. */
  readonly #answering = new Map<Socket, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** A connection has been accepted. */
  opened(socket: Socket): void {
    socket.once('close', () => this.#forget(socket));
    this.#wait(socket);
  }

  /** The head of a request is complete, and `response` answers it. */
  answering(socket: Socket, response: ServerResponse): void {
    this.#waiting.delete(socket);
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    response.once('close', () => this.#answered(socket));
    if (this.#answering.size > this.#limits.answering) this.#close(this.#answering.keys());
  }

  #answered(socket: Socket): void {
    const open = this.#answering.get(socket);
    if (open === undefined) return; // closed meanwhile
    if (open > 1) {
      this.#answering.set(socket, open - 1);
    } else {
      this.#answering.delete(socket);
      if (!socket.destroyed) this.#wait(socket);
    }
  }

  #wait(socket: Socket): void {
    this.#waiting.add(socket);
    if (this.#waiting.size > this.#limits.waiting) this.#close(this.#waiting);
  }

  #close([oldest]: Iterable<Socket>): void {
    if (oldest === undefined) return;
    this.#forget(oldest); // now: its event comes later, and more connections may come before
    oldest.destroy();
  }

  #forget(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#answering.delete(socket);
  }
}
