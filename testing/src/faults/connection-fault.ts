/**
 * A fault of a `TcpProxy` for one connection. Faults affect the bytes from the server to the
 * client. Requests always arrive, so that a test knows what the server saw.
 */
export interface ConnectionFault {
  /** Resets the connection as soon as it is accepted. */
  readonly resetAtOnce?: boolean;
  /**
   * The delay in milliseconds before the proxy forwards each piece of data, measured on the proxy's clock.
   */
  readonly delayMs?: number;
  /** The maximum number of bytes that the proxy forwards in one write. */
  readonly bytesPerWrite?: number;
  /** Ends the connection after this number of bytes was forwarded. */
  readonly cutAfterBytes?: number;
  /** How `cutAfterBytes` ends the connection. Default `reset`. */
  readonly cutWith?: CutKind;
}

/**
 * - `reset`: RST to both ends.
 * - `close`: FIN to the client, gracefully; the server's side is closed.
 * - `half-close`: FIN to the client only. Data from the client still reaches the server.
 * - `freeze`: nothing more is forwarded, and neither side is notified.
 */
export type CutKind = 'reset' | 'close' | 'half-close' | 'freeze';
