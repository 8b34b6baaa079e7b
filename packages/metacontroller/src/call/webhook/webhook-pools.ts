import type { Clock } from 'chancery';
import { type Pool, undiciPool } from 'chancery/internal';
import { guardedConnector, type TlsMaterial } from './guarded-connector.ts';
import type { OwnAddresses } from './own-addresses.ts';

/**
 * Maximum number of connections of one hook. A few workers reconcile its parents, so this many are
 * rarely needed.
 */
const CONNECTIONS = 32;

/**
 * Time after which an idle connection is closed. Servers also close idle connections, a server of
 * Node after 5 s. A request on a connection that the server is closing would fail.
 */
const KEEP_ALIVE_MS = 3_000;

/** Maximum size of an answer's headers in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

interface WebhookPoolsOptions {
  readonly ownAddresses: OwnAddresses;
  /** Time limit for connecting. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * The connections of one hook. A connection uses the certificates that were valid when it was
 * opened, so new connections are opened after the certificates have changed.
 */
export class WebhookPools {
  readonly #origin: string;
  readonly #options: WebhookPoolsOptions;
  #current: { readonly tls: TlsMaterial; readonly pool: Pool } | undefined;
  /** Former pools that still have active calls. Their promises never reject. */
  readonly #closing = new Set<Promise<void>>();

  constructor(origin: string, options: WebhookPoolsOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  /**
   * The connections for these certificates and keys.
   *
   * @param check - called when the certificates or keys have changed since the last call. When it
   * throws, the old connections stay open.
   */
  forMaterial(tls: TlsMaterial, check: () => void): Pool {
    if (this.#current !== undefined && isSame(this.#current.tls, tls)) return this.#current.pool;
    check();
    if (this.#current !== undefined) this.#retire(this.#current.pool);
    const pool = this.#open(tls);
    this.#current = { tls, pool };
    return pool;
  }

  /** Ends all connections and their active calls. */
  async close(): Promise<void> {
    await this.#current?.pool.destroy();
    this.#current = undefined;
    await Promise.all(this.#closing);
  }

  #open(tls: TlsMaterial): Pool {
    const PoolOfUndici = undiciPool();
    return new PoolOfUndici(this.#origin, {
      connect: guardedConnector({ ...this.#options, tls }),
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A call has a single time limit for all its phases: see `Webhook.call`.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    });
  }

  /** Closes a pool after its active calls. Each of them has a time limit. */
  #retire(pool: Pool): void {
    const closing = pool.close().catch(() => {});
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}
