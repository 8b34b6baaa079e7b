import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait, setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** What happens to the bytes of a connection that come from now on. */
interface Shape {
  /** Added to every piece. */
  readonly delayMs: number;
  /** Bytes that travel at a time; 0 for as many as there are. */
  readonly trickleBytes: number;
}

const PLAIN: Shape = { delayMs: 0, trickleBytes: 0 };

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Bytes that still reach the client before the cut. */
  cutAfterBytes: number;
  cut: 'reset' | 'end';
}

/** A TCP line to a port on this machine that can be cut, held, slowed and refused. */
export class FaultLine {
  readonly #targetPort: number;
  readonly #links = new Set<Link>();
  #server: Server | undefined;
  #port = 0;
  #shape = PLAIN;
  #held: PromiseWithResolvers<void> | undefined;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Connections that are open on the client's side. */
  get openCount(): number {
    return this.#links.size;
  }

  /** On the same port as before, if there was one. */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer({ allowHalfOpen: true }, (client) => this.#connect(client));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Refuses connections from now on, and breaks the open ones. */
  async refuse(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    this.breakAll('reset');
    await closed;
  }

  breakAll(how: 'reset' | 'end'): void {
    for (const link of this.#links) sever(link, how);
  }

  /** The server's side is over, the client's is not: what a half-closed connection looks like. */
  halfClose(): void {
    for (const { client } of this.#links) client.end();
  }

  /** Each open connection breaks after so many more bytes: most likely in the middle of a line. */
  cutAfter(bytes: () => number, how: 'reset' | 'end'): void {
    for (const link of this.#links) {
      link.cutAfterBytes = bytes();
      link.cut = how;
    }
  }

  /** Nothing moves until `release`; connections are still accepted. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  shape(shape: Partial<Shape>): void {
    this.#shape = { ...PLAIN, ...shape };
  }

  /** Everything is as it should be again, also for connections that have a cut before them. */
  async heal(): Promise<void> {
    this.release();
    this.#shape = PLAIN;
    for (const link of this.#links) link.cutAfterBytes = Number.POSITIVE_INFINITY;
    await this.listen();
  }

  #connect(client: Socket): void {
    const upstream = connect({ port: this.#targetPort, host: '127.0.0.1', allowHalfOpen: true });
    const link: Link = { client, upstream, cutAfterBytes: Number.POSITIVE_INFINITY, cut: 'end' };
    this.#links.add(link);
    const down = (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> =>
      this.#shaped(source, link);
    const up = (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> => this.#shaped(source);
    client.once('close', () => {
      this.#links.delete(link);
      upstream.destroy();
    });
    upstream.once('error', () => client.resetAndDestroy());
    // That a line breaks is what it is for: both ends learn of it from their sockets.
    pipeline(upstream, down, client).catch(() => {});
    pipeline(client, up, upstream).catch(() => {});
  }

  async *#shaped(
    source: AsyncIterable<Buffer>,
    link?: Link,
  ): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        await this.#held?.promise;
        const { delayMs, trickleBytes } = this.#shape;
        if (delayMs > 0) await wait(delayMs);
        else if (trickleBytes > 0) await yieldToEventLoop();
        const size = Math.min(trickleBytes || chunk.length, link?.cutAfterBytes ?? chunk.length);
        if (size > 0) yield chunk.subarray(at, at + size);
        at += size;
        if (link === undefined) continue;
        link.cutAfterBytes -= size;
        if (link.cutAfterBytes <= 0) {
          sever(link, link.cut);
          return;
        }
      }
    }
  }
}

function sever({ client, upstream }: Link, how: 'reset' | 'end'): void {
  if (how === 'reset') client.resetAndDestroy();
  else client.destroySoon();
  upstream.destroy();
}
