import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from 'chancery';
import { systemClock } from 'chancery/internal-objects';
import { listenAgain, reservePort } from '../ports/listen-again.ts';
import type { ConnectionFault, CutKind } from './connection-fault.ts';
import { ProxiedConnection } from './proxied-connection.ts';

export interface TcpProxyOptions {
  /** The port on 127.0.0.1 to which connections are forwarded. */
  readonly port: number;
  /** The clock for `ConnectionFault.delayMs`. If omitted, the proxy uses the system clock. */
  readonly clock?: Clock;
}

/**
 * A TCP proxy on the loopback that breaks connections like a network.
 *
 * It works on bytes, not on HTTP. Put it between an operator and any server, such as
 * `ScriptedServer`, `ApiServer` or a real `kubectl proxy`. The fault of a connection is decided
 * when the connection is accepted. Later, a test can act on it through `connections`.
 */
export class TcpProxy {
  readonly #targetPort: number;
  readonly #clock: Clock;
  readonly #running = new Set<Promise<void>>();
  readonly #connections: ProxiedConnection[] = [];
  readonly #planned: ConnectionFault[] = [];
  #always: ConnectionFault = {};
  #server: Server | undefined;
  #port = 0;
  /** Set after `refuse`: a promise of the function that releases the port. */
  #reserved: Promise<() => void> | undefined;
  #accepted = 0;
  #frozen = false;

  constructor({ port, clock = systemClock }: TcpProxyOptions) {
    this.#targetPort = port;
    this.#clock = clock;
  }

  /**
   * The port that the proxy listens on; 0 before `start`. It does not change after `refuse` and `accept`.
   */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The number of accepted connections, including connections that were reset at once. */
  get acceptedCount(): number {
    return this.#accepted;
  }

  /** Connections that were forwarded, in the order of their arrival, including closed connections. */
  get connections(): readonly ProxiedConnection[] {
    return this.#connections;
  }

  get openConnections(): readonly ProxiedConnection[] {
    return this.#connections.filter(({ closed }) => !closed);
  }

  /**
   * Starts listening.
   * @param port - the port to listen on. Default 0: any free port.
   */
  async start(port = 0): Promise<void> {
    if (this.#server === undefined) this.#port = port;
    await this.accept();
  }

  /**
   * Applies `fault` to the next `count` connections. Calls add up: the fault of a later call applies to the
   * connections that follow.
   */
  next(fault: ConnectionFault, count = 1): void {
    for (let n = 0; n < count; n++) this.#planned.push(fault);
  }

  /** Applies `fault` to every connection for which no other fault is planned; `{}` means no fault. */
  always(fault: ConnectionFault): void {
    this.#always = fault;
  }

  /** Closes the port: new connections get `ECONNREFUSED`. Open connections stay open. */
  refuse(): void {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    // `close` is not awaited, because its event only comes after the last open connection has
    // ended.
    server.close();
    this.#reserved = reservePort(this.#port);
  }

  /** Listens again, on the same port. */
  async accept(): Promise<void> {
    if (this.#server !== undefined) return;
    const listen = async (): Promise<number> => {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
        this.#take(client),
      );
      this.#server = server;
      server.listen(this.#port, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    };
    const release = await this.#reserved;
    this.#reserved = undefined;
    this.#port = await listenAgain(listen);
    release?.();
  }

  /** Ends every open connection. */
  cut(kind: CutKind = 'reset'): void {
    for (const connection of this.openConnections) connection.cut(kind);
  }

  /** Accepts connections, as a kernel does for a stopped process, but forwards nothing. */
  freeze(): void {
    this.#frozen = true;
    for (const connection of this.openConnections) connection.freeze();
  }

  thaw(): void {
    this.#frozen = false;
    for (const connection of this.openConnections) connection.thaw();
  }

  /** Closes the port and every connection, and waits for their end. May be called twice. */
  async close(): Promise<void> {
    this.refuse();
    for (const connection of this.#connections) connection.cut('reset');
    await Promise.all(this.#running);
  }

  #take(client: Socket): void {
    this.#accepted++;
    const fault = this.#planned.shift() ?? this.#always;
    if (fault.resetAtOnce === true) {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const server = connect({
      port: this.#targetPort,
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    const connection = new ProxiedConnection(client, server, fault, this.#clock);
    this.#connections.push(connection);
    if (this.#frozen) connection.freeze();
    const running = connection.run().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
