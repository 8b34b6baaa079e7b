/**
 * What a `TcpProxy` does to one connection. Everything is about the bytes from the server to the
 * client: the request always gets through, so that a test knows what the server saw.
 */
export interface ConnectionFault {
  /** Reset the connection as soon as it is accepted. */
  readonly resetAtOnce?: boolean;
  /** Wait so long, by the proxy's clock, before each piece is passed on. */
  readonly delayMs?: number;
  /** Pass on at most so many bytes in one write. */
  readonly bytesPerWrite?: number;
  /** End the connection when so many bytes have been passed on. */
  readonly cutAfterBytes?: number;
  /** How `cutAfterBytes` ends it. Default `reset`. */
  readonly cutWith?: CutKind;
}

/**
 * - `reset`: RST to both ends.
 * - `close`: FIN to the client, in order; the server's side is closed.
 * - `half-close`: FIN to the client only; what the client sends still reaches the server.
 * - `freeze`: nothing more is passed on, and neither side is notified.
 */
export type CutKind = 'reset' | 'close' | 'half-close' | 'freeze';
