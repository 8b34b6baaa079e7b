import { aborted } from 'chancery/internal-testing';
import type { End, Exchange, ServedRequest } from './exchange.ts';
import { endWith } from './replies.ts';

/** One watch that a `ScriptedCollection` serves. */
export class ScriptedWatch {
  readonly #exchange: Exchange;
  #sent = 0;
  #ended = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get request(): ServedRequest {
    return this.#exchange.request;
  }

  /** The number of events sent, including bookmarks. */
  get sentCount(): number {
    return this.#sent;
  }

  /** True if the client has disconnected, or the watch was ended. */
  get closed(): boolean {
    return this.#ended || this.#exchange.request.closed;
  }

  /** The number of bytes that wait because the client does not read. */
  get unreadBytes(): number {
    return this.#exchange.response.writableLength;
  }

  /** Sends events in one write. */
  sendEvents(...events: readonly unknown[]): void {
    this.#sent += events.length;
    this.send(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  }

  /** Sends bytes unchanged. */
  send(bytes: string | Uint8Array): void {
    if (!this.closed) this.#exchange.response.write(bytes);
  }

  /** Ends the watch after the client has got everything that was sent. Nothing more can be sent. */
  async end(how: Exclude<End, 'hang'> = 'finish'): Promise<void> {
    if (this.closed) return;
    this.#ended = true;
    await endWith(this.#exchange.response, how);
  }

  /** Sends the head of the answer, then keeps the watch open until it is ended or reaches its own timeout. */
  async serve(first: readonly unknown[], whenOpen: () => void): Promise<void> {
    const { response, clock, signal, request } = this.#exchange;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (first.length > 0) this.sendEvents(...first);
    whenOpen();
    const timeoutSeconds = Number(request.query.timeoutSeconds ?? 3_600);
    const cancel = clock.schedule(timeoutSeconds * 1_000, () => void this.end());
    await aborted(signal);
    cancel();
  }
}
